/* line.h - messages between a confined process and the process that serves it, over a pair of
 * sockets.  A message arrives whole or not at all, and may carry descriptors.
 *
 * Either end may be hostile.  A message is copied once, to memory of the receiver; a descriptor
 * that was not expected is closed. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#define LINE_DESCRIPTORS_MAX 2

/* Makes two connected ends, close-on-exec.  Returns 0 or -errno. */
int line_open(int ends[2]);

/* Returns 0 or -errno; never causes a signal. */
int line_send(int line, const void *message, size_t size, const int *descriptors, size_t count);

/* Waits for a message.  Returns its size, 0 when the other end is closed, or -errno; -EMSGSIZE if
 * the message is larger than `size`.  `descriptors` has room for LINE_DESCRIPTORS_MAX, -1 where
 * none came; NULL: none is expected. */
ssize_t line_receive(int line, void *message, size_t size, int *descriptors);
