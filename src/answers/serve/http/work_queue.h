/* work_queue.h - jobs that one thread does one after the other, some of them not before a time.
 *
 * So the work of a request neither blocks the network thread nor needs a lock. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct work_queue;

/* Callback that does the job.  Returns 0 when the job is done; otherwise the monotonic time, in ns,
 * when to call it again.  When `is_ending` is true, the job must be done at once: the queue is
 * ending, or too many jobs wait for their time already. */
typedef uint64_t work_do(void *context, void *job, bool is_ending);

/* Creates a queue of at most `room` jobs, and its thread.  Half of the jobs may be waiting for
 * their time.  NULL when out of memory, or when no thread can be started. */
struct work_queue *work_queue_create(size_t room, work_do *work, void *context);

/* Appends a job.  Returns false when the queue is full or ending: the job is not queued.
 * Any thread. */
bool work_queue_push(struct work_queue *queue, void *job);

/* Does all remaining jobs and ends the thread; no job can be pushed afterwards.
 * NULL is allowed. */
void work_queue_end(struct work_queue *queue);
/* Frees the queue; call work_queue_end first.  NULL is allowed. */
void work_queue_destroy(struct work_queue *queue);
