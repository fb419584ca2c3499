/* perf_ring.h - the buffer that the kernel writes the perf events of one processor into. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_event_mmap_page;

struct perf_ring {
    struct perf_event_mmap_page *head; /* NULL: the ring is not open. */
    size_t bytes;                      /* Size of the buffer for records, a power of two. */
};

/* Maps the ring of the perf event `fd`.  `bytes` is a power of two, at least a page.  0 or -errno:
 * -EPERM if that would lock more memory than this user may lock. */
int perf_ring_open(struct perf_ring *ring, int fd, size_t bytes);
void perf_ring_close(struct perf_ring *ring);

/* Bytes that all rings of this user may have together, according to the system's settings;
 * SIZE_MAX: no limit. */
size_t perf_ring_allowance(void);

/* Copies the next record, at most PERF_RECORD_BYTES, to `into` and removes the record from the
 * ring. Returns the size of the record, 0 if the ring is empty. */
size_t perf_ring_consume(struct perf_ring *ring, void *into);
/* Whether the ring is so full that the kernel may have dropped records since the ring was last
 * emptied. */
bool perf_ring_was_tight(const struct perf_ring *ring);
#define PERF_RECORD_BYTES 65536u
