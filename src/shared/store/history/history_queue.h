/* history_queue.h - a history that is written by a thread of its own, so that no other thread waits
 * for a disk.
 *
 * At most HISTORY_QUEUE_MAX snapshots wait; further ones are left out and counted. */
#pragma once

#include <stdbool.h>

#include "store/history/history.h"

#define HISTORY_QUEUE_MAX 64

struct history_queue;

/* Finds out whether the history can be written, and closes it again: it is opened by the first
 * snapshot, for a recorder that starts a program closes what is open.  NULL with `fault`. */
struct history_queue *history_queue_create(const char *path, struct fault *fault);

/* Copies the snapshot and returns at once. */
void history_queue_add(struct history_queue *queue, const struct history_snapshot *snapshot);

/* The first thing that went wrong since the last success, told once; false when there is nothing
 * to tell. */
bool history_queue_fault(struct history_queue *queue, struct fault *fault);

/* Writes what waits (giving up when it cannot), and closes.  How many snapshots were left out in
 * all. */
uint64_t history_queue_finish(struct history_queue *queue);
