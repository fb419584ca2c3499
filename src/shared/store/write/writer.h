/* writer.h - the inside of a recording_writer, shared by writing and compacting. */
#pragma once

#include "store/chunks/cell_chunk.h"
#include "store/write/growing_file.h"
#include "store/write/recording_writer.h"
#include "store/chunks/tables.h"

struct stored_pin {
    enum pin_kind kind;
    uint64_t time_ns;
    string_id label;
    uint64_t offset; /* of its chunk; 0: none, because another peak took its place */
    uint64_t length;
    uint64_t written_at_ns; /* in the time of the recording */
};

/* What is in a file, as far as its writer must know. */
struct file_contents {
    struct table_cursor cursor;
    VEC(struct bucket) buckets;  /* heads; cell_count says how many cells are on disk */
    VEC(struct stored_pin) pins; /* pins[i] is recording->pins[i] */
    uint64_t dead_bytes;         /* replaced by something later */
};

struct recording_writer {
    char *path;
    uint64_t max_bytes;
    uint64_t asked_bytes; /* as it was before it had to be raised */
    bool cap_raised;      /* because not even the least fitted */
    struct growing_file file;
    struct write_behind *behind; /* NULL: all is written at once */
    struct file_contents contents;
    size_t buckets_done; /* of recording->buckets */
    struct chunk_packer *packer;
    struct chunk_draft draft;
    struct byte_buffer sealed, state;
    size_t needed_bytes; /* of the chunk that did not fit under the cap */
    bool finishing;
    unsigned failed_compactions, wait_appends; /* do not try in vain every second */
    struct copy *copy;                         /* under way, or NULL */
    unsigned copy_step, copy_wait;
};

/* Whether no more is written than there is, in the order of time. */
bool writer_is_valid(const struct recording_writer *writer, const struct recording *recording);

void file_contents_fini(struct file_contents *contents);

/* Rewrites the file at once, without what was replaced and with older buckets merged, as far as it
 * takes to have room for `needed_bytes`.  `recording` is adjusted: its written buckets become the
 * merged ones.  0, or -errno with everything as it was; -EFBIG when even the coarsest copy is too
 * large. */
int compact_file(struct recording_writer *writer, struct recording *recording, struct fault *fault);
/* Compacts ahead of need, a little at each append, because the recorder has no time to spare:
 * begins when the file has come to four fifths of its cap, or holds too many buckets. */
void compact_in_passing(struct recording_writer *writer, struct recording *recording);
/* At the end: rewrites the file without merging, when enough in it was replaced. */
void tidy_file(struct recording_writer *writer, struct recording *recording);

/* Merges the oldest unwritten buckets, so that failing for hours costs bounded memory. */
void pending_bound(struct recording *recording, size_t first_unwritten);
