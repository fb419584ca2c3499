/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/wait.h>
#include <time.h>

#include "analyze/sums/metric_data.h"
#include "base/clock.h"
#include "base/human.h"
#include "model/losses.h"
#include "report/text/growth_text.h"
#include "report/text/text_summary_parts.h"
#include "report/text/timing_text.h"

void text_put(const struct text_page *page, enum ink ink, const char *label,
              const struct text_line *line)
{
    text_ink(page->style, page->out, ink);
    text_paragraph(page->style, page->out, label, line->text);
    if (ink != INK_PLAIN)
        text_ink(page->style, page->out, INK_PLAIN);
}

static void add_ending(struct text_line *line, int32_t status)
{
    if (status < 0)
        return;
    if (WIFSIGNALED(status)) {
        char name[HUMAN_MAX];
        line_add(line, ", killed by %s", human_signal(WTERMSIG(status), name));
    } else {
        line_add(line, ", exit status %d", WEXITSTATUS(status));
    }
}

static void put_program(const struct text_page *page)
{
    const struct recording *recording = page->report->recording;
    struct text_line line = {0};
    char duration[HUMAN_MAX], start[40];
    time_t const seconds = (time_t)(recording->start_unix_ns / NS_PER_SECOND);
    struct tm date;

    line_add_name(&line, recording_text(recording, recording->program));
    if (recording->pid) {
        line_add(&line, " (pid %u", recording->pid);
        if (recording->host) {
            line_add(&line, " on ");
            line_add_name(&line, recording_text(recording, recording->host));
        }
        line_add(&line, ")");
    }
    if (recording->duration_ns > 1) /* else it is of a file that has no time */
        line_add(&line, " %s %s", recording->being_written ? "has run" : "ran",
                 human_duration(recording->duration_ns, duration));
    if (recording->start_unix_ns && gmtime_r(&seconds, &date) &&
        strftime(start, sizeof(start), "%Y-%m-%d %H:%M:%S UTC", &date))
        line_add(&line, " from %s", start);
    add_ending(&line, recording->exit_status);
    line_add_growing(&line, recording, page->report->question.now_unix_ns);
    text_ink(page->style, page->out, INK_STRONG);
    text_write(page->out, line.text, text_room(page->style, 0));
    text_ink(page->style, page->out, INK_PLAIN);
    putc('\n', page->out);
}

static void put_sampled(const struct text_page *page)
{
    const struct recording *recording = page->report->recording;
    const struct quality *quality = &recording->quality;
    struct text_line line = {0};
    char rate[HUMAN_MAX], leaked[HUMAN_MAX], lost[HUMAN_MAX];
    char thinned[HUMAN_MAX], calls[HUMAN_MAX];
    if (!quality->sample_rate)
        return;
    if (quality->thinned_calls)
        line_add(&line,
                 "%s of %s allocations came faster than they could be recorded, and are estimated "
                 "from samples (one in %s): numbers are, in 95 of 100 cases, within ",
                 human_count((int64_t)quality->thinned_calls, thinned),
                 human_count((int64_t)recording->heap.calls, calls),
                 human_bytes((int64_t)quality->sample_rate, rate));
    else
        line_add(&line,
                 "one block in %s is taken, at random: all numbers are estimates, in 95 of 100 "
                 "cases within ",
                 human_bytes((int64_t)quality->sample_rate, rate));
    line_add(
        &line, "±%s of what is live",
        human_bytes((int64_t)sampled_error_of_live(recording, page->report->leaked_value), leaked));
    if (recording->heap.peak_bytes)
        line_add(&line, "; the peak is the highest of many estimates, so rather too high: the true "
                        "one is in its range in "
                        "999 of 1,000 cases");
    if (quality->unfollowed_bytes)
        line_add(&line, "; %s were live when sampling began, and count as freed since",
                 human_bytes((int64_t)quality->unfollowed_bytes, lost));
    if (quality->samples_dropped)
        line_add(&line,
                 "; %s samples were dropped because the buffer was full: the numbers are "
                 "too small",
                 human_count((int64_t)quality->samples_dropped, lost));
    if (losses_matter(recording))
        line_add(&line, "; lost events add to that error");
    text_put(page, INK_WARN, "sampled", &line);
}

/* A number that lost events leave open is never shown alone. */
static void add_range(struct text_line *line, const struct recording *recording,
                      struct value_range range)
{
    char low[HUMAN_MAX], high[HUMAN_MAX];
    if (losses_matter(recording))
        line_add(line, " (between %s and %s: events were lost)",
                 human_bytes((int64_t)range.low, low), human_bytes((int64_t)range.high, high));
}

/* What is resident was never as much as was counted: lost frees make that impossible. */
static bool is_impossible(const struct text_page *page, int64_t counted)
{
    return losses_matter(page->report->recording) && page->report->findings.rss_peak_bytes > 0 &&
           counted > page->report->findings.rss_peak_bytes;
}

/* An impossible number is not shown before its range. */
static void add_bytes(struct text_line *line, const struct text_page *page, int64_t counted,
                      struct value_range range)
{
    char bytes[HUMAN_MAX], low[HUMAN_MAX], high[HUMAN_MAX];
    if (!is_impossible(page, counted) || range.low >= range.high) {
        line_add(line, "%s", human_bytes(counted, bytes));
        return;
    }
    line_add(
        line,
        "between %s and %s: events were lost (what was counted, %s, is more than was resident)",
        human_bytes((int64_t)range.low, low), human_bytes((int64_t)range.high, high),
        human_bytes(counted, bytes));
}

/* The peak of samples has no error of the same size on both sides. */
static void add_range_of_peak(struct text_line *line, const struct recording *recording)
{
    struct value_range const range = losses_of_peak(recording);
    char low[HUMAN_MAX], high[HUMAN_MAX];
    if (losses_matter(recording))
        add_range(line, recording, range);
    else if (range.low < range.high)
        line_add(line, " (between %s and %s: it is estimated)",
                 human_bytes((int64_t)range.low, low), human_bytes((int64_t)range.high, high));
}

/* Where it would be seen in the digits that are shown. */
static bool order_matters(const struct recording *recording)
{
    return recording->quality.peak_order_bytes > recording->heap.peak_bytes / 200;
}

/* " in 9 blocks", or in so many to so many. */
static void add_blocks(struct text_line *line, const struct recording *recording, int64_t count,
                       const struct value_range *range)
{
    char low[HUMAN_MAX];
    line_add(line, " in ");
    if (range && losses_matter(recording) && range->low < range->high) {
        line_add(line, "%s to ", human_count((int64_t)range->low, low));
        count = (int64_t)range->high;
    }
    line_add_counted(line, count, "block");
}

static void put_peak(const struct text_page *page)
{
    const struct totals *heap = &page->report->recording->heap;
    struct text_line line = {0};
    struct value_range calls;
    char when[HUMAN_MAX], rss[HUMAN_MAX], order[HUMAN_MAX];
    if (heap->peak_bytes == 0 && heap->bytes > 0)
        return; /* of a file that does not tell it */
    add_bytes(&line, page, (int64_t)heap->peak_bytes, losses_of_peak(page->report->recording));
    if (!is_impossible(page, (int64_t)heap->peak_bytes))
        add_range_of_peak(&line, page->report->recording);
    if (order_matters(page->report->recording))
        line_add(&line, " (±%s: the order of events in different threads is not known exactly)",
                 human_bytes((int64_t)page->report->recording->quality.peak_order_bytes, order));
    if (recording_counts_blocks(page->report->recording) && heap->peak_count > 0)
        add_blocks(&line, page->report->recording, (int64_t)heap->peak_count,
                   losses_of_peak_calls(page->report->recording, &calls) ? &calls : NULL);
    if (recording_knows_peak_time(page->report->recording))
        line_add(&line, ", at %s", human_duration(heap->peak_time_ns, when));
    if (page->report->findings.rss_peak_bytes >= 0)
        line_add(&line, " (resident memory reached %s)",
                 human_bytes(page->report->findings.rss_peak_bytes, rss));
    line_add_until(&line, ", ", page->report->recording);
    text_put(page, INK_STRONG, "peak", &line);
}

/* Of a process that was only looked at: what the kernel counted. */
static void put_resident(const struct text_page *page)
{
    const struct recording *recording = page->report->recording;
    const struct bucket *buckets = recording->buckets.items;
    struct text_line line = {0};
    char most[HUMAN_MAX], last[HUMAN_MAX], before[HUMAN_MAX];
    int64_t rss = -1;
    for (size_t i = recording->buckets.count; i-- > 0 && rss <= 0;)
        rss = buckets[i].gauges.rss_bytes;
    if (rss < 0)
        return;
    line_add(&line, "%s at the end, %s at its peak, by the kernel's count as it was last read",
             human_bytes(rss, last), human_bytes(page->report->findings.rss_peak_bytes, most));
    if (recording->before.attached)
        line_add(&line, "; %s of it when the recording began",
                 human_bytes((int64_t)recording->before.rss_bytes, before));
    text_put(page, INK_STRONG, "resident", &line);
}

static void put_time(const struct text_page *page)
{
    struct text_line on = {0}, off = {0};
    bool const doubtful = timing_render(page->report->recording, &on, &off);
    if (on.text[0])
        text_put(page, doubtful ? INK_WARN : INK_PLAIN, "running", &on);
    if (off.text[0])
        text_put(page, doubtful ? INK_WARN : INK_PLAIN, "waiting", &off);
}

static void put_growth(const struct text_page *page)
{
    const struct recording_growth *growth = &page->report->growth;
    enum ink const ink = recording_growth_is_bad(growth) ? INK_WARN : INK_PLAIN;
    const char *label = "growth";
    for (int part = 0; part < GROWTH_PARTS; part++) {
        struct text_line line = {0};
        recording_growth_render(page->report->recording, growth, (enum growth_part)part, &line);
        if (line.size == 0)
            continue;
        text_put(page, ink, label, &line);
        label = "";
    }
}

static void put_leaked(const struct text_page *page)
{
    static const char *const whens[] = {[LIVE_NOW] = " live now",
                                        [LIVE_REPLACED] = " live when the program became another",
                                        [LIVE_STOPPED] = " live when recording stopped",
                                        [LIVE_AT_SNAPSHOT] = " live at the last snapshot",
                                        [LIVE_AT_END] = " still live at the end"};
    const struct report *report = page->report;
    const struct suppressions *rules = report->question.suppressions;
    struct text_line line = {0};
    struct value_range calls;
    char hidden[HUMAN_MAX];
    struct value_range const range = losses_of_live(report->recording, report->leaked_value);
    add_bytes(&line, page, report->leaked_value, range);
    if (!is_impossible(page, report->leaked_value))
        add_range(&line, report->recording, range);
    bool const counts_them = report->leaked_count || !report->leaked_value; /* or it is not told */
    if (recording_counts_blocks(report->recording) && counts_them)
        add_blocks(&line, report->recording, report->leaked_count,
                   losses_of_live_calls(report->recording, report->leaked_value,
                                        report->leaked_count, &calls)
                       ? &calls
                       : NULL);
    enum live_when const when = recording_live_when(report->recording);
    if (when == LIVE_UNWRITTEN)
        line_add_until(&line, ", ", report->recording);
    else
        line_add(&line, "%s", whens[when]);
    if (rules && rules->count)
        line_add(&line, " (and %s suppressed)", human_bytes(rules->value, hidden));
    text_put(page, report->leaked_count ? INK_STRONG : INK_PLAIN,
             when == LIVE_AT_END ? "leaked" : "live", &line);
}

static void add_freed_since(struct text_line *line, struct value_range freed)
{
    char low[HUMAN_MAX], high[HUMAN_MAX];
    if (freed.low == 0) {
        line_add(line, "; it is not known how many of these blocks were freed since (at most %s)",
                 human_count((int64_t)freed.high, high));
        return;
    }
    line_add(line, "; ");
    if (freed.low < freed.high)
        line_add(line, "%s to ", human_count((int64_t)freed.low, low));
    line_add_counted(line, (int64_t)freed.high, "block");
    line_add(line, " of it freed since");
}

/* What nobody can attribute: it was there before we were. */
static void put_before(const struct text_page *page)
{
    const struct recording *recording = page->report->recording;
    const struct before *before = &recording->before;
    struct text_line line = {0};
    char all[HUMAN_MAX], heap[HUMAN_MAX], other[HUMAN_MAX], rss[HUMAN_MAX];
    if (!before->attached)
        return;
    line_add(&line,
             "%s allocated before the recording (resident then: %s of [heap], %s of other memory "
             "without a file; %s in all)",
             human_bytes((int64_t)(before->heap_bytes + before->anonymous_bytes), all),
             human_bytes((int64_t)before->heap_bytes, heap),
             human_bytes((int64_t)before->anonymous_bytes, other),
             human_bytes((int64_t)before->rss_bytes, rss));
    if (losses_of_before(recording).high) {
        add_freed_since(&line, losses_of_before(recording));
    } else if (recording->quality.events == 0) {
        line_add(&line, "; attached, no %s %s", recording->quality.sample_rate ? "sample" : "event",
                 recording->quality.complete ? "since" : "yet");
    }
    text_put(page, INK_PLAIN, "before", &line);
}

static void put_calls(const struct text_page *page)
{
    const struct recording *recording = page->report->recording;
    const struct totals *heap = &recording->heap;
    uint64_t const unwritten_ns = recording->quality.unwritten_from_ns;
    double const seconds = (double)(unwritten_ns ? unwritten_ns : recording->duration_ns) / 1e9;
    uint64_t const lost = recording->quality.lost_calls;
    uint64_t const recorded = heap->calls > lost ? heap->calls - lost : heap->calls;
    struct text_line line = {0};
    char calls[HUMAN_MAX], rate[HUMAN_MAX], bytes[HUMAN_MAX], temporary[HUMAN_MAX],
        share[HUMAN_MAX];
    if (!recording_counts_blocks(recording))
        return;
    line_add(&line, "%s allocations", human_count((int64_t)heap->calls, calls));
    if (recording->duration_ns > 1 && (double)heap->calls / seconds < 1e18)
        line_add(&line, " (%s/s)",
                 human_count_short((int64_t)((double)heap->calls / seconds), rate));
    line_add(&line, " of %s", human_bytes((int64_t)heap->bytes, bytes));
    if (!line_add_until(&line, " ", recording))
        line_add(&line, " in all");
    if (!recording->quality.sample_rate && !recording_is_of_profiles(recording) &&
        !recording_is_of_costs(recording))
        line_add(&line, "; %s (%s%s) temporary: freed before their thread allocated again",
                 human_count((int64_t)heap->temporary, temporary),
                 human_share((int64_t)heap->temporary, (int64_t)recorded, share),
                 recorded < heap->calls ? " of those recorded" : "");
    text_put(page, INK_PLAIN, "calls", &line);
}

static void put_overhead(const struct text_page *page)
{
    const struct totals *heap = &page->report->recording->heap;
    struct text_line line = {0};
    char peak[HUMAN_MAX], share[HUMAN_MAX];
    if (heap->slack_bytes == 0 || heap->peak_count == 0)
        return; /* nobody asked the allocator, or who had the peak is not known */
    line_add(&line, "%s (%s) at the peak, the allocator rounding sizes up",
             human_bytes((int64_t)heap->peak_slack_bytes, peak),
             human_share((int64_t)heap->peak_slack_bytes, (int64_t)heap->peak_bytes, share));
    text_put(page, INK_PLAIN, "overhead", &line);
}

static void put_maps(const struct text_page *page)
{
    const struct totals *maps = &page->report->recording->maps;
    struct text_line line = {0};
    char peak[HUMAN_MAX], now[HUMAN_MAX];
    if (maps->calls == 0)
        return;
    line_add_counted(&line, (int64_t)maps->calls, "mapping");
    line_add(&line, " made by the program itself, at most %s at once, %s %s",
             human_bytes((int64_t)maps->peak_bytes, peak),
             human_bytes((int64_t)(maps->bytes - maps->freed_bytes), now),
             page->report->recording->being_written ? "now" : "at the end");
    line_add_until(&line, ", ", page->report->recording);
    text_put(page, INK_PLAIN, "maps", &line);
}

static void put_marks(const struct text_page *page)
{
    const struct mark_list *marks = &page->report->recording->marks;
    struct text_line line = {0};
    int64_t instants = 0, phases = 0, alerts = 0;
    for (size_t i = 0; i < marks->count; i++) {
        const struct mark *mark = &marks->items[i];
        bool const is_of_alert =
            mark->kind == MARK_INSTANT &&
            mark_is_of_alert(recording_text(page->report->recording, mark->label));
        alerts += is_of_alert;
        instants += mark->kind == MARK_INSTANT && !is_of_alert;
        phases += mark->kind == MARK_BEGIN;
    }
    if (instants + phases + alerts == 0 || page->report->question.by == BY_PHASE)
        return;
    if (instants > 0)
        line_add_counted(&line, instants, "mark");
    if (phases > 0) {
        line_separate(&line, " and ");
        line_add_counted(&line, phases, "phase");
    }
    if (instants + phases > 0)
        line_add(&line, " named by the program or with memoir mark");
    if (alerts > 0) {
        line_separate(&line, ", ");
        line_add_counted(&line, alerts, "mark");
        line_add(&line, " set by alerts");
    }
    line_add(&line, ": --by phase lists them, --between phase:NAME shows one");
    text_put(page, INK_PLAIN, "marks", &line);
}

/* What the program told through memoir.h. */
static void put_told(const struct text_page *page)
{
    const struct totals *pools = &page->report->recording->pools;
    const struct totals *regions = &page->report->recording->regions;
    struct text_line line = {0};
    char bytes[HUMAN_MAX], peak[HUMAN_MAX], now[HUMAN_MAX];
    if (pools->calls > 0) {
        line_add_counted(&line, (int64_t)pools->calls, "block");
        line_add(&line,
                 " of %s by the program's own allocators, at most %s at once, %s at the end; part "
                 "of the memory counted above (pool.*)",
                 human_bytes((int64_t)pools->bytes, bytes),
                 human_bytes((int64_t)pools->peak_bytes, peak),
                 human_bytes((int64_t)(pools->bytes - pools->freed_bytes), now));
        line_add_until(&line, ", ", page->report->recording);
        text_put(page, INK_PLAIN, "pools", &line);
    }
    if (regions->calls > 0) {
        line = (struct text_line){0};
        line_add_counted(&line, (int64_t)regions->calls, "region");
        line_add(&line, " named by the program, at most %s at once, %s at the end (region.live)",
                 human_bytes((int64_t)regions->peak_bytes, peak),
                 human_bytes((int64_t)(regions->bytes - regions->freed_bytes), now));
        line_add_until(&line, ", ", page->report->recording);
        text_put(page, INK_PLAIN, "regions", &line);
    }
}

void text_summary_write(const struct report *report, const struct text_style *style, FILE *out)
{
    struct text_page const page = {report, style, out};
    put_program(&page);
    put_sampled(&page);
    bool const traces_heap =
        recording_traces_heap(report->recording) && !metric_data_heap_is_off(report->recording);
    if (traces_heap) {
        put_peak(&page);
        if (recording_knows_live(page.report->recording))
            put_leaked(&page);
    } else {
        put_resident(&page);
    }
    put_time(&page);
    put_growth(&page);
    if (traces_heap) {
        put_before(&page);
        put_calls(&page);
        put_overhead(&page);
    }
    put_maps(&page);
    put_told(&page);
    put_marks(&page);
    text_quality_write(&page);
}
