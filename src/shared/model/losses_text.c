/* SPDX-License-Identifier: Apache-2.0 */
/* losses_text.c - losses and estimates as a sentence, for files that are made of a recording. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "model/losses.h"

struct sentence {
    char *text;
    size_t begun; /* bytes of its beginning */
};

static void add(struct sentence *sentence, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(struct sentence *sentence, const char *format, ...)
{
    size_t used = strlen(sentence->text);
    if (used > sentence->begun)
        used += (size_t)snprintf(sentence->text + used, LOSSES_TEXT_MAX - used, "; ");
    va_list args;
    va_start(args, format);
    if (used < LOSSES_TEXT_MAX)
        vsnprintf(sentence->text + used, LOSSES_TEXT_MAX - used, format, args);
    va_end(args);
}

static void add_lost(struct sentence *sentence, const struct recording *recording)
{
    const struct quality *quality = &recording->quality;
    uint64_t const lost = losses_of_events(recording);
    char some[HUMAN_MAX], all[HUMAN_MAX];
    if (lost)
        add(sentence, "%s of %s events were lost", human_count((int64_t)lost, some),
            human_count((int64_t)(quality->events + lost), all));
    if (!losses_matter(recording))
        return;
    struct value_range const peak = losses_of_peak(recording);
    add(sentence, "the peak is between %s and %s", human_bytes((int64_t)peak.low, some),
        human_bytes((int64_t)peak.high, all));
    add(sentence, "what was live at the end may be %s less or %s more",
        human_bytes((int64_t)quality->live_doubt_bytes, some),
        human_bytes((int64_t)quality->lost_bytes, all));
}

static void add_estimated(struct sentence *sentence, const struct recording *recording)
{
    const struct quality *quality = &recording->quality;
    char some[HUMAN_MAX], all[HUMAN_MAX], rate[HUMAN_MAX];
    human_bytes((int64_t)quality->sample_rate, rate);
    if (quality->thinned_calls)
        add(sentence, "%s of %s allocations are estimated from samples (one in %s)",
            human_count((int64_t)quality->thinned_calls, some),
            human_count((int64_t)recording->heap.calls, all), rate);
    else if (quality->sample_rate)
        add(sentence, "all numbers are estimates: one block in %s was taken, at random", rate);
    if (quality->samples_dropped)
        add(sentence, "%s samples found no room",
            human_count((int64_t)quality->samples_dropped, some));
}

static const char *told(const struct recording *recording)
{
    for (size_t i = 0; i < recording->notes.count; i++) {
        const char *note = recording_text(recording, recording->notes.items[i]);
        if (strncmp(note, LOSSES_TOLD, strlen(LOSSES_TOLD)) == 0)
            return note;
    }
    return NULL;
}

bool losses_are_told(const struct recording *recording)
{
    return told(recording) != NULL;
}

bool losses_render(const struct recording *recording, char text[LOSSES_TEXT_MAX])
{
    const struct quality *quality = &recording->quality;
    const char *note = told(recording);
    char some[HUMAN_MAX];
    snprintf(text, LOSSES_TEXT_MAX, "%s", note ? note : LOSSES_TOLD);
    struct sentence sentence = {text, note ? 0 : strlen(text)};
    if (note)
        return true;
    add_lost(&sentence, recording);
    add_estimated(&sentence, recording);
    if (quality->unwritten_from_ns)
        add(&sentence, "what came after %s could not be written",
            human_duration(quality->unwritten_from_ns, some));
    if (recording_was_cut(recording))
        add(&sentence,
            "what came after %s is missing, because the recorder was killed or the file "
            "was cut off",
            human_duration(recording->duration_ns, some));
    const struct pin *peak = recording_pin(recording, PIN_PEAK);
    if (!quality->complete && peak && peak->time_ns < recording->heap.peak_time_ns)
        add(&sentence, "the call stacks of the peak are those of an earlier one, at %s",
            human_duration(peak->time_ns, some));
    if (quality->damaged_chunks)
        add(&sentence, "%s damaged parts were skipped",
            human_count((int64_t)quality->damaged_chunks, some));
    if (text[sentence.begun])
        return true;
    text[0] = '\0';
    return false;
}

void losses_add_note(struct recording *recording, struct slice text)
{
    size_t const begun = strlen(LOSSES_TOLD);
    if (text.size > begun && text.size < LOSSES_TEXT_MAX &&
        memcmp(text.data, LOSSES_TOLD, begun) == 0 && !losses_are_told(recording))
        recording_note(recording, "%.*s", (int)text.size, text.data);
}
