/* SPDX-License-Identifier: Apache-2.0 */
/* limit_hooks.c - programs that limit their own address space: the limit is meant for them, and not
 * for the memory that we reserve. */
/* Both names of each function are ours to define. */
#undef _FILE_OFFSET_BITS
#include "tracer/hooks/limit_hooks.h"

#include <errno.h>
#include <stddef.h>

#include "tracer/hooks/confine_hooks.h"
#include "tracer/process/process.h"
#include "tracer/process/raw_syscall.h"
#include "tracer/stacks/tables.h"

#define HOOK __attribute__((visibility("default"), noinline))

static int limit(pid_t pid, int resource, const void *new, void *old)
{
    if (resource == RLIMIT_AS && (tracer_is_on() || !tracer_is_confined()) && new &&
        (pid == 0 || pid == (pid_t)raw_syscall3(SYS_getpid, 0, 0, 0)))
        tables_give_back();
    long const result = raw_syscall6(SYS_prlimit64, pid, resource, (long)new, (long)old, 0, 0);
    if (result == 0)
        return 0;
    errno = (int)-result;
    return -1;
}

HOOK int setrlimit(__rlimit_resource_t resource, const struct rlimit *new)
{
    return limit(0, (int)resource, new, NULL);
}

HOOK int setrlimit64(__rlimit_resource_t resource, const struct rlimit64 *new)
{
    return limit(0, (int)resource, new, NULL);
}

HOOK int prlimit(pid_t pid, enum __rlimit_resource resource, const struct rlimit *new,
                 struct rlimit *old)
{
    return limit(pid, (int)resource, new, old);
}

HOOK int prlimit64(pid_t pid, enum __rlimit_resource resource, const struct rlimit64 *new,
                   struct rlimit64 *old)
{
    return limit(pid, (int)resource, new, old);
}
