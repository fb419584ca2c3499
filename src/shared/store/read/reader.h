/* reader.h - inside `store`: reads chunks into a recording, all at once or as the file grows.
 *
 *     reader_init, reader_check_header, then reader_read and reader_place; for a file that grows,
 *     again and again reader_look_again, reader_read, reader_place; at last reader_fini. */
#pragma once

#include "store/write/backing.h"
#include "store/chunks/tables.h"

struct pin_place {
    struct pin pin;
    uint64_t slot, offset;
};
/* A pin is written before the bucket in which it was, and counts once that is there too. */
struct pin_slot {
    struct pin_place newest;
    struct pin_place before; /* The one that it replaces; offset 0: none that counts. */
    uint64_t states;         /* Number of states that were read before `newest`. */
};

struct reader {
    struct recording *recording;
    struct backing *backing; /* Of the recording. */
    struct table_builder builder;
    struct chunk_scanner scanner;
    VEC(struct bucket) buckets; /* Read, not yet in the recording; in the order of the file. */
    VEC(struct pin_slot) pins;
    bool pins_changed;   /* What the recording has of them is not what counts. */
    bool ends_append;    /* The last chunk read was the last one of an append of the writer. */
    uint64_t states;     /* Number of states that were read. */
    bool has_later_pin;  /* A pin came after the last of them. */
    bool untold;         /* The recording has buckets that no state covers. */
    size_t told;         /* How many of `buckets` the last state covers. */
    uint64_t bad_chunks; /* Chunks with a right checksum and contents that make no sense. */
};

/* Takes ownership of the source, also on failure.  Returns 0; or -ENOMEM, with nothing to free. */
int reader_init(struct reader *reader, struct source source);
/* Frees the reader.  The recording and its file stay. */
void reader_fini(struct reader *reader);

/* Checks that the file is a recording.  A damaged file header is accepted if an intact chunk
 * follows.  Returns 0, or -errno with a sentence. */
int reader_check_header(struct reader *reader, struct fault *fault);

/* Reads the size of the file again.  Returns false if the file has not grown. */
bool reader_look_again(struct reader *reader);

/* Sets recording->being_written. */
void reader_look_for_writer(struct reader *reader);

/* Reads all intact chunks that follow, and sets recording->being_written: call it once after
 * reader_init, and after each reader_look_again that returned true.  Returns 0 or -ENOMEM. */
int reader_read(struct reader *reader);
/* Adds what was read to the recording: buckets in order, complete tables, pins.  While the file is
 * being written, buckets that no state covers yet are kept for the next call.  Returns 0 or
 * -ENOMEM. */
int reader_place(struct reader *reader);

/* Returns the number of damaged parts that were skipped.  If it is not 0, a growing file cannot be
 * followed: ids of rows that were made up for lost ones may appear again. */
uint64_t reader_damage(const struct reader *reader);
/* Returns the incomplete bytes at the end of the file, without those being written now. */
uint64_t reader_torn_bytes(const struct reader *reader);
