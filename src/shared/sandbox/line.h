/* line.h - messages between a confined process and the one that serves it: whole or not at all,
 * with descriptors beside them, over a pair of sockets.
 *
 * Both ends may be hostile to the other.  A message is copied once, to memory of the receiver; a
 * descriptor that nobody expected is closed. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#define LINE_DESCRIPTORS_MAX 2

/* Two ends, close-on-exec; 0 or -errno. */
int line_open(int ends[2]);

/* 0 or -errno; never a signal. */
int line_send(int line, const void *message, size_t size, const int *descriptors, size_t count);

/* Waits for one.  How many bytes, 0 at the end, -errno; -EMSGSIZE for one of more than `size`.
 * `descriptors` has room for LINE_DESCRIPTORS_MAX, -1 where none came; NULL: none is expected. */
ssize_t line_receive(int line, void *message, size_t size, int *descriptors);
