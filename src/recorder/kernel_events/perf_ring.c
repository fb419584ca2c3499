/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel_events/perf_ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

int perf_ring_open(struct perf_ring *ring, int fd, size_t bytes)
{
    size_t const page = (size_t)sysconf(_SC_PAGESIZE);
    void *memory = mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    *ring = (struct perf_ring){.bytes = bytes};
    if (memory == MAP_FAILED)
        return -errno;
    ring->head = memory;
    return 0;
}

void perf_ring_close(struct perf_ring *ring)
{
    if (ring->head)
        munmap(ring->head, (size_t)sysconf(_SC_PAGESIZE) + ring->bytes);
    ring->head = NULL;
}

static void copy_out(const struct perf_ring *ring, uint64_t at, void *into, size_t size)
{
    const char *data = (const char *)ring->head + ring->head->data_offset;
    size_t const from = (size_t)(at & (ring->bytes - 1));
    size_t const first = size < ring->bytes - from ? size : ring->bytes - from;
    memcpy(into, data + from, first);
    memcpy((char *)into + first, data, size - first);
}

size_t perf_ring_consume(struct perf_ring *ring, void *into)
{
    uint64_t const head = __atomic_load_n(&ring->head->data_head, __ATOMIC_ACQUIRE);
    uint64_t const tail = ring->head->data_tail;
    struct perf_event_header header;
    if (head - tail < sizeof(header))
        return 0;
    copy_out(ring, tail, &header, sizeof(header));
    if (header.size < sizeof(header) || header.size > head - tail)
        return 0;
    copy_out(ring, tail, into, header.size);
    __atomic_store_n(&ring->head->data_tail, tail + header.size, __ATOMIC_RELEASE);
    return header.size;
}

bool perf_ring_was_tight(const struct perf_ring *ring)
{
    if (!ring->head)
        return false;
    uint64_t const head = __atomic_load_n(&ring->head->data_head, __ATOMIC_ACQUIRE);
    return head - ring->head->data_tail + PERF_RECORD_BYTES >= ring->bytes;
}

size_t perf_ring_allowance(void)
{
    struct rlimit locked;
    unsigned long kilobytes = 0;
    long const processors = sysconf(_SC_NPROCESSORS_ONLN);
    FILE *file = fopen("/proc/sys/kernel/perf_event_mlock_kb", "re");
    /* NOLINTNEXTLINE(cert-err34-c): the kernel's number */
    bool const is_told = file && fscanf(file, "%lu", &kilobytes) == 1;
    if (file)
        fclose(file);
    if (geteuid() == 0 || !is_told || getrlimit(RLIMIT_MEMLOCK, &locked) < 0 ||
        locked.rlim_cur == RLIM_INFINITY)
        return SIZE_MAX;
    return kilobytes * 1024 * (size_t)(processors > 0 ? processors : 1) + locked.rlim_cur;
}
