/* remote_memory.h - the memory of another process.
 *
 * Bound to the program that runs there when it is opened: after an exec every read and write
 * fails. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct remote_memory {
    int fd; /* of /proc/PID/mem; -1: not open */
};

/* 0 or -errno: -EACCES, -EPERM when the kernel does not let us. */
int remote_memory_open(struct remote_memory *memory, pid_t pid);
void remote_memory_close(struct remote_memory *memory);

/* Whether the program that it was opened for is no more: the process runs another one by now, or
 * has ended. */
bool remote_memory_is_gone(const struct remote_memory *memory);

/* All of it, or false. */
bool remote_read(const struct remote_memory *memory, uint64_t address, void *to, size_t size);
/* Also to pages that their process may not write. */
bool remote_write(const struct remote_memory *memory, uint64_t address, const void *from,
                  size_t size);

/* Text at `address`, cut to fit; "" when it is not readable. */
void remote_read_text(const struct remote_memory *memory, uint64_t address, char *text,
                      size_t size);
