/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel_events/perf_queue.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* Larger buffers are freed when the queue is empty. */
#define BYTES_KEPT ((size_t)4 << 20)

/* Samples have their time at a fixed offset, other records at a distance from their end. */
static uint64_t time_of(const struct perf_queue *queue, const char *bytes, size_t size)
{
    struct perf_event_header header;
    uint64_t time = 0;
    memcpy(&header, bytes, sizeof(header));
    size_t const at =
        header.type == PERF_RECORD_SAMPLE ? sizeof(header) + 16 : size - queue->time_from_end;
    if (at + sizeof(time) <= size)
        memcpy(&time, bytes + at, sizeof(time));
    return time;
}

int perf_queue_fill(struct perf_queue *queue, struct perf_ring *rings, unsigned ring_count)
{
    for (unsigned i = 0; i < ring_count; i++) {
        struct perf_ring *ring = &rings[i];
        for (uint64_t taken = 0; ring->head && taken < ring->bytes;) {
            if (!vec_reserve(&queue->bytes, PERF_RECORD_BYTES) || !vec_reserve(&queue->waiting, 1))
                return -ENOMEM;
            char *into = queue->bytes.items + queue->bytes.count;
            size_t const size = perf_ring_consume(ring, into);
            if (size == 0)
                break;
            (void)vec_push(&queue->waiting,
                           (struct perf_waiting){.time_ns = time_of(queue, into, size),
                                                 .offset = queue->bytes.count,
                                                 .size = size});
            queue->bytes.count += size;
            taken += size;
        }
    }
    return 0;
}

static int by_time(const void *left, const void *right)
{
    const struct perf_waiting *a = left, *b = right;
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? -1 : 1;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Drops the first `done` records, which are delivered, and moves the rest to the front. */
static void forget(struct perf_queue *queue, size_t done)
{
    size_t bytes = 0;
    for (size_t i = done; i < queue->waiting.count; i++)
        bytes += queue->waiting.items[i].size;
    char *kept = bytes ? malloc(bytes) : NULL;
    if (bytes && !kept) /* as if the ring had been full */
        queue->lost += queue->waiting.count - done;
    size_t at = 0, count = 0;
    for (size_t i = done; kept && i < queue->waiting.count; i++) {
        struct perf_waiting waiting = queue->waiting.items[i];
        memcpy(kept + at, queue->bytes.items + waiting.offset, waiting.size);
        waiting.offset = at;
        at += waiting.size;
        queue->waiting.items[count++] = waiting;
    }
    if (kept)
        memcpy(queue->bytes.items, kept, at);
    queue->bytes.count = at;
    queue->waiting.count = count;
    free(kept);
    if (count == 0 && queue->bytes.room > BYTES_KEPT)
        vec_free(&queue->bytes);
}

void perf_queue_deliver(struct perf_queue *queue, uint64_t until_ns, perf_queue_fn each,
                        void *context)
{
    size_t done = 0;
    if (queue->waiting.count)
        qsort(queue->waiting.items, queue->waiting.count, sizeof(struct perf_waiting), by_time);
    while (done < queue->waiting.count && queue->waiting.items[done].time_ns <= until_ns) {
        const struct perf_waiting *waiting = &queue->waiting.items[done++];
        each(context, queue->bytes.items + waiting->offset, waiting->size, waiting->time_ns);
    }
    forget(queue, done);
}

void perf_queue_fini(struct perf_queue *queue)
{
    vec_free(&queue->waiting);
    vec_free(&queue->bytes);
}
