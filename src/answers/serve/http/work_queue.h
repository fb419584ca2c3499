/* work_queue.h - jobs that one thread does, one after the other, some of them not before a time.
 *
 * So whatever a request needs to read or work out neither blocks the network nor needs a lock. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct work_queue;

/* Does the job.  0 when it is done; else the monotonic time, in ns, when to call it again.  After work_queue_end
 * `is_ending` is true and it must be done at once. */
typedef uint64_t work_do(void *context, void *job, bool is_ending);

/* At most `room` jobs, of which half may be waiting for their time.  NULL when out of memory. */
struct work_queue *work_queue_create(size_t room, work_do *work, void *context);

/* false when the queue is full; the job is then not taken.  Any thread. */
bool work_queue_push(struct work_queue *queue, void *job);

/* Has all jobs done and ends the thread; from then on the queue counts as full.  NULL is allowed. */
void work_queue_end(struct work_queue *queue);
/* Frees it, after its end. */
void work_queue_destroy(struct work_queue *queue);
