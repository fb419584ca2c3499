/* copy.h - a smaller copy of a recording file, made a little at a time while the old one still
 * grows, and put in its place in the end. */
#pragma once

#include <stddef.h>

#include "store/write/coarsen.h"

struct recording_writer;

/* Begins writer->copy, in place of one that was under way.  0 or -errno, with none under way. */
int copy_begin(struct recording_writer *writer, const struct coarsen_plan *plan,
               uint64_t most_bytes);
/* Goes on with it for about as long as `work` cells take.  0 when more is to be done; 1 when the
 * copy has replaced the file, and the written buckets of `recording` are the merged ones; -EFBIG
 * when it would be larger than allowed, or another -errno: the copy is dropped and all is as it
 * was. */
int copy_advance(struct recording_writer *writer, struct recording *recording, size_t work);
void copy_drop(struct recording_writer *writer);
