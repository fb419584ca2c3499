/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/sandbox_layers.h"

#include <sys/resource.h>

#define FILES_OPEN_MAX 1024

/* Only ever lower than what holds. */
static int lower(int which, uint64_t wanted)
{
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)which, &limit) < 0)
        return -errno;
    rlim_t const bound = wanted == SANDBOX_NO_LIMIT ? RLIM_INFINITY : (rlim_t)wanted;
    if (bound >= limit.rlim_max && limit.rlim_cur == limit.rlim_max)
        return 0;
    limit.rlim_cur = bound < limit.rlim_cur ? bound : limit.rlim_cur;
    limit.rlim_max = bound < limit.rlim_max ? bound : limit.rlim_max;
    return setrlimit((__rlimit_resource_t)which, &limit) < 0 ? -errno : 0;
}

static uint64_t memory_limit(uint64_t bytes)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    (void)bytes; /* their tables alone are terabytes */
    return SANDBOX_NO_LIMIT;
#else
    return bytes;
#endif
}

/* The kernel counts the processes of a user together: an ordinary user has others, so there the
 * limit is all or nothing. */
static uint64_t process_limit(const struct sandbox_wish *wish, bool has_own_user)
{
    return has_own_user || wish->processes == 0 ? wish->processes : SANDBOX_NO_LIMIT;
}

int sandbox_set_limits(const struct sandbox_wish *wish, bool has_own_user)
{
    struct {
        int which;
        uint64_t wanted;
    } const limits[] = {
        {RLIMIT_CORE, 0},
        {RLIMIT_NPROC, process_limit(wish, has_own_user)},
        {RLIMIT_FSIZE, wish->file_bytes},
        {RLIMIT_AS, memory_limit(wish->memory_bytes)},
        {RLIMIT_DATA, memory_limit(wish->data_bytes ? wish->data_bytes : wish->memory_bytes)},
        {RLIMIT_NOFILE, wish->descriptors ? wish->descriptors : FILES_OPEN_MAX},
        {RLIMIT_CPU, wish->cpu_seconds},
    };
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        int const err = lower(limits[i].which, limits[i].wanted);
        if (err)
            return err;
    }
    return 0;
}
