/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/runs/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define THREADS_MAX 4

struct parallel_job {
    void (*work)(void *context, size_t index);
    void *context;
    size_t count;
    atomic_size_t next;
};

static void *do_job(void *argument)
{
    struct parallel_job *job = argument;
    for (size_t index; (index = atomic_fetch_add(&job->next, 1)) < job->count;)
        job->work(job->context, index);
    return NULL;
}

void parallel_each(size_t count, void (*work)(void *context, size_t index), void *context)
{
    struct parallel_job job = {.work = work, .context = context, .count = count};
    pthread_t threads[THREADS_MAX];
    long const processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t wanted = processors < 1             ? 1
                    : processors > THREADS_MAX ? THREADS_MAX
                                               : (size_t)processors;
    size_t started = 0;
    if (wanted > count)
        wanted = count;
    while (started + 1 < wanted && pthread_create(&threads[started], NULL, do_job, &job) == 0)
        started++;
    do_job(&job);
    while (started > 0)
        pthread_join(threads[--started], NULL);
}
