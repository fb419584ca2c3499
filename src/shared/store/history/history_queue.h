/* history_queue.h - writes a history in a thread of its own, so no other thread waits for the disk.
 *
 * At most HISTORY_QUEUE_MAX snapshots wait; further ones are dropped and counted. */
#pragma once

#include <stdbool.h>

#include "store/history/history.h"

#define HISTORY_QUEUE_MAX 64

struct history_queue;

/* Checks that the history can be written.  The file is opened again by the first snapshot, because
 * a recorder that starts a program closes open files.  Returns NULL with `fault`. */
struct history_queue *history_queue_create(const char *path, struct fault *fault);

/* Copies the snapshot and returns at once. */
void history_queue_add(struct history_queue *queue, const struct history_snapshot *snapshot);

/* Returns each failure once: fills `fault` with the first one since the last success; false if
 * there is none. */
bool history_queue_fault(struct history_queue *queue, struct fault *fault);

/* Writes what waits, unless that fails, and closes.  Returns the number of dropped snapshots. */
uint64_t history_queue_finish(struct history_queue *queue);
