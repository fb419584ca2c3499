/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/pages/pss_reader.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/vec.h"
#include "procfs/process/process_facts.h"
#include "procfs/memory/proportional.h"

#define EVERY_NS NS_PER_SECOND /* in the long run */
/* Soonest after the read before; then after as long as that read took, so that short runs have
 * some. */
#define SOONEST_NS 50000000ull

struct subject {
    uint32_t pid;
    int64_t bytes; /* 0: nothing new */
    uint64_t since_ns, due_ns;
};

struct pss_reader {
    pthread_t thread;
    pthread_mutex_t lock; /* never held during a read */
    pthread_cond_t changed;
    VEC(struct subject) subjects;
    uint64_t rest_ns; /* until then it is not its turn, whoever is due */
    bool stop;
};

static struct subject *find(struct pss_reader *reader, uint32_t pid)
{
    vec_each (subject, &reader->subjects)
        if (subject->pid == pid)
            return subject;
    return NULL;
}

/* The one that has waited longest. */
static struct subject *find_next(struct pss_reader *reader)
{
    struct subject *next = NULL;
    vec_each (subject, &reader->subjects)
        if (!next || subject->due_ns < next->due_ns)
            next = subject;
    return next;
}

static int64_t read_bytes(uint32_t pid)
{
    int64_t const rss = process_memory(pid).rss_bytes;
    int64_t const bytes = rss > 0 && rss <= PSS_RSS_MOST ? proportional_read(pid) : -1;
    return bytes > 0 ? bytes : 0;
}

/* Called with the lock held, and given up meanwhile: the list may be another one afterwards. */
static void read_one(struct pss_reader *reader, uint32_t pid)
{
    pthread_mutex_unlock(&reader->lock);
    uint64_t const began = monotonic_ns();
    int64_t const bytes = read_bytes(pid);
    uint64_t const now = monotonic_ns();
    pthread_mutex_lock(&reader->lock);
    struct subject *subject = find(reader, pid);
    reader->rest_ns = now + (now - began) * PSS_SHARE;
    if (!subject)
        return;
    uint64_t const age = now - subject->since_ns;
    uint64_t const pause = age < SOONEST_NS ? SOONEST_NS : age < EVERY_NS ? age : EVERY_NS;
    subject->due_ns = now + pause;
    if (bytes > 0)
        subject->bytes = bytes;
}

static void *read_all(void *context)
{
    struct pss_reader *reader = context;
    setpriority(PRIO_PROCESS, (id_t)gettid(),
                0); /* not behind others: the process may wait for us */
    pthread_mutex_lock(&reader->lock);
    while (!reader->stop) {
        const struct subject *next = find_next(reader);
        if (!next) {
            pthread_cond_wait(&reader->changed, &reader->lock);
            continue;
        }
        uint64_t const at = next->due_ns > reader->rest_ns ? next->due_ns : reader->rest_ns;
        if (monotonic_ns() >= at) {
            read_one(reader, next->pid);
            continue;
        }
        struct timespec const until = {(time_t)(at / NS_PER_SECOND), (long)(at % NS_PER_SECOND)};
        pthread_cond_timedwait(&reader->changed, &reader->lock, &until);
    }
    pthread_mutex_unlock(&reader->lock);
    return NULL;
}

struct pss_reader *pss_reader_create(void)
{
    pthread_condattr_t attributes;
    struct pss_reader *reader = calloc(1, sizeof(*reader));
    if (!reader)
        return NULL;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&reader->lock, NULL);
    pthread_cond_init(&reader->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    if (pthread_create(&reader->thread, NULL, read_all, reader) == 0)
        return reader;
    pthread_cond_destroy(&reader->changed);
    pthread_mutex_destroy(&reader->lock);
    free(reader);
    return NULL;
}

void pss_reader_destroy(struct pss_reader *reader)
{
    if (!reader)
        return;
    pthread_mutex_lock(&reader->lock);
    reader->stop = true;
    pthread_cond_broadcast(&reader->changed);
    pthread_mutex_unlock(&reader->lock);
    pthread_join(reader->thread, NULL);
    vec_free(&reader->subjects);
    pthread_cond_destroy(&reader->changed);
    pthread_mutex_destroy(&reader->lock);
    free(reader);
}

int64_t pss_reader_collect(struct pss_reader *reader, uint32_t pid)
{
    int64_t bytes = 0;
    if (!reader || pid == 0)
        return 0;
    pthread_mutex_lock(&reader->lock);
    struct subject *subject = find(reader, pid);
    if (subject) {
        bytes = subject->bytes;
        subject->bytes = 0;
    } else if (reader->subjects.count < PSS_PIDS_MAX) {
        uint64_t const now = monotonic_ns();
        if (vec_push(&reader->subjects,
                     (struct subject){.pid = pid, .since_ns = now, .due_ns = now}))
            pthread_cond_broadcast(&reader->changed);
    }
    pthread_mutex_unlock(&reader->lock);
    return bytes;
}

void pss_reader_forget(struct pss_reader *reader, uint32_t pid)
{
    if (!reader)
        return;
    pthread_mutex_lock(&reader->lock);
    struct subject *subject = find(reader, pid);
    if (subject)
        *subject = reader->subjects.items[--reader->subjects.count];
    pthread_mutex_unlock(&reader->lock);
}
