/* minidebug.h - .gnu_debugdata: a small ELF file with the symbols of local functions, packed with
 * xz inside a stripped file. */
#pragma once

#include <stddef.h>

#include "base/slice.h"

#define MINIDEBUG_MAX_BYTES ((size_t)256 * 1024 * 1024) /* Unpacked; a larger one is refused. */

/* Unpacks into a new block, which the caller frees as unpacked->data.  Returns 0, -EINVAL for
 * damaged data, -EFBIG beyond `max_bytes`, or -ENOMEM. */
int minidebug_unpack(struct slice packed, size_t max_bytes, struct slice *unpacked);
