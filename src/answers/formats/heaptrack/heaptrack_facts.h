/* heaptrack_facts.h - what a recording knows and a heaptrack file has no line for, kept in comments
 * that every other reader skips, so that our own exports come back whole. */
#pragma once

#include <stdbool.h>

#include "base/slice.h"
#include "formats/shared/output.h"
#include "model/recording.h"

void heaptrack_facts_write(const struct recording *recording, struct output *out);

/* Takes a comment into the recording; false when it is none of ours. */
bool heaptrack_fact_read(struct recording *recording, struct slice comment);
