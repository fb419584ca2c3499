/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/tracing_thread.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

/* Somebody stands still while we wait for a processor. */
#define TRACING_NICE (-15)

struct errand {
    int (*body)(void *context);
    void *context;
    int result;
};

static void *run(void *argument)
{
    struct errand *errand = argument;
    setpriority(PRIO_PROCESS, (id_t)gettid(),
                TRACING_NICE); /* only root may; the others do without */
    errand->result = errand->body(errand->context);
    return NULL;
}

int tracing_thread_run(int (*body)(void *context), void *context)
{
    struct errand errand = {body, context, 0};
    pthread_t thread;
    int err = pthread_create(&thread, NULL, run, &errand);
    if (err != 0)
        return -err;
    pthread_join(thread, NULL);
    return errand.result;
}
