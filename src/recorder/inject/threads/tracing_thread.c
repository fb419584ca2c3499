/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/threads/tracing_thread.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

/* Somebody stands still while we wait for a processor. */
#define TRACING_NICE (-15)
#define GONE_NAP_NS  50000l
#define GONE_WAIT_NS NS_PER_SECOND

struct tracing_errand {
    int (*body)(void *context);
    void *context;
    int result;
    pid_t tid;
};

static void *run(void *argument)
{
    struct tracing_errand *errand = argument;
    errand->tid = gettid();
    setpriority(PRIO_PROCESS, (id_t)errand->tid,
                TRACING_NICE); /* only root may; the others do without */
    errand->result = errand->body(errand->context);
    return NULL;
}

/* A thread is joined before the kernel has let go of those it traced, and until then nobody else
 * may trace them. */
static void wait_until_gone(pid_t tid)
{
    uint64_t const start = monotonic_ns();
    while (syscall(SYS_tgkill, getpid(), tid, 0) == 0 && monotonic_ns() - start < GONE_WAIT_NS)
        nanosleep(&(struct timespec){0, GONE_NAP_NS}, NULL);
}

int tracing_thread_run(int (*body)(void *context), void *context)
{
    struct tracing_errand errand = {.body = body, .context = context};
    pthread_t thread;
    int err = pthread_create(&thread, NULL, run, &errand);
    if (err != 0)
        return -err;
    pthread_join(thread, NULL);
    wait_until_gone(errand.tid);
    return errand.result;
}
