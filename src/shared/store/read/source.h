/* source.h - where the bytes of a recording come from: a file, or memory. */
#pragma once

#include <stdint.h>

#include "base/bytes.h"

struct source {
    int fd; /* -1: all of it is in `window` */
    uint64_t size;
    struct byte_buffer window; /* the bytes [window_at, window_at + window.size) */
    uint64_t window_at;
};

/* The bytes [offset, offset + size), until the next call; NULL when they are not (all) there,
 * cannot be read, or memory ran out.  Small requests that follow each other are read in one go. */
const uint8_t *source_view(struct source *source, uint64_t offset, size_t size);
/* Looks again how long the file is; true when it has grown. */
bool source_refresh(struct source *source);
void source_fini(struct source *source); /* closes the file */
