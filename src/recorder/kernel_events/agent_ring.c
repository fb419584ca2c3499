/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel_events/agent_ring.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE        4096u
#define RECORD_BUSY (1u << 31)
#define RECORD_GONE (1u << 30)
#define RECORD_HEAD 8u /* bytes: length and flags, a page offset */
#define RECORD_MAX  (sizeof(struct agent_copy) + AGENT_PIECE_BYTES)
#define BYTES_MAX   (256u << 20)

/* The number after "\nNAME:"; 0 if there is none. */
static unsigned long number_of(const char *text, const char *name)
{
    const char *found = strstr(text, name);
    return found ? strtoul(found + strlen(name), NULL, 10) : 0;
}

bool agent_ring_is_one(int fd, uint32_t bytes)
{
    char path[64], text[1024];
    if (bytes < PAGE || bytes > BYTES_MAX || bytes & (bytes - 1))
        return false;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    ssize_t got = readlink(path, text, sizeof(text) - 1);
    if (got < 0)
        return false;
    text[got] = '\0';
    if (strcmp(text, "anon_inode:bpf-map") != 0)
        return false;
    snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
    int const info = open(path, O_RDONLY | O_CLOEXEC);
    got = info < 0 ? -1 : read(info, text, sizeof(text) - 1);
    if (info >= 0)
        close(info);
    if (got < 0)
        return false;
    text[got] = '\0';
    return number_of(text, "\nmap_type:") == BPF_MAP_TYPE_RINGBUF &&
           number_of(text, "\nmax_entries:") == bytes;
}

int agent_ring_begin(struct agent_ring *ring, int fd, uint32_t bytes)
{
    void *own = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    void *theirs = mmap(NULL, PAGE + 2 * (size_t)bytes, PROT_READ, MAP_SHARED, fd, PAGE);
    uint64_t *record = malloc(RECORD_MAX);
    if (own == MAP_FAILED || theirs == MAP_FAILED || !record) {
        if (own != MAP_FAILED)
            munmap(own, PAGE);
        if (theirs != MAP_FAILED)
            munmap(theirs, PAGE + 2 * (size_t)bytes);
        free(record);
        return -ENOMEM;
    }
    *ring = (struct agent_ring){.fd = fd,
                                .bytes = bytes,
                                .read_to = own,
                                .written_to = theirs,
                                .data = (const uint8_t *)theirs + PAGE,
                                .record = record};
    ring->at = atomic_load_explicit(ring->read_to, memory_order_relaxed) & ~7ull;
    return 0;
}

void agent_ring_end(struct agent_ring *ring)
{
    if (ring->fd < 0)
        return;
    munmap((void *)ring->read_to, PAGE);
    munmap((void *)ring->written_to, PAGE + 2 * (size_t)ring->bytes);
    free(ring->record);
    close(ring->fd);
    *ring = AGENT_RING_NONE;
}

/* Whether everything that the record refers to lies inside its `size` bytes. */
static bool is_whole(const struct agent_record *record, uint32_t size)
{
    uint32_t const least = agent_record_least(record->kind);
    if (least == 0 || size < least)
        return false;
    if (record->kind == AGENT_COPY || record->kind == AGENT_PIECE)
        return ((const struct agent_copy *)record)->size <= size - least;
    if (record->kind == AGENT_SAMPLE || record->kind == AGENT_WAIT)
        return ((const struct agent_time *)record)->kernel_count * sizeof(uint64_t) <= size - least;
    return record->kind != AGENT_NAME ||
           memchr(((const struct agent_name *)record)->name, '\0', AGENT_NAME_BYTES) != NULL;
}

/* A record of the ring, copied: only what cannot change any more is checked and used.  NULL: it is
 * no record that we know. */
static const struct agent_record *copy_record(struct agent_ring *ring, const uint8_t *from,
                                              uint32_t size)
{
    struct agent_record *record = (struct agent_record *)ring->record;
    if (size < sizeof(*record) || size > RECORD_MAX)
        return NULL;
    memcpy(record, from, size);
    return is_whole(record, size) ? record : NULL;
}

size_t agent_ring_drain(struct agent_ring *ring, size_t most,
                        bool (*each)(void *context, const struct agent_record *record),
                        void *context)
{
    size_t count = 0;
    if (ring->fd < 0)
        return 0;
    uint64_t const end = atomic_load_explicit(ring->written_to, memory_order_acquire);
    /* Not more than there is room for: no kernel writes that. */
    while (end != ring->at && end - ring->at <= ring->bytes && count < most) {
        const uint8_t *head = ring->data + (ring->at & (ring->bytes - 1));
        uint32_t const word =
            atomic_load_explicit((const _Atomic(uint32_t) *)head, memory_order_acquire);
        uint32_t const size = word & ~(RECORD_BUSY | RECORD_GONE);
        if (word & RECORD_BUSY || size > ring->bytes - RECORD_HEAD)
            break;
        const struct agent_record *record =
            word & RECORD_GONE ? NULL : copy_record(ring, head + RECORD_HEAD, size);
        if (record && !each(context, record))
            break;
        ring->at += (size + RECORD_HEAD + 7u) & ~7u;
        count++;
        atomic_store_explicit(ring->read_to, ring->at, memory_order_release);
    }
    return count;
}

bool agent_ring_is_filling(const struct agent_ring *ring)
{
    return ring->fd >= 0 &&
           atomic_load_explicit(ring->written_to, memory_order_relaxed) - ring->at >
               ring->bytes / 4;
}
