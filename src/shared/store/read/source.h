/* source.h - the bytes of a recording: a file, or memory. */
#pragma once

#include <stdint.h>

#include "base/bytes.h"

struct source {
    int fd; /* -1: all bytes are in `window`. */
    uint64_t size;
    struct byte_buffer window; /* the bytes [window_at, window_at + window.size) */
    uint64_t window_at;
};

/* Returns the bytes [offset, offset + size), valid until the next call; NULL if the source is too
 * short, cannot be read, or memory ran out.  Reads ahead, so many small requests cost few reads. */
const uint8_t *source_view(struct source *source, uint64_t offset, size_t size);
/* Reads the size of the file again; returns whether the file has grown. */
bool source_refresh(struct source *source);
void source_fini(struct source *source); /* Closes the file. */
