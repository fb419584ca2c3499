/* memory_sums.h - what is resident of a process, by kind, from /proc/PID/smaps. */
#pragma once

#include <stdint.h>

struct memory_sums {
    uint64_t rss_bytes;  /* all */
    uint64_t heap_bytes; /* of [heap] */
    /* of private memory without a file that is neither [heap] nor a main stack: other heaps, and
     * stacks of threads */
    uint64_t anonymous_bytes;
};

/* Adds up one line after the other; zero it to begin. */
struct memory_summing {
    struct memory_sums sums;
    uint64_t *kind; /* of the mapping that the lines are about, or NULL */
};
void memory_sums_add(struct memory_summing *summing, const char *line);

/* 0 or -errno. */
int memory_sums_read(uint32_t pid, struct memory_sums *sums);
