/* memory_region.h - one mapping of a process and its memory, as the kernel counts it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* All in bytes.  `rss` is the sum of the two shared and the two private fields, without pages of
 * hugetlbfs. */
struct memory_bytes {
    uint64_t size; /* Of the address range. */
    uint64_t rss;
    uint64_t pss; /* Each page divided by the number of processes that map it. */
    uint64_t shared_clean, shared_dirty, private_clean, private_dirty;
    uint64_t anonymous; /* Not of a file, or a private copy of a file's page. */
    uint64_t lazy_free; /* Freed with MADV_FREE, and not yet reclaimed by the kernel. */
    uint64_t huge;      /* In transparent huge pages. */
    uint64_t locked;
    uint64_t swap, swap_pss;
    uint64_t shared_hugetlb, private_hugetlb;
};
#define MEMORY_BYTES_FIELDS (sizeof(struct memory_bytes) / sizeof(uint64_t))

static inline void memory_bytes_add(struct memory_bytes *sum, const struct memory_bytes *part)
{
    uint64_t *to = &sum->size;
    const uint64_t *from = &part->size;
    for (size_t i = 0; i < MEMORY_BYTES_FIELDS; i++)
        to[i] += from[i];
}

static inline uint64_t memory_bytes_private(const struct memory_bytes *bytes)
{
    return bytes->private_clean + bytes->private_dirty;
}

static inline uint64_t memory_bytes_shared(const struct memory_bytes *bytes)
{
    return bytes->shared_clean + bytes->shared_dirty;
}

/* The flags of VmFlags that show who made a mapping, or how to count it. */
enum memory_region_flag {
    REGION_ACCOUNTED = 1 << 0,  /* ac */
    REGION_NO_RESERVE = 1 << 1, /* nr */
    REGION_NO_HUGE = 1 << 2,    /* nh: MAP_STACK, from Linux 6.7 on */
    REGION_NO_FORK = 1 << 3,    /* dc */
    REGION_HUGETLB = 1 << 4,    /* ht: its pages are not part of RSS */
    REGION_DEVICE = 1 << 5,     /* pf, io: memory of a device */
    REGION_GROWS_DOWN = 1 << 6, /* gd */
    REGION_SHARED = 1 << 7,     /* sh: mapped shared; `rights` says so, too */
};

struct memory_region {
    uint64_t start, end; /* Addresses. */
    uint64_t offset, inode;
    char rights[5];   /* "rw-p" */
    uint8_t flags;    /* enum memory_region_flag */
    const char *name; /* "/usr/lib/libc.so.6", "[heap]", "[anon:cache]", "" */
    struct memory_bytes bytes;
};

/* The sum of small mappings of one kind, with nothing but other folded mappings between them. */
struct folded_regions {
    struct memory_region sum; /* From the first to the last mapping. */
    uint32_t count;
};
