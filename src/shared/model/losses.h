/* losses.h - how far numbers may be from the truth because events were lost, or blocks sampled.
 *
 * A lost allocation makes live memory look too small, a lost free too large.  What is estimated
 * from samples is off by chance: by more than its range in fewer than one of a thousand cases. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"
#include "model/recording.h"

struct value_range {
    uint64_t low, high;
};

/* Events of every kind that were lost: of the heap, samples, waits. */
uint64_t losses_of_events(const struct recording *recording);

/* Whether lost events leave anything open.  If not, and nothing is sampled, each range is one
 * value. */
bool losses_matter(const struct recording *recording);

/* By how much what is live at the end, or was at the peak, is off in 95 of 100 cases because
 * blocks were sampled. */
uint64_t sampled_error_of_live(const struct recording *recording, int64_t value);
uint64_t sampled_error_of_peak(const struct recording *recording);

struct value_range losses_of_peak(const struct recording *recording);
/* Of what is live at the end, which is `value` by what was recorded. */
struct value_range losses_of_live(const struct recording *recording, int64_t value);

/* Ranges of the number of blocks: at the time of the peak, and live at the end, which are
 * `count` of `value` bytes by what was recorded.  False: they, or the lost ones, were not
 * counted. */
bool losses_of_peak_calls(const struct recording *recording, struct value_range *range);
bool losses_of_live_calls(const struct recording *recording, int64_t value, int64_t count,
                          struct value_range *range);
/* Of what was freed.  False: that cannot be said, because also what was allocated is only
 * estimated. */
bool losses_of_freed(const struct recording *recording, struct value_range *range);
bool losses_of_freed_calls(const struct recording *recording, struct value_range *range);
/* How many blocks were freed of those that the process had before its recording began. */
struct value_range losses_of_before(const struct recording *recording);

/* What files that are made of a recording begin their word about its losses with: a note that
 * does so is of the recording that the file was made of. */
#define LOSSES_TOLD     "mind: when this was recorded, "
#define LOSSES_TEXT_MAX 480

/* One sentence that begins with LOSSES_TOLD: how much was lost, estimated, damaged or not
 * written; that of the recording it was itself made of, if it has a note of it.  False: nothing
 * was, and `text` is empty. */
bool losses_render(const struct recording *recording, char text[LOSSES_TEXT_MAX]);
/* Whether a note tells of losses in the recording that this one was made of. */
bool losses_are_told(const struct recording *recording);
/* Makes text of a file a note, if it begins with LOSSES_TOLD. */
void losses_add_note(struct recording *recording, struct slice text);
