/* SPDX-License-Identifier: Apache-2.0 */
/* text_quality.c - writes how far a recording can be trusted: its cost, what was lost, what is in
 * doubt. */
#include <string.h>

#include "base/human.h"
#include "model/losses.h"
#include "report/rows/stack_shares.h"
#include "report/text/doubt_text.h"
#include "report/text/text_summary_parts.h"

#define MANY_UNNAMED 0.5

static void put_cost(const struct text_page *page)
{
    const struct recording *recording = page->report->recording;
    const struct cost *cost = &recording->cost;
    struct text_line line = {0};
    char cpu[HUMAN_MAX], rss[HUMAN_MAX], waits[HUMAN_MAX], waited[HUMAN_MAX], drops[HUMAN_MAX];
    if (!cost->ns_per_event && !cost->recorder_cpu_ns && !cost->arena_bytes)
        return; /* not recorded by us */
    if (cost->ns_per_event)
        line_add(&line, "memoir added about %llu ns per event; ",
                 (unsigned long long)cost->ns_per_event);
    line_add(&line, "the recorder used %s of CPU and %s; %s waits",
             human_duration(cost->recorder_cpu_ns, cpu),
             human_bytes((int64_t)cost->recorder_rss_bytes, rss),
             human_count((int64_t)cost->target_waits, waits));
    if (cost->target_wait_ns)
        line_add(&line, " (%s)", human_duration(cost->target_wait_ns, waited));
    line_add(&line, ", %s drops", human_count((int64_t)recording->quality.lost_events, drops));
    text_put(page, INK_PLAIN, "cost", &line);
}

static void add_stack_quality(struct text_line *line, const struct report *report)
{
    static const char *const kinds[STACK_END_KINDS] = {
        [STACK_END_NO_RULE] = "without unwind rules",
        [STACK_END_BAD_FRAME] = "led astray",
        [STACK_END_TOO_DEEP] = "too deep",
        [STACK_END_TABLE_FULL] = "refused by a full table",
        [STACK_END_CUT] = "longer than what was copied",
        [STACK_END_NOT_TAKEN] = "not taken",
    };
    const struct quality *quality = &report->recording->quality;
    char text[HUMAN_MAX];
    const char *before = " (";
    if (report->findings.stack_ends == 0)
        return;
    line_separate(line, "; ");
    (void)stack_shares_add(line, report->recording);
    for (int kind = STACK_END_COMPLETE + 1; kind < STACK_END_KINDS; kind++) {
        if (!quality->stack_ends[kind])
            continue;
        line_add(line, "%s%s %s", before, human_count((int64_t)quality->stack_ends[kind], text),
                 kinds[kind]);
        before = ", ";
    }
    if (before[0] == ',')
        line_add(line, ")");
}

/* Some files of other programs have sums only. */
static bool has_events(const struct recording *recording)
{
    return recording_counts_blocks(recording) && !recording_is_of_profiles(recording) &&
           !recording_is_of_costs(recording);
}

/* Whether the file lacks something: what was lost in it nobody knows. */
static bool is_part(const struct recording *recording)
{
    return recording->quality.unwritten_from_ns || recording->quality.damaged_chunks ||
           recording_was_cut(recording);
}

static void put_quality(const struct text_page *page)
{
    const struct report *report = page->report;
    const struct quality *quality = &report->recording->quality;
    uint64_t const all_lost = losses_of_events(report->recording);
    struct text_line line = {0};
    char lost[HUMAN_MAX], events[HUMAN_MAX], share[HUMAN_MAX];
    if (all_lost)
        line_add(&line, "%s of %s events lost", human_count((int64_t)all_lost, lost),
                 human_count((int64_t)(quality->events + all_lost), events));
    if (quality->gaps)
        line_add(&line, " in %s gaps, the longest of %s", human_count((int64_t)quality->gaps, lost),
                 human_duration(quality->longest_gap_ns, events));
    if (!all_lost && (quality->events || has_events(report->recording)))
        line_add(&line,
                 is_part(report->recording) || losses_are_told(report->recording)
                     ? "%s events seen"
                     : "nothing lost of %s events",
                 human_count((int64_t)quality->events, events));
    add_stack_quality(&line, report);
    line_separate(&line, "; ");
    line_add(
        &line, "%s of frames without a name",
        human_share((int64_t)report->findings.unnamed, (int64_t)report->findings.frames, share));
    if (quality->unwritten_from_ns)
        line_add(&line, "; events after %s could not be written (%s)",
                 human_duration(quality->unwritten_from_ns, lost),
                 strerror((int)(quality->unwritten_error & 0xfff)));
    else if (!quality->complete && !report->recording->being_written)
        line_add(&line, "; not ended in order (the recorder was killed, or the file was cut off or "
                        "copied before the end)");
    if (quality->damaged_chunks)
        line_add(&line, "; %s damaged parts of the file skipped",
                 human_count((int64_t)quality->damaged_chunks, lost));
    bool const is_bad = all_lost || quality->damaged_chunks || quality->unwritten_from_ns ||
                        report->findings.complete_share < 0.99;
    text_put(page, is_bad ? INK_WARN : INK_PLAIN, "quality", &line);
}

/* When most frames are numbers: what would name them. */
static void put_names(const struct text_page *page)
{
    const struct findings *findings = &page->report->findings;
    struct text_line line = {0};
    char frames[HUMAN_MAX];
    if (findings->unnamed_share < MANY_UNNAMED || !findings->nameless)
        return;
    const char *path = recording_text(page->report->recording, findings->nameless);
    line_add(&line, "%s frames are in ", human_count((int64_t)findings->nameless_frames, frames));
    line_add_name(&line, path);
    bool const is_unwritten = page->report->recording->quality.unwritten_from_ns != 0;
    if (is_unwritten || recording_was_cut(page->report->recording)) {
        line_add(&line,
                 ", whose names %s and are not on this machine: open the recording on a machine "
                 "with that build",
                 is_unwritten ? "could not be written"
                              : "were not looked up before the recorder was killed");
        text_put(page, INK_WARN, "names", &line);
        return;
    }
    line_add(&line, ", which has %s symbols: install its debug symbols (Debian: dpkg -S ",
             findings->nameless_has_some ? "few" : "no");
    line_add_name(&line, path);
    line_add(&line,
             " names the package, its -dbgsym package has the symbols) or set DEBUGINFOD_URLS, and "
             "record again");
    text_put(page, INK_WARN, "names", &line);
}

static void put_doubts(const struct text_page *page)
{
    const struct plausibility *found = &page->report->findings.plausibility;
    for (size_t i = 0; i < found->count; i++) {
        struct text_line line = {0};
        doubt_render(page->report->recording, found, &found->doubts[i], &line);
        text_put(page, INK_WARN, "doubt", &line);
    }
}

static void put_notes(const struct text_page *page)
{
    const struct recording *recording = page->report->recording;
    for (size_t i = 0; i < recording->notes.count; i++) {
        struct text_line line = {0};
        line_add_name(&line, recording_text(recording, recording->notes.items[i]));
        text_put(page, INK_WARN, "note", &line);
    }
    const struct pin *death = recording_pin(recording, PIN_DEATH);
    if (death) {
        struct text_line line = {0};
        char when[HUMAN_MAX];
        line_add_name(&line, recording_text(recording, death->label));
        line_add(&line, " at %s; report --at %s shows that instant",
                 human_duration(death->time_ns, when), "end");
        text_put(page, INK_BAD, "death", &line);
    }
}

void text_quality_write(const struct text_page *page)
{
    put_cost(page);
    put_quality(page);
    put_names(page);
    put_doubts(page);
    put_notes(page);
}
