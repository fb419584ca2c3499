/* block_log.h - a file with the history of blocks: read as a whole, and appended to by one follower
 * at a time.
 *
 * Each record is passed to the kernel with one write, so a killed follower loses no record and
 * leaves at most one incomplete line; block_log_sync writes the file to disk.  Opening an existing
 * file reads only its end, removes an incomplete last line, and continues after the last record. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "cluster/blocks/block_record.h"

struct block_log;

typedef int (*block_record_fn)(void *context, const struct block_record *record);

struct block_log_facts {
    uint64_t records, odd_lines; /* odd_lines: lines that are no records, and were skipped */
    uint64_t first_odd_line;     /* counted from 1; 0: none */
    char why_odd[160];
};
/* Calls `each` for every record in the order of the file; an incomplete last line counts as odd.
 * If `each` does not return 0, reading ends and that value is returned.  Otherwise returns 0 or
 * -errno with a sentence. */
int block_log_read(const char *path, block_record_fn each, void *context,
                   struct block_log_facts *facts, struct fault *fault);

/* Opens or creates `path`, and locks the file.  Calls `each` for the last records, about `tail_max`
 * of them, oldest first.  Returns NULL with a sentence if the file cannot be written, if another
 * process writes to it, or if it is no history. */
struct block_log *block_log_open(const char *path, size_t tail_max, block_record_fn each,
                                 void *context, struct fault *fault);
/* size of the incomplete line that was removed */
uint64_t block_log_repaired(const struct block_log *log);
uint64_t block_log_tail_read(const struct block_log *log); /* number of bytes read to resume */
int block_log_append(struct block_log *log, const struct block_record *record, struct fault *fault);
/* Appends a line for people: "# text". */
int block_log_note(struct block_log *log, const char *text, struct fault *fault);
/* Writes the file to disk, if anything was appended since the last time.  Another thread may call
 * only this function during the others: a disk is slow, and the thread that appends must not wait.
 * An error is returned by the next append. */
void block_log_sync(struct block_log *log);
/* Syncs and closes the file.  NULL is allowed.  Returns 0 or -errno with a sentence. */
int block_log_close(struct block_log *log, struct fault *fault);
