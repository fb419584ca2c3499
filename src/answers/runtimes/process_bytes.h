/* process_bytes.h - bytes of a process's memory, read from outside while it runs.
 *
 * Only what is in memory already: reading a page that was never touched, or lies in swap, would
 * bring it in and change what is being measured. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "procfs/memory/pagemap.h"

struct process_bytes {
    uint32_t pid;
    int memory; /* of a process that must ask for it; -1: none */
    bool is_asked;
    struct pagemap pagemap;
};

/* Returns 0 or -errno. */
int process_bytes_open(struct process_bytes *process, uint32_t pid);
void process_bytes_close(struct process_bytes *process);

/* All of it, or false: not in memory, not mapped, not allowed, gone. */
bool process_bytes_read(const struct process_bytes *process, uint64_t address, void *to,
                        size_t size);

/* Like process_bytes_read, but reads only pages that are in memory; the rest of `to` is zero.
 * Returns the number of bytes read. */
size_t process_bytes_read_present(const struct process_bytes *process, uint64_t address, void *to,
                                  size_t size);

/* Whether the kernel lets us read there; tries it.  Returns 0 or -errno. */
int process_bytes_allowed(const struct process_bytes *process, uint64_t address);
