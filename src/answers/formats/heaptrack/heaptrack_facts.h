/* heaptrack_facts.h - facts of a recording for which a heaptrack file has no line, stored in
 * comments.  Other readers skip the comments; memoir reads its own exports completely. */
#pragma once

#include <stdbool.h>

#include "base/slice.h"
#include "formats/shared/output.h"
#include "model/recording.h"

void heaptrack_facts_write(const struct recording *recording, struct output *out);

/* Reads a comment into the recording.  Returns false if the comment is not ours. */
bool heaptrack_fact_read(struct recording *recording, struct slice comment);
