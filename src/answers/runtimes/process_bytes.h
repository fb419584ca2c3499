/* process_bytes.h - reads the memory of a process from outside while it runs.
 *
 * Only pages in memory are read: reading a page that was never touched, or that is swapped out,
 * would load the page and change the measurement. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "procfs/memory/pagemap.h"

struct process_bytes {
    uint32_t pid;
    int memory; /* descriptor, for a process that must ask another one for it; -1: none */
    bool is_asked;
    struct pagemap pagemap;
};

/* Returns 0 or -errno. */
int process_bytes_open(struct process_bytes *process, uint32_t pid);
void process_bytes_close(struct process_bytes *process);

/* Reads `size` bytes.  Returns false if not all of them are in memory, mapped and readable, or if
 * the process is gone. */
bool process_bytes_read(const struct process_bytes *process, uint64_t address, void *to,
                        size_t size);

/* Like process_bytes_read, but reads only pages that are in memory; the rest of `to` is zero.
 * Returns the number of bytes read. */
size_t process_bytes_read_present(const struct process_bytes *process, uint64_t address, void *to,
                                  size_t size);

/* Checks, by trying, whether the kernel allows reading there.  Returns 0 or -errno. */
int process_bytes_allowed(const struct process_bytes *process, uint64_t address);
