/* base64.h - encodes and decodes base64 (RFC 4648, with padding). */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "base/slice.h"

/* Returns the size of the text, without a final NUL. */
static inline size_t base64_text_size(size_t size)
{
    return (size + 2) / 3 * 4;
}
/* Returns the room that decoding `size` characters needs. */
static inline size_t base64_bytes_max(size_t size)
{
    return size / 4 * 3 + 3;
}

/* Writes base64_text_size(bytes.size) characters.  Returns their number. */
size_t base64_encode(struct slice bytes, char *text);
/* Writes at most base64_bytes_max(text.size) bytes.  Returns their number; -EINVAL if the text is
 * not base64.  Only the padding may be missing. */
ssize_t base64_decode(struct slice text, char *bytes);
