/* top_view.h - what there is to see now: a source seen by a choice. */
#pragma once

#include "cli/top/top_keys.h"
#include "cli/top/top_source.h"
#include "report/top/top_page.h"

/* For a source that has a recording.  0 or as live_rank_build; top_view_fini after success. */
int top_view_of(const struct top_source *source, const struct top_choice *choice,
                struct top_view *view);
/* For one that has none; borrows from the source. */
struct top_process top_process_of(const struct top_source *source);

/* For top_surroundings.has: whether anything was ever counted in a metric. */
bool top_source_has(const void *source, const struct metric *metric);
