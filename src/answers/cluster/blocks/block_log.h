/* block_log.h - a history of blocks as a file: read whole, and appended to by one follower at a
 * time.
 *
 * Each record is handed to the kernel by one write, so that a killed follower loses nothing and
 * leaves at most one torn line; block_log_sync brings it to the disk.  Opening an old file reads
 * its end only, takes a torn last line away, and goes on after the last record. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "cluster/blocks/block_record.h"

struct block_log;

typedef int (*block_record_fn)(void *context, const struct block_record *record);

struct block_log_facts {
    uint64_t records, odd_lines; /* lines that are no records were passed over */
    uint64_t first_odd_line;     /* from 1; 0: none */
    char why_odd[160];
};
/* Calls `each` for every record in the order of the file; a torn last line counts as odd.  What
 * `each` returns other than 0 ends it and is returned. Returns 0 or -errno with a sentence. */
int block_log_read(const char *path, block_record_fn each, void *context,
                   struct block_log_facts *facts, struct fault *fault);

/* Opens or makes `path` and locks it.  `each` is called for the last records of it, about
 * `tail_max` of them, oldest first.  NULL with a sentence: it cannot be written, another
 * process writes it, or the file is no history. */
struct block_log *block_log_open(const char *path, size_t tail_max, block_record_fn each,
                                 void *context, struct fault *fault);
uint64_t block_log_repaired(const struct block_log *log);  /* bytes of a torn line taken away */
uint64_t block_log_tail_read(const struct block_log *log); /* bytes read to resume */
int block_log_append(struct block_log *log, const struct block_record *record, struct fault *fault);
/* A line for people: "# text". */
int block_log_note(struct block_log *log, const char *text, struct fault *fault);
/* To the disk, if something was written since.  The only one that another thread may call
 * meanwhile: a disk is slow, and a caller that appends must not wait.  An error is reported
 * by the next append. */
void block_log_sync(struct block_log *log);
/* Syncs and closes.  NULL is allowed. */
int block_log_close(struct block_log *log, struct fault *fault);
