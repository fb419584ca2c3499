/* top_view.h - makes the view that `memoir top` shows, from its source and the user's choices. */
#pragma once

#include "cli/top/top_keys.h"
#include "cli/top/top_source.h"
#include "report/top/top_page.h"

/* Makes the view of a source with a recording.  Returns what live_rank_build returns; call
 * top_view_fini after success. */
int top_view_of(const struct top_source *source, const struct top_choice *choice,
                struct top_view *view);
/* Makes the view of a process that is not recorded.  The view borrows from the source. */
struct top_process top_process_of(const struct top_source *source);

/* Callback for top_surroundings.has: whether a metric ever had a number. */
bool top_source_has(const void *source, const struct metric *metric);
