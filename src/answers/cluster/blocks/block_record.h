/* block_record.h - one block of a chain as a node told it, and its line in a history of blocks.
 *
 * A line is base64 of a MessagePack map, as the original scripts write it and read it:
 *     block      the header, a map: rnd (height), ts (Unix seconds of the proposer), tc
 *                (transactions so far) and all else that the chain has
 *     _time      float64: Unix seconds of the arrival, or of the writing when that is not known
 * and of ours, which others pass over:
 *     _ns        the same in nanoseconds, of a clock that never goes back during one run of the
 *                follower
 *     _within    nanoseconds: the block arrived at most that long before; missing when the block
 *                was fetched later
 *     _replaces  the hash that this height had before: the chain was reorganised
 * Chains without a counter of transactions have ntx (those of this block); their tc counts from
 * the beginning of the file. Empty lines and lines that begin with # say nothing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/slice.h"
#include "formats/encodings/msgpack.h"

#define BLOCK_HASH_MAX 100u
/* A header is some hundred bytes; what is far beyond is no header. */
#define BLOCK_LINE_MAX ((size_t)4 << 20)

struct block_header {
    uint64_t height;
    int64_t time_s; /* Unix time, by the proposer; 0: it says none */
    bool has_total, has_count;
    uint64_t transactions_total; /* ever, after this block */
    uint64_t transactions;       /* in this block */
    char hash[BLOCK_HASH_MAX],
        parent[BLOCK_HASH_MAX];   /* "" when the chain does not tell it in the header */
    char genesis[BLOCK_HASH_MAX]; /* what chain it is; "" when not told */
    struct slice fields;          /* the header as a MessagePack map; not owned */
};

struct block_record {
    struct block_header header;
    int64_t arrival_ns; /* Unix time */
    int64_t within_ns;  /* -1: not known when it arrived */
    bool is_ours;       /* has _ns: within_ns means something */
    char replaces[BLOCK_HASH_MAX];
};

/* From the MessagePack map of a header.  Fields of other types than they should be are passed over.
 * Returns 0 or -EINVAL with a sentence: no map, no sense. */
int block_header_parse(struct slice map, struct block_header *header, struct fault *fault);

/* Appends the header's map: its fields, and tc if `has_total` and they have none.  Without
 * fields a small one is made. */
void block_header_write(struct msgpack_out *out, const struct block_header *header);
/* Appends the line, with its newline. */
void block_record_write(struct msgpack_out *line, const struct block_record *record);

/* One line without its newline.  1: *record is filled, its fields are in `scratch`; 0: a comment
 * or nothing; -EINVAL or -EMSGSIZE with a sentence. `scratch` is reset first. */
int block_record_parse(struct slice line, struct msgpack_out *scratch, struct block_record *record,
                       struct fault *fault);
