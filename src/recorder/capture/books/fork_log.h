/* fork_log.h - what a process had when it forked, found out later: a log of forks, and of blocks
 * that were freed since.
 *
 * A child is seen at its first event, and most children have none: they execute another program.
 * So nothing is copied at a fork.  A block that was live at the fork is live now or is in this
 * log.  Only the newest forks and blocks are kept; an older fork is forgotten. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "capture/books/block_table.h"

struct fork_log;

struct fork_log *fork_log_create(void); /* NULL when out of memory. */
void fork_log_destroy(struct fork_log *log);

/* Adds a fork.  IDs count up. */
void fork_log_fork(struct fork_log *log, uint32_t id, uint64_t time_ns);
void fork_log_freed(struct fork_log *log, const struct block *block);

/* Returns whether the fork `id`, or a later one, has been seen. */
bool fork_log_has_passed(const struct fork_log *log, uint32_t id);

/* Finds the time of a fork.  Returns false if the fork is forgotten, or too many blocks were freed
 * since. */
bool fork_log_find(const struct fork_log *log, uint32_t id, uint64_t *time_ns);

/* Calls `visit` for every block freed since that fork, newest first; also blocks that were
 * allocated after it. */
void fork_log_visit(const struct fork_log *log, uint32_t id, block_visitor *visit, void *context);
