/* fork_log.h - what a process had when it forked, found out later: the forks, and the blocks
 * that were freed since.
 *
 * A child tells of itself by its first event, and most never do: they become another program.
 * So nothing is copied at a fork.  What was live then is live now, but for blocks that came
 * later and those in this log.  Only the newest of each are kept; an older fork is forgotten. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "capture/books/block_table.h"

struct fork_log;

struct fork_log *fork_log_create(void); /* NULL when out of memory */
void fork_log_destroy(struct fork_log *log);

/* A fork.  Numbers count up. */
void fork_log_fork(struct fork_log *log, uint32_t id, uint64_t time_ns);
void fork_log_freed(struct fork_log *log, const struct block *block);

/* Whether the fork `id`, or a later one, has been seen. */
bool fork_log_has_passed(const struct fork_log *log, uint32_t id);

/* When it was; false when that fork is forgotten, or with too many blocks freed since. */
bool fork_log_find(const struct fork_log *log, uint32_t id, uint64_t *time_ns);

/* Every block freed since that fork, newest first, also those that came after it. */
void fork_log_visit(const struct fork_log *log, uint32_t id, block_visitor *visit, void *context);
