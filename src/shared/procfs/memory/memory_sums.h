/* memory_sums.h - the resident memory of a process by kind, from /proc/PID/smaps. */
#pragma once

#include <stdint.h>

struct memory_sums {
    uint64_t rss_bytes;  /* All. */
    uint64_t heap_bytes; /* Of [heap]. */
    /* Of other private memory without a file, main stacks aside: mmapped heaps, thread stacks. */
    uint64_t anonymous_bytes;
};

/* Adds up line by line.  All zero to begin. */
struct memory_summing {
    struct memory_sums sums;
    uint64_t *kind; /* The sum for the current mapping, or NULL. */
};
void memory_sums_add(struct memory_summing *summing, const char *line);

/* Returns 0 or -errno. */
int memory_sums_read(uint32_t pid, struct memory_sums *sums);
