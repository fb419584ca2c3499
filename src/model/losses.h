/* losses.h - how far numbers may be from the truth because events were lost, or blocks sampled.
 *
 * A lost allocation makes live memory look too small, a lost free too large.  What is estimated from samples is off by
 * chance: by more than its range in fewer than one of a thousand cases. */
#pragma once

#include <stdbool.h>

#include "model/recording.h"

struct value_range {
    uint64_t low, high;
};

/* Events of every kind that were lost: of the heap, samples, waits. */
uint64_t losses_of_events(const struct recording *recording);

/* Whether lost events leave anything open.  If not, and nothing is sampled, each range is one value. */
bool losses_matter(const struct recording *recording);

/* By how much what is live at the end, or was at the peak, is off in 95 of 100 cases because blocks were sampled. */
uint64_t sampled_error_of_live(const struct recording *recording, int64_t value);
uint64_t sampled_error_of_peak(const struct recording *recording);

struct value_range losses_of_peak(const struct recording *recording);
/* Of what is live at the end, which is `value` by what was recorded. */
struct value_range losses_of_live(const struct recording *recording, int64_t value);
