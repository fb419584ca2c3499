/* moments.h - lists of moments: brought into order, summed, and as bytes. */
#pragma once

#include "base/vec.h"
#include "model/recording.h"
#include "base/bytes.h"

struct moment_list {
    struct moment *items;
    size_t count, room; /* usable with vec.h */
};

/* Orders by time; those without one come last. */
void moments_order(struct moment *moments, size_t count);

/* Takes the times away and adds up what is then alike.  Returns how many are left. */
size_t moments_fold(struct moment *moments, size_t count);

/* Encodes moments that moments_order has ordered, their times in whole microseconds. */
void moments_put(struct byte_buffer *buffer, const struct moment *moments, size_t count);
/* The inverse.  0 with *moments (NULL when there are none) the caller's, -EINVAL, or -ENOMEM. */
int moments_parse(struct byte_reader *reader, struct moment **moments, size_t *count);
