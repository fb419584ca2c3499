/* reader.h - inside `store`: chunks into a recording, at once or as they come.
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

struct reader {
    struct recording *recording;
    struct backing *backing; /* the recording's */
    struct table_builder builder;
    struct chunk_scanner scanner;
    VEC(struct bucket) buckets; /* read and not placed yet, as they stand in the file */
    VEC(struct pin_place) pins;
    bool pins_changed;
    bool ends_append;    /* the last chunk read is the last of what its writer wrote in one go */
    bool has_state;      /* one was read */
    bool has_later_pin;  /* and a pin since */
    bool untold;         /* buckets were placed that no state tells of */
    size_t told;         /* of `buckets`: those that the last state tells of */
    uint64_t bad_chunks; /* whole by their checksum, and still not understood */
};

/* Takes the source in every case.  0 or -ENOMEM; then nothing is left to free. */
int reader_init(struct reader *reader, struct source source);
/* Frees what was only for reading.  The recording stays, with its file. */
void reader_fini(struct reader *reader);

/* Is it ours?  A damaged file header is forgiven when a whole chunk follows it. */
int reader_check_header(struct reader *reader, struct fault *fault);

/* Looks how long the file is now.  False when it has not grown. */
bool reader_look_again(struct reader *reader);

/* Sets recording->being_written. */
void reader_look_for_writer(struct reader *reader);

/* Reads every whole chunk that follows: once after reader_init and after each reader_look_again
 * that was true.  0 or -ENOMEM.  Looks for the writer, too. */
int reader_read(struct reader *reader);
/* Makes what was read part of the recording: buckets in order, tables whole, pins loaded.  Of a
 * file that is being written, buckets that no state tells of yet are kept for the next time. */
int reader_place(struct reader *reader);

/* Stretches of the file that were skipped; ids of rows made up for them may be given again, so
 * what is placed once cannot be added to. */
uint64_t reader_damage(const struct reader *reader);
/* At its end, but for what is being written just now. */
uint64_t reader_torn_bytes(const struct reader *reader);
