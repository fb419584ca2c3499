/* writer.h - inside `store`: the recording_writer, shared by writing and compacting. */
#pragma once

#include "store/chunks/cell_chunk.h"
#include "store/write/growing_file.h"
#include "store/write/recording_writer.h"
#include "store/chunks/tables.h"

struct stored_pin {
    enum pin_kind kind;
    uint64_t time_ns;
    string_id label;
    uint64_t offset; /* Of its chunk; 0: none, because a later peak replaced it. */
    uint64_t length;
    uint64_t written_at_ns; /* Since the recording began. */
};

/* What the writer must know about the contents of its file. */
struct file_contents {
    struct table_cursor cursor;
    VEC(struct bucket) buckets;  /* heads; cell_count says how many cells are on disk */
    VEC(struct stored_pin) pins; /* pins[i] is recording->pins[i] */
    uint64_t dead_bytes;         /* Replaced by later chunks. */
};

struct recording_writer {
    char *path;
    uint64_t max_bytes;
    uint64_t asked_bytes; /* The cap that the user asked for. */
    bool cap_raised;      /* The cap had no room for the least that is needed. */
    struct growing_file file;
    struct write_behind *behind; /* NULL: all is written at once */
    struct file_contents contents;
    size_t buckets_done; /* of recording->buckets */
    struct chunk_packer *packer;
    struct chunk_draft draft;
    struct byte_buffer sealed, state;
    size_t needed_bytes; /* of the chunk that did not fit under the cap */
    bool finishing;
    unsigned failed_compactions, wait_appends; /* After failures, compacting waits longer. */
    struct copy *copy;                         /* under way, or NULL */
    unsigned copy_step, copy_wait;
};

/* Returns whether at most all buckets count as written, and those in the file are in order of
 * time. */
bool writer_is_valid(const struct recording_writer *writer, const struct recording *recording);

void file_contents_fini(struct file_contents *contents);

/* Rewrites the file at once, without replaced chunks and with older buckets merged as far as needed
 * for `needed_bytes` of room.  The written buckets of `recording` become the merged ones.  Returns
 * 0; or -errno with nothing changed, -EFBIG if even the coarsest copy is too large. */
int compact_file(struct recording_writer *writer, struct recording *recording, struct fault *fault);
/* Compacts ahead of need, one step at each append, because the recorder has no time to spare.
 * Begins when the file has reached four fifths of its cap, or has too many buckets. */
void compact_in_passing(struct recording_writer *writer, struct recording *recording);
/* At the end: rewrites the file without merging, if enough of it was replaced. */
void tidy_file(struct recording_writer *writer, struct recording *recording);

/* Merges the oldest unwritten buckets, so that hours of failure cost bounded memory. */
void pending_bound(struct recording *recording, size_t first_unwritten);
