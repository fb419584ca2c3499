/* write_behind.h - writes files in a thread of its own, so that other threads never wait for a
 * disk.
 *
 * Data waits in memory, up to a bound, until it is written.  After "disk full", writing is tried
 * again whenever more data comes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct write_behind;
struct late_file;

struct write_behind *write_behind_create(void); /* NULL on failure. */
/* Close all its files before. */
void write_behind_destroy(struct write_behind *behind);

/* The caller keeps owning the descriptor.  Returns NULL if out of memory. */
struct late_file *late_file_open(struct write_behind *behind, int fd);
/* Drops what is not written yet. */
void late_file_close(struct late_file *file);

/* Copies the data, to be written at `offset`.  Returns 0; -EBUSY if too much waits already;
 * -ENOMEM; or the error of earlier data that could not be written: that data is kept and tried
 * again, and everything after it waits. */
int late_file_put(struct late_file *file, const void *data, size_t size, uint64_t offset);

/* From now on, late_file_put waits for room instead of returning -EBUSY: for the end of a file,
 * where the caller cannot try again. */
void late_file_be_patient(struct late_file *file);

/* Returns whether data still waits. */
bool late_file_is_behind(struct late_file *file);

/* Waits until all is written.  Returns 0; or the error of data that could not be written, which is
 * dropped from offset *lost_from on. */
int late_file_settle(struct late_file *file, uint64_t *lost_from);
