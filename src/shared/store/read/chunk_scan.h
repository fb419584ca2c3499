/* chunk_scan.h - the whole chunks of a file, one after the other, around damaged parts. */
#pragma once

#include "store/chunks/chunk.h"
#include "store/read/source.h"

struct found_chunk {
    uint64_t offset; /* of its header */
    struct chunk_header header;
    const uint8_t *payload; /* whole; valid until the source is used again */
};

struct chunk_scanner {
    struct source *source;
    uint64_t at;         /* where to go on */
    uint64_t damaged;    /* stretches skipped between whole chunks */
    uint64_t torn_bytes; /* at the end, behind the last whole chunk */
    uint64_t hashed;
};

/* The next whole chunk from scanner->at; false at the end, with torn_bytes told. */
bool chunk_scan_next(struct chunk_scanner *scanner, struct found_chunk *found);

/* The chunk at exactly `offset`; false when there is no whole one. */
bool chunk_at(struct source *source, uint64_t offset, struct found_chunk *found);
