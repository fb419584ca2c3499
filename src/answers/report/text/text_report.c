/* SPDX-License-Identifier: Apache-2.0 */
#include "report/text/text_report.h"

#include <string.h>

#include "base/clock.h"
#include "base/human.h"
#include "report/text/phase_table.h"
#include "report/text/text_line.h"

#define NEAR_NS    NS_PER_SECOND
#define NEAR_SHARE 10 /* one part in so many of the time asked for */

static void add_amount(struct text_line *line, const struct metric *metric, int64_t value,
                       int64_t count)
{
    char text[HUMAN_MAX];
    line_add(line, "%s", human_value(value, metric->unit, text));
    if (strcmp(metric->unit, "bytes") == 0 && metric->count_plus == COL_NONE)
        return; /* of pages, which are no blocks */
    if (strcmp(metric->unit, "bytes") == 0 && count == 0 && value != 0)
        return; /* of a file that does not count them */
    if (strcmp(metric->unit, "bytes") == 0) {
        line_add(line, " in ");
        line_add_counted(line, count, "block");
    } else if (strcmp(metric->unit, "ns") != 0) {
        line_add(line, " %s", metric->unit);
    }
}

static void add_time(struct text_line *line, const struct report *report)
{
    struct time_range const used = report->weights.used;
    char from[HUMAN_MAX], to[HUMAN_MAX];
    if (report->question.metric->kind == METRIC_PINNED) {
        if (recording_knows_peak_time(report->recording))
            line_add(line, ", at %s", human_duration(used.to_ns, to));
    } else if (report->question.range_given && used.from_ns > 0) {
        line_add(line, ", %sfrom %s to %s",
                 report->question.metric->kind == METRIC_LEVEL ? "the change " : "",
                 human_duration(used.from_ns, from), human_duration(used.to_ns, to));
    } else if (report->question.range_given) {
        line_add(line, ", %s %s",
                 report->question.metric->kind == METRIC_LEVEL ? "at" : "from the start to",
                 human_duration(used.to_ns, to));
    }
}

static void put_mind(const struct text_style *style, FILE *out, const struct text_line *line)
{
    text_ink(style, out, INK_WARN);
    text_write(out, line->text, text_room(style, 0));
    text_ink(style, out, INK_PLAIN);
    putc('\n', out);
}

/* Rows of what is live are as doubtful as their sum; those of all that ever was have only what
 * was recorded. */
static void put_losses(const struct report *report, const struct text_style *style, FILE *out)
{
    const struct quality *quality = &report->recording->quality;
    const struct metric *metric = report->question.metric;
    struct text_line line = {0};
    char frees[HUMAN_MAX], calls[HUMAN_MAX], bytes[HUMAN_MAX];
    if (!report_has_losses(report))
        return;
    line_add(&line, "warning: %s frees and %s allocations",
             human_count((int64_t)quality->lost_frees, frees),
             human_count((int64_t)quality->lost_calls, calls));
    if (metric->minus == COL_HEAP_FREED)
        line_add(&line,
                 " were lost, so blocks that were freed may be in these rows, and others may "
                 "be missing");
    else
        line_add(&line, " of %s were lost: they are missing from these rows",
                 human_bytes((int64_t)quality->lost_bytes, bytes));
    put_mind(style, out, &line);
}

/* By how much the answer may be of another time unsaid.  Buckets are nearly a second long, which
 * is no news of an instant; where they became longer, or of a stretch, it depends on how long
 * the one asked for is. */
static uint64_t near_ns(const struct report *report)
{
    struct time_range const asked = report->question.range;
    uint64_t const share = (asked.to_ns - asked.from_ns) / NEAR_SHARE;
    bool const is_stretch = asked.from_ns > 0 || report->recording->quality.coarsened;
    return is_stretch && share < NEAR_NS ? share : NEAR_NS;
}

/* Older times are only known in stretches that get longer: the answer may be of far more than
 * was asked for. */
static void put_other_time(const struct report *report, const struct text_style *style, FILE *out)
{
    struct time_range const asked = report->question.range, used = report->weights.used;
    struct text_line line = {0};
    char from[HUMAN_MAX], to[HUMAN_MAX];
    uint64_t const from_near = report->question.from_mark ? 0 : near_ns(report);
    uint64_t const to_near = report->question.to_mark ? 0 : near_ns(report);
    bool const is_later = asked.to_ns < used.to_ns && used.to_ns - asked.to_ns > to_near;
    bool const is_earlier =
        asked.from_ns > used.from_ns && asked.from_ns - used.from_ns > from_near;
    if (!report->question.range_given || report->question.metric->kind == METRIC_PINNED ||
        (!is_later && !is_earlier))
        return;
    line_add(&line, "warning: the recording has only longer time ranges of that time; this is "
                    "for ");
    if (report->question.metric->kind == METRIC_LEVEL && used.from_ns == 0)
        line_add(&line, "%s, not of %s", human_duration(used.to_ns, from),
                 human_duration(asked.to_ns, to));
    else
        line_add(&line, "all from %s to %s", human_duration(used.from_ns, from),
                 human_duration(used.to_ns, to));
    put_mind(style, out, &line);
}

/* A recorder that was killed leaves a peak without its picture: the rows are those of an earlier
 * one. */
static void put_other_peak(const struct report *report, const struct text_style *style, FILE *out)
{
    const struct totals *totals = metric_is_of_pools(report->question.metric)
                                      ? &report->recording->pools
                                      : &report->recording->heap;
    struct text_line line = {0};
    char peak[HUMAN_MAX], when[HUMAN_MAX], shown[HUMAN_MAX];
    if (report->question.metric->kind != METRIC_PINNED || report->recording->quality.complete ||
        (uint64_t)report->whole_value == totals->peak_bytes)
        return;
    line_add(&line,
             "warning: the peak was %s, at %s; its call stacks were not written, so these rows are "
             "for %s",
             human_bytes((int64_t)totals->peak_bytes, peak),
             human_duration(totals->peak_time_ns, when),
             human_duration(report->weights.used.to_ns, shown));
    put_mind(style, out, &line);
}

static void put_until(const struct report *report, const struct text_style *style, FILE *out)
{
    struct text_line line = {0};
    if (line_add_until(&line, "warning: these rows go ", report->recording))
        put_mind(style, out, &line);
}

/* "heap.peak: 11.0 MiB in 14 blocks, at 18.0 s (live heap at the instant it was largest)" */
static void put_heading(const struct report *report, const struct text_style *style, FILE *out)
{
    const struct report_question *question = &report->question;
    struct text_line line = {0};
    char share[HUMAN_MAX];
    line_add(&line, "%s: ", question->metric->name);
    add_amount(&line, question->metric, report->whole_value, report->whole_count);
    add_time(&line, report);
    line_add(&line, " (%s)", question->metric->help);
    text_ink(style, out, INK_STRONG);
    text_write(out, line.text, text_room(style, 0));
    text_ink(style, out, INK_PLAIN);
    putc('\n', out);
    put_other_time(report, style, out);
    put_other_peak(report, style, out);
    put_losses(report, style, out);
    put_until(report, style, out);
    if (question->note)
        fprintf(out, "%s\n", question->note);
    if (!question->filter)
        return;
    line = (struct text_line){0};
    line_add(&line, "of it ");
    add_amount(&line, question->metric, report->weights.total_value, report->weights.total_count);
    line_add(&line, " (%s) in stacks that match ",
             human_share(report->weights.total_value, report->whole_value, share));
    line_add_name(&line, question->filter_text);
    text_write(out, line.text, text_room(style, 0));
    putc('\n', out);
}

void text_suppressions_write(const struct report *report, const struct text_style *style, FILE *out)
{
    const struct suppressions *rules = report->question.suppressions;
    char bytes[HUMAN_MAX], blocks[HUMAN_MAX];
    if (!rules || rules->count == 0)
        return;
    text_ink(style, out, INK_STRONG);
    fprintf(out, "Suppressed leaks%s: %s in %s block%s\n",
            report->question.by == BY_THREAD
                ? ", which are in these rows, because threads are counted without stacks"
                : "",
            human_bytes(rules->value, bytes), human_count(rules->count, blocks),
            rules->count == 1 ? "" : "s");
    text_ink(style, out, INK_PLAIN);
    for (size_t i = 0; i < rules->rules.count; i++) {
        const struct suppression *rule = &rules->rules.items[i];
        struct text_line line = {0};
        if (rule->stacks == 0)
            continue;
        line_add(&line, "%10s  %10s  ", human_bytes(rule->value, bytes),
                 human_count(rule->count, blocks));
        line_add_name(&line, rule->pattern);
        if (rule->line)
            line_add(&line, "  (%s, line %u)", rule->origin, rule->line);
        else
            line_add(&line, "  (%s)", rule->origin);
        text_write(out, line.text, text_room(style, 0));
        putc('\n', out);
    }
}

static bool is_tree(const struct report_question *question)
{
    return question->by == BY_STACK || (question->top_down && question->by != BY_THREAD);
}

int text_report_write(const struct report *report, const struct text_style *style, FILE *out)
{
    const struct report_question *question = &report->question;
    text_summary_write(report, style, out);
    putc('\n', out);
    if (question->histogram != HISTOGRAM_DEFAULT) {
        text_histogram_write(report, style, out);
        return 0;
    }
    put_heading(report, style, out);
    if (question->by == BY_PHASE) {
        phase_text_write(report, style, out);
        return 0;
    }
    int err = is_tree(question) ? text_tree_write(report, style, out)
                                : text_table_write(report, style, out);
    if (err)
        return err;
    if (strcmp(question->metric->name, "heap.leaked") == 0) {
        putc('\n', out);
        text_suppressions_write(report, style, out);
    }
    if (question->by == BY_STACK && !question->top_down &&
        histogram_total(report->histogram.sizes, SIZE_CLASSES)) {
        putc('\n', out);
        text_histogram_write(report, style, out);
    }
    return 0;
}
