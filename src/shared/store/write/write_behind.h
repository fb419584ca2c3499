/* write_behind.h - writes to files in a thread of its own, so that a thread with something to write
 * never waits for a disk.
 *
 * What is handed over is kept in memory, up to a bound, until it is written.  A disk that is
 * full is tried again whenever there is more to write. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct write_behind;
struct late_file;

struct write_behind *write_behind_create(void); /* NULL: cannot */
/* All its files must be closed. */
void write_behind_destroy(struct write_behind *behind);

/* A file whose descriptor stays the caller's.  NULL when out of memory. */
struct late_file *late_file_open(struct write_behind *behind, int fd);
/* What is not written yet is dropped. */
void late_file_close(struct late_file *file);

/* Will be written at `offset`.  0; -EBUSY when too much waits already; or the error of what was
 * handed over before and could not be written: that is kept, tried again, and stands in the way
 * of everything after it.  -ENOMEM. */
int late_file_put(struct late_file *file, const void *data, size_t size, uint64_t offset);

/* From now on a put waits for room instead of -EBUSY: for the end of a file, which cannot
 * put a second time. */
void late_file_be_patient(struct late_file *file);

/* Whether something is not written yet. */
bool late_file_is_behind(struct late_file *file);

/* Waits until all is written; or gives up what cannot be, tells where that begins, and returns
 * the error. */
int late_file_settle(struct late_file *file, uint64_t *lost_from);
