/* copy.h - makes a smaller copy of a recording file step by step, while the file still grows, and
 * finally replaces the file by the copy. */
#pragma once

#include <stddef.h>

#include "store/write/coarsen.h"

struct recording_writer;

/* Begins writer->copy, and drops one that was under way.  Returns 0; or -errno, with none under
 * way. */
int copy_begin(struct recording_writer *writer, const struct coarsen_plan *plan,
               uint64_t most_bytes);
/* Continues the copy for about the time of `work` cells.  Returns 0 if more is left to do; 1 once
 * the copy has replaced the file, and the written buckets of `recording` are the merged ones;
 * -EFBIG if the copy would be larger than allowed, or another -errno: then the copy is dropped and
 * nothing changed. */
int copy_advance(struct recording_writer *writer, struct recording *recording, size_t work);
void copy_drop(struct recording_writer *writer);
