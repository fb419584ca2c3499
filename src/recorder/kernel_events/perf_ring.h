/* perf_ring.h - the memory that the kernel writes perf events of one processor into. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_event_mmap_page;

struct perf_ring {
    struct perf_event_mmap_page *head; /* NULL: none */
    size_t bytes;                      /* of events, a power of two */
};

/* `bytes`: a power of two, at least a page.  0 or -errno: -EPERM when more memory would be locked than this user may. */
int perf_ring_open(struct perf_ring *ring, int fd, size_t bytes);
void perf_ring_close(struct perf_ring *ring);

/* How many bytes of rings this user may have in all, as far as settings tell; SIZE_MAX: as many as it likes. */
size_t perf_ring_allowance(void);

/* Copies the next record, at most 64 KiB, to `into`.  Its size, or 0 when there is none. */
size_t perf_ring_take(struct perf_ring *ring, void *into);
/* Whether so much waits that records may have found no room since the ring was last emptied. */
bool perf_ring_was_tight(const struct perf_ring *ring);
#define PERF_RECORD_BYTES 65536u
