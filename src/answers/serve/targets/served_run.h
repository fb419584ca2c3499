/* served_run.h - the folder of a run that is served, looked at again while memoir watch writes
 * into it.
 *
 * A look lists the whole folder, and the memory of all nodes is read anew after it; so both
 * together are done in at most one part in ten of the time, and no more than once a second.  One
 * thread at a time. */
#pragma once

#include "cluster/ram/ram.h"

struct served_run;

/* NULL with a sentence: no folder, or nothing of a run in it, unless somebody is about to write
 * one. */
struct served_run *served_run_open(const char *path, struct fault *fault);
void served_run_close(struct served_run *run); /* NULL is allowed */

/* Looks again if it is time, and something may have been written since. */
void served_run_look(struct served_run *run);

/* As of the last look, until the next; NULL: there is nothing in it yet. */
const struct run *served_run_content(const struct served_run *run);
/* Returns whether memoir watch had it open to write at the last look. */
bool served_run_is_written(const struct served_run *run);
/* Grows whenever there may be more than before. */
uint64_t served_run_version(const struct served_run *run);
/* Its folder without those above it. */
const char *served_run_name(const struct served_run *run);

/* Returns the memory of all its nodes, as memoir ram has it; until the next look.  NULL with a
 * sentence. */
const struct ram *served_run_ram(struct served_run *run, struct fault *fault);

/* Unix time of the first capture: all times of its nodes count from there.  0: not known yet. */
int64_t served_run_begin_us(const struct served_run *run);
int64_t served_run_end_us(const struct served_run *run); /* of the last one */
