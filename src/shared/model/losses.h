/* losses.h - how far numbers may be from the truth because events were lost, or blocks sampled.
 *
 * A lost allocation makes live memory look too small, a lost free too large.  An estimate from
 * samples is off by chance: the truth is outside the range in fewer than 1 of 1000 cases. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"
#include "model/recording.h"

struct value_range {
    uint64_t low, high;
};

/* Returns the number of lost events of all kinds: heap events, samples, waits. */
uint64_t losses_of_events(const struct recording *recording);

/* Returns whether lost events make any number uncertain.  If not, and nothing was sampled, each
 * range below is one value. */
bool losses_matter(const struct recording *recording);

/* Returns the error from sampling that `value`, the live bytes at the end, stays within in 95 of
 * 100 cases. */
uint64_t sampled_error_of_live(const struct recording *recording, int64_t value);
/* The peak of samples is the highest of many estimates, and so rather too high: the more blocks
 * came and went, the more.  Returns the error, in 95 of 100 cases, of a part of the bytes at the
 * peak, or of all, which would be `error` at any other time. */
uint64_t sampled_error_at_peak(const struct recording *recording, uint64_t error);

/* Its lower end is further away than the upper one where blocks were sampled. */
struct value_range losses_of_peak(const struct recording *recording);
/* For the live bytes at the end; `value` is what was recorded. */
struct value_range losses_of_live(const struct recording *recording, int64_t value);

/* Ranges of the number of blocks: at the peak, and live at the end, where `count` blocks of `value`
 * bytes were recorded.  Return false if blocks, or lost blocks, were not counted. */
bool losses_of_peak_calls(const struct recording *recording, struct value_range *range);
bool losses_of_live_calls(const struct recording *recording, int64_t value, int64_t count,
                          struct value_range *range);
/* Ranges of freed bytes and blocks.  Return false if there is no range, because the allocated bytes
 * are an estimate, too. */
bool losses_of_freed(const struct recording *recording, struct value_range *range);
bool losses_of_freed_calls(const struct recording *recording, struct value_range *range);
/* Range of the number of freed blocks that the process had before its recording began. */
struct value_range losses_of_before(const struct recording *recording);

/* An exported file has one sentence about the losses of its recording, which begins with this text.
 * A note that begins so was read from such a file. */
#define LOSSES_TOLD     "mind: when this was recorded, "
#define LOSSES_TEXT_MAX 480

/* Renders that sentence: how much was lost, estimated, damaged or not written.  If the recording
 * was read from a file with such a sentence, repeats it.  Returns false, with an empty `text`, if
 * nothing was lost. */
bool losses_render(const struct recording *recording, char text[LOSSES_TEXT_MAX]);
/* Returns whether the recording has a note with such a sentence. */
bool losses_are_told(const struct recording *recording);
/* Adds a text of a file as a note if it begins with LOSSES_TOLD. */
void losses_add_note(struct recording *recording, struct slice text);
