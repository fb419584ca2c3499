/* arena.h - the recorder's side of the shared memory: makes it, and is known to live while it holds
 * it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "wire/arena.h"

struct arena {
    int fd;
    void *memory;
    struct arena_header *header;
};

/* Makes an empty arena and takes its lock for the calling thread, whose death then tells the tracer
 * that nobody reads any more. */
int arena_open(struct arena *arena, bool follow_children, struct fault *fault);
void arena_close(struct arena *arena);

/* The name by which a process of the same user maps it. */
void arena_path(const struct arena *arena, char *path, size_t size);
