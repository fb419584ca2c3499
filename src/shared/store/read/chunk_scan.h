/* chunk_scan.h - finds the intact chunks of a file, one after the other; skips damaged parts. */
#pragma once

#include "store/chunks/chunk.h"
#include "store/read/source.h"

struct found_chunk {
    uint64_t offset; /* of its header */
    struct chunk_header header;
    const uint8_t *payload; /* Intact; valid until the source is used again. */
};

struct chunk_scanner {
    struct source *source;
    uint64_t at;         /* Where to continue. */
    uint64_t damaged;    /* Number of parts skipped between intact chunks. */
    uint64_t torn_bytes; /* Bytes at the end, after the last intact chunk. */
    uint64_t hashed;
};

/* Finds the next intact chunk from scanner->at on.  Returns false at the end, and sets
 * torn_bytes. */
bool chunk_scan_next(struct chunk_scanner *scanner, struct found_chunk *found);

/* Reads the chunk at exactly `offset`.  Returns false if there is no intact one. */
bool chunk_at(struct source *source, uint64_t offset, struct found_chunk *found);
