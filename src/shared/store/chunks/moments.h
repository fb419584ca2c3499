/* moments.h - sorts, sums and encodes lists of moments. */
#pragma once

#include "base/vec.h"
#include "model/recording.h"
#include "base/bytes.h"

struct moment_list {
    struct moment *items;
    size_t count, room; /* The macros of vec.h work on this struct. */
};

/* Sorts by time; timeless moments come last. */
void moments_order(struct moment *moments, size_t count);

/* Makes all moments timeless, and adds up moments of equal thread, stack and column.  Returns the
 * number of moments left. */
size_t moments_fold(struct moment *moments, size_t count);

/* Encodes moments that moments_order has sorted; times are rounded to microseconds. */
void moments_put(struct byte_buffer *buffer, const struct moment *moments, size_t count);
/* Decodes what moments_put wrote.  Returns 0, and the caller owns *moments (NULL if there are
 * none); or -EINVAL or -ENOMEM. */
int moments_parse(struct byte_reader *reader, struct moment **moments, size_t *count);
