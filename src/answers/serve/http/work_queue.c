/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/http/work_queue.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "serve/http/exchange.h"

struct queued_work {
    void *job;
    uint64_t not_before_ns; /* 0: as soon as may be */
};

struct work_queue {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t news;
    work_do *work;
    void *context;
    bool is_ending;
    size_t room, count, waiting;
    struct queued_work works[]; /* in the order they came */
};

/* The first that is due, or -1 with the time when one will be. */
static ptrdiff_t find_due(const struct work_queue *queue, uint64_t now, uint64_t *next_ns)
{
    *next_ns = UINT64_MAX;
    for (size_t i = 0; i < queue->count; i++) {
        if (queue->is_ending || queue->works[i].not_before_ns <= now)
            return (ptrdiff_t)i;
        if (queue->works[i].not_before_ns < *next_ns)
            *next_ns = queue->works[i].not_before_ns;
    }
    return -1;
}

static struct queued_work remove_at(struct work_queue *queue, size_t at)
{
    struct queued_work const work = queue->works[at];
    queue->count--;
    queue->waiting -= work.not_before_ns > 0;
    for (size_t i = at; i < queue->count; i++)
        queue->works[i] = queue->works[i + 1];
    return work;
}

static void wait_for_news(struct work_queue *queue, uint64_t until_ns)
{
    struct timespec const until = {.tv_sec = (time_t)(until_ns / NS_PER_SECOND),
                                   .tv_nsec = (long)(until_ns % NS_PER_SECOND)};
    if (until_ns == UINT64_MAX)
        pthread_cond_wait(&queue->news, &queue->lock);
    else
        pthread_cond_timedwait(&queue->news, &queue->lock, &until);
}

/* Without the lock.  A job that wants to wait where too many do is told that all is ending. */
static void do_work(struct work_queue *queue, struct queued_work work)
{
    bool const may_wait = !queue->is_ending && queue->waiting < queue->room / 2;
    pthread_mutex_unlock(&queue->lock);
    uint64_t again = queue->work(queue->context, work.job, !may_wait);
    pthread_mutex_lock(&queue->lock);
    if (!again)
        return;
    queue->works[queue->count++] = (struct queued_work){work.job, again}; /* its place was kept */
    queue->waiting++;
}

static void *run(void *self)
{
    struct work_queue *queue = self;
    pthread_mutex_lock(&queue->lock);
    while (!queue->is_ending || queue->count) {
        uint64_t next_ns;
        ptrdiff_t const at = find_due(queue, monotonic_ns(), &next_ns);
        if (at < 0)
            wait_for_news(queue, next_ns);
        else
            do_work(queue, remove_at(queue, (size_t)at));
    }
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

struct work_queue *work_queue_create(size_t room, work_do *work, void *context)
{
    pthread_condattr_t attributes;
    /* One more than may be pushed: for the job that is being done and may come back. */
    struct work_queue *queue = calloc(1, sizeof(*queue) + (room + 1) * sizeof(queue->works[0]));
    if (!queue)
        return NULL;
    queue->room = room;
    queue->work = work;
    queue->context = context;
    pthread_mutex_init(&queue->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&queue->news, &attributes);
    if (pthread_create(&queue->thread, NULL, run, queue) == 0)
        return queue;
    free(queue);
    return NULL;
}

bool work_queue_push(struct work_queue *queue, void *job)
{
    pthread_mutex_lock(&queue->lock);
    bool const fits = queue->count < queue->room && !queue->is_ending;
    if (fits)
        queue->works[queue->count++] = (struct queued_work){job, 0};
    pthread_mutex_unlock(&queue->lock);
    pthread_cond_signal(&queue->news);
    return fits;
}

void work_queue_end(struct work_queue *queue)
{
    if (!queue)
        return;
    pthread_mutex_lock(&queue->lock);
    queue->is_ending = true;
    pthread_mutex_unlock(&queue->lock);
    pthread_cond_signal(&queue->news);
    pthread_join(queue->thread, NULL);
}

void work_queue_destroy(struct work_queue *queue)
{
    if (!queue)
        return;
    pthread_cond_destroy(&queue->news);
    pthread_mutex_destroy(&queue->lock);
    free(queue);
}
