/* minidebug.h - .gnu_debugdata: a small ELF file with the symbols of the local functions, packed
 * with xz inside the stripped one. */
#pragma once

#include <stddef.h>

#include "base/slice.h"

#define MINIDEBUG_MAX_BYTES ((size_t)256 * 1024 * 1024) /* unpacked; more is refused */

/* Unpacks into a new block that the caller frees as unpacked->data.  0, -EINVAL for damaged data,
 * -EFBIG past `max_bytes`, -ENOMEM. */
int minidebug_unpack(struct slice packed, size_t max_bytes, struct slice *unpacked);
