/* served_run.h - the folder of a served run, read again while memoir watch writes to it.
 *
 * Reading lists the whole folder, and then the memory of all nodes is read.  Both together take at
 * most one tenth of the time, and happen at most once a second.  Only one thread at a time may call
 * these functions. */
#pragma once

#include "cluster/ram/ram.h"

struct served_run;

/* Opens a run.  Returns NULL with a sentence if there is no folder, or if the folder has nothing of
 * a run and no writer has opened it. */
struct served_run *served_run_open(const char *path, struct fault *fault);
void served_run_close(struct served_run *run); /* NULL is allowed */

/* Reads the folder again if it is time to, and something may have changed. */
void served_run_look(struct served_run *run);

/* Returns the content at the last look, valid until the next one; NULL: there is nothing yet. */
const struct run *served_run_content(const struct served_run *run);
/* Returns whether memoir watch had the run open for writing at the last look. */
bool served_run_is_written(const struct served_run *run);
/* Returns a number that grows whenever the run may have grown. */
uint64_t served_run_version(const struct served_run *run);
/* Returns the name of the folder, without the path. */
const char *served_run_name(const struct served_run *run);

/* Returns the memory of all nodes, as memoir ram has it; valid until the next look.  NULL with a
 * sentence. */
const struct ram *served_run_ram(struct served_run *run, struct fault *fault);

/* Returns the Unix time of the first capture, from which the times of all nodes count; 0: not known
 * yet. */
int64_t served_run_begin_us(const struct served_run *run);
int64_t served_run_end_us(const struct served_run *run); /* of the last capture */
