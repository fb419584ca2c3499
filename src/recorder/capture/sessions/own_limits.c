/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/sessions/own_limits.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define STACK_WANTED (8ull << 20)
#define STACK_LEAST  (128ull << 10)

void own_limits_lift(void)
{
    static const __rlimit_resource_t lifted[] = {RLIMIT_FSIZE, RLIMIT_AS, RLIMIT_DATA,
                                                 RLIMIT_NPROC};
    const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    for (size_t i = 0; i < sizeof(lifted) / sizeof(lifted[0]); i++) {
        struct rlimit limit;
        if (setrlimit(lifted[i], &none) == 0 || getrlimit(lifted[i], &limit) < 0)
            continue;
        limit.rlim_cur = limit.rlim_max;
        setrlimit(lifted[i], &limit);
    }
}

/* A thread has as much as the limit was when we began. */
int own_limits_lift_stack(struct fault *fault)
{
    struct rlimit limit;
    pthread_attr_t usual;
    if (getrlimit(RLIMIT_STACK, &limit) < 0 || limit.rlim_cur >= STACK_WANTED)
        return 0;
    limit.rlim_cur = limit.rlim_max < STACK_WANTED ? limit.rlim_max : STACK_WANTED;
    if (setrlimit(RLIMIT_STACK, &limit) < 0 || limit.rlim_cur < STACK_LEAST)
        return fault_set(fault, -ENOMEM,
                         "memoir may use only %llu KiB of stack here, but recording needs %llu: "
                         "raise the limit with `ulimit -s %llu`",
                         (unsigned long long)limit.rlim_cur >> 10, STACK_LEAST >> 10,
                         STACK_LEAST >> 10);
    pthread_attr_init(&usual);
    pthread_attr_setstacksize(&usual, (size_t)limit.rlim_cur);
    pthread_setattr_default_np(&usual);
    pthread_attr_destroy(&usual);
    return 0;
}

static void *end_at_once(void *nothing)
{
    return nothing;
}

const char *own_limits_hint(void)
{
    struct rlimit data, processes;
    pthread_t thread;
    void *const some =
        mmap(NULL, STACK_WANTED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (some == MAP_FAILED)
        return getrlimit(RLIMIT_DATA, &data) == 0 && data.rlim_cur != RLIM_INFINITY
                   ? "; raise `ulimit -d`"
                   : "";
    munmap(some, STACK_WANTED);
    if (pthread_create(&thread, NULL, end_at_once, NULL) == 0) {
        pthread_join(thread, NULL);
        return "";
    }
    return getrlimit(RLIMIT_NPROC, &processes) == 0 && processes.rlim_cur != RLIM_INFINITY
               ? "; no thread can be made: raise `ulimit -u`"
               : "";
}
