/* memory_status.h - the memory of a process, as the kernel counts it in /proc/PID/status. */
#pragma once

#include <stdint.h>

#include "base/slice.h"

/* Bytes are -1 if the kernel does not say. */
struct memory_status {
    char name[32]; /* The short name that the kernel keeps. */
    char state;    /* 'R', 'S', 'Z', ...; 0 if unknown. */
    int64_t threads;
    int64_t rss_bytes, anon_bytes, file_bytes, shmem_bytes;
    int64_t swap_bytes, rss_peak_bytes;
    int64_t page_table_bytes, hugetlb_bytes; /* Not part of rss_bytes. */
};

struct memory_status memory_status_parse(struct slice status);
/* Returns 0 or -errno; -ENOENT: there is no such process. */
int memory_status_read(uint32_t pid, struct memory_status *memory);
