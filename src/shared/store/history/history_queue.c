/* SPDX-License-Identifier: Apache-2.0 */
#include "store/history/history_queue.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"

#define LAST_PATIENCE_MS 1000

/* A snapshot with all its texts in one block. */
struct history_copy {
    struct history_snapshot snapshot;
    struct history_value *values;
    char *texts;
};

struct history_queue {
    char *path;
    struct history *history; /* the thread's alone; NULL: not open */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct history_copy *waiting[HISTORY_QUEUE_MAX]; /* a ring */
    size_t first, count;
    bool ends, is_failing, has_news;
    struct fault news;
    uint64_t left_out;
};

static void copy_free(struct history_copy *copy)
{
    if (!copy)
        return;
    free(copy->values);
    free(copy->texts);
    free(copy);
}

static size_t text_size(const char *text)
{
    return text ? strlen(text) + 1 : 1;
}

static const char *put_text(char **at, const char *text)
{
    char *begin = *at;
    size_t const size = text_size(text);
    memcpy(begin, text ? text : "", size);
    *at += size;
    return begin;
}

static struct history_copy *copy_make(const struct history_snapshot *from)
{
    size_t size = text_size(from->service) + text_size(from->host) + text_size(from->program) +
                  text_size(from->source);
    for (size_t i = 0; i < from->count; i++)
        size += text_size(from->values[i].name);
    struct history_copy *copy = calloc(1, sizeof(*copy));
    if (copy) {
        copy->texts = malloc(size);
        copy->values = calloc(from->count + 1, sizeof(*copy->values));
    }
    if (!copy || !copy->texts || !copy->values) {
        copy_free(copy);
        return NULL;
    }
    char *at = copy->texts;
    copy->snapshot = *from;
    copy->snapshot.service = put_text(&at, from->service);
    copy->snapshot.host = put_text(&at, from->host);
    copy->snapshot.program = put_text(&at, from->program);
    copy->snapshot.source = put_text(&at, from->source);
    for (size_t i = 0; i < from->count; i++) {
        copy->values[i] = from->values[i];
        copy->values[i].name = put_text(&at, from->values[i].name);
    }
    copy->snapshot.values = copy->values;
    INVARIANT(at == copy->texts + size);
    return copy;
}

/* What became of one.  The lock is held. */
static void note(struct history_queue *queue, int err, const struct fault *fault)
{
    if (err && !queue->is_failing) {
        queue->news = *fault;
        queue->has_news = true;
    }
    queue->left_out += err != 0;
    queue->is_failing = err != 0;
}

/* A history that fails is opened anew by the next one: it may be another file by then. */
static int write_one(struct history_queue *queue, const struct history_snapshot *snapshot,
                     bool last, struct fault *fault)
{
    if (!queue->history)
        queue->history = history_open(queue->path, fault);
    if (!queue->history)
        return fault->code ? fault->code : -EIO;
    if (last)
        history_set_patience(queue->history, LAST_PATIENCE_MS);
    int const err = history_add(queue->history, snapshot, fault);
    if (err && err != -EBUSY) {
        history_close(queue->history);
        queue->history = NULL;
    }
    return err;
}

static void *work(void *context)
{
    struct history_queue *queue = context;
    pthread_mutex_lock(&queue->lock);
    for (;;) {
        while (queue->count == 0 && !queue->ends)
            pthread_cond_wait(&queue->changed, &queue->lock);
        if (queue->count == 0 || (queue->ends && queue->is_failing))
            break;
        struct history_copy *copy = queue->waiting[queue->first];
        INVARIANT(copy && queue->first < HISTORY_QUEUE_MAX);
        struct fault fault = {.text = ""};
        bool const last = queue->ends;
        queue->first = (queue->first + 1) % HISTORY_QUEUE_MAX;
        queue->count--;
        pthread_mutex_unlock(&queue->lock);
        int const err = write_one(queue, &copy->snapshot, last, &fault);
        copy_free(copy);
        pthread_mutex_lock(&queue->lock);
        note(queue, err, &fault);
    }
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

/* Signals are the recorder's business, in its own thread. */
static int start(struct history_queue *queue)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int const err = pthread_create(&queue->thread, NULL, work, queue);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return err;
}

struct history_queue *history_queue_create(const char *path, struct fault *fault)
{
    struct history *history = history_open(path, fault);
    if (!history)
        return NULL;
    history_close(history);
    struct history_queue *queue = calloc(1, sizeof(*queue));
    if (queue) {
        queue->path = realpath(path, NULL); /* also when somebody changes the folder */
        pthread_mutex_init(&queue->lock, NULL);
        pthread_cond_init(&queue->changed, NULL);
    }
    if (queue && queue->path && start(queue) == 0)
        return queue;
    if (queue)
        free(queue->path);
    free(queue);
    fault_set(fault, -ENOMEM, "out of memory before writing to the history %s", path);
    return NULL;
}

void history_queue_add(struct history_queue *queue, const struct history_snapshot *snapshot)
{
    struct history_copy *copy = copy_make(snapshot);
    pthread_mutex_lock(&queue->lock);
    if (!copy || queue->count == HISTORY_QUEUE_MAX) {
        queue->left_out++;
        copy_free(copy);
    } else {
        INVARIANT(queue->count < HISTORY_QUEUE_MAX && !queue->ends);
        queue->waiting[(queue->first + queue->count++) % HISTORY_QUEUE_MAX] = copy;
        pthread_cond_signal(&queue->changed);
    }
    pthread_mutex_unlock(&queue->lock);
}

bool history_queue_fault(struct history_queue *queue, struct fault *fault)
{
    pthread_mutex_lock(&queue->lock);
    bool const has_news = queue->has_news;
    if (has_news)
        *fault = queue->news;
    queue->has_news = false;
    pthread_mutex_unlock(&queue->lock);
    return has_news;
}

uint64_t history_queue_finish(struct history_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->ends = true;
    pthread_cond_signal(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    pthread_join(queue->thread, NULL);
    INVARIANT(queue->count <= HISTORY_QUEUE_MAX);
    uint64_t const left_out = queue->left_out + queue->count;
    for (; queue->count > 0; queue->count--) {
        copy_free(queue->waiting[queue->first]);
        queue->first = (queue->first + 1) % HISTORY_QUEUE_MAX;
    }
    history_close(queue->history);
    pthread_mutex_destroy(&queue->lock);
    pthread_cond_destroy(&queue->changed);
    free(queue->path);
    free(queue);
    return left_out;
}
