/* block_record.h - one block of a chain as a node reported it, and its line in a history of blocks.
 *
 * A line is base64 of a MessagePack map, as the original scripts write and read it:
 *     block      the header, a map: rnd (height), ts (Unix seconds of the proposer), tc
 *                (number of transactions so far), and the other fields of the chain
 *     _time      float64: Unix seconds of the arrival; of the writing if the arrival is not known
 * Other programs ignore the following keys of our own:
 *     _ns        the time of _time in nanoseconds, of a clock that never goes back during one run
 *                of the follower
 *     _within    nanoseconds: the block arrived at most this long before; missing if the block
 *                was fetched later
 *     _replaces  the hash that this height had before: the chain was reorganised
 * Chains without a total number of transactions have ntx (transactions of this block); their tc
 * counts from the beginning of the file.  Empty lines and lines that begin with # are ignored. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/slice.h"
#include "formats/encodings/msgpack.h"

#define BLOCK_HASH_MAX 100u
/* A header has some hundred bytes; something much larger is no header. */
#define BLOCK_LINE_MAX ((size_t)4 << 20)

struct block_header {
    uint64_t height;
    int64_t time_s; /* Unix time from the proposer; 0: not given */
    bool has_total, has_count;
    uint64_t transactions_total;                       /* total, including this block */
    uint64_t transactions;                             /* in this block */
    char hash[BLOCK_HASH_MAX], parent[BLOCK_HASH_MAX]; /* "" if the header does not have it */
    char genesis[BLOCK_HASH_MAX];                      /* identifies the chain; "" if not known */
    struct slice fields; /* the header as a MessagePack map; not owned */
};

struct block_record {
    struct block_header header;
    int64_t arrival_ns; /* Unix time */
    int64_t within_ns;  /* -1: the arrival time is not known */
    bool is_ours;       /* the record has _ns, so within_ns is valid */
    char replaces[BLOCK_HASH_MAX];
};

/* Parses the MessagePack map of a header.  Fields of unexpected types are skipped.  Returns 0; or
 * -EINVAL with a sentence if this is no map or no header. */
int block_header_parse(struct slice map, struct block_header *header, struct fault *fault);

/* Appends the map of the header: its fields, and tc if `has_total` and the fields have none.
 * Without fields, appends a small map. */
void block_header_write(struct msgpack_out *out, const struct block_header *header);
/* Appends the line of the record, with its newline. */
void block_record_write(struct msgpack_out *line, const struct block_record *record);

/* Parses one line, without its newline.  Returns 1, with *record filled and its fields in
 * `scratch`; 0 for a comment or an empty line; -EINVAL or -EMSGSIZE with a sentence.  Resets
 * `scratch` first. */
int block_record_parse(struct slice line, struct msgpack_out *scratch, struct block_record *record,
                       struct fault *fault);
