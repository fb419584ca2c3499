/* remote_memory.h - reads and writes the memory of another process.
 *
 * It belongs to the program that runs there when it is opened: after an exec, every read and write
 * fails. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct remote_memory {
    int fd; /* Of /proc/PID/mem; -1: not open. */
};

/* Returns 0 or -errno: -EACCES, -EPERM if the kernel does not permit it. */
int remote_memory_open(struct remote_memory *memory, pid_t pid);
void remote_memory_close(struct remote_memory *memory);

/* Returns whether the program for which it was opened is gone: the process now runs another
 * program, or has ended. */
bool remote_memory_is_gone(const struct remote_memory *memory);

/* Reads all bytes, or returns false. */
bool remote_read(const struct remote_memory *memory, uint64_t address, void *to, size_t size);
/* Writes all bytes, or returns false; also to pages that the process itself may not write. */
bool remote_write(const struct remote_memory *memory, uint64_t address, const void *from,
                  size_t size);

/* Reads a text, cut to fit; "" if it is not readable. */
void remote_read_text(const struct remote_memory *memory, uint64_t address, char *text,
                      size_t size);
