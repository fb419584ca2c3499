/* SPDX-License-Identifier: Apache-2.0 */
#include "report/top/top_page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "model/losses.h"
#include "report/text/text_frame.h"
#include "report/text/text_line.h"

#define CALLERS_MAX  12  /* where no screen cuts the line */
#define WIDE_COLUMNS 100 /* from here on there is room for the count */

const char *const top_order_names[LIVE_ORDERS + 1] = {
    [LIVE_BY_VALUE] = "value", [LIVE_BY_GROWTH] = "growth", [LIVE_BY_COUNT] = "count"};

const char *top_grouping_name(enum grouping by)
{
    static const char *const names[] = {[BY_STACK] = "stack",
                                        [BY_FUNCTION] = "function",
                                        [BY_MODULE] = "module",
                                        [BY_THREAD] = "thread",
                                        [BY_LINE] = "line"};
    return names[by];
}

/* The last that was measured: none is of a program that has just ended. */
static int64_t last_rss(const struct recording *recording)
{
    for (size_t i = recording->buckets.count; i-- > 0;)
        if (recording->buckets.items[i].gauges.rss_bytes >= 0)
            return recording->buckets.items[i].gauges.rss_bytes;
    return -1;
}

int top_view_prepare(struct top_view *view)
{
    struct running_rows heap;
    int err = running_weigh(view->running, metric_find("heap.live"), NULL, &heap);
    if (err)
        return err;
    view->heap_bytes = heap.value;
    view->heap_blocks = heap.count;
    running_rows_fini(&heap);
    view->rss_bytes = last_rss(view->recording);
    view->pace = running_pace(view->running);
    return live_rank_build(view->recording, view->running, &view->question, &view->live);
}

void top_view_fini(struct top_view *view)
{
    live_rank_fini(&view->live);
}

int top_page_add(struct top_page *page, unsigned width, enum ink ink, const char *text)
{
    struct top_line line = {.ink = ink};
    size_t size;
    FILE *out = open_memstream(&line.text, &size);
    if (!out)
        return -ENOMEM;
    text_write(out, text, width ? width : SIZE_MAX);
    if (fclose(out) == 0 && line.text && vec_push(&page->lines, line))
        return 0;
    free(line.text);
    return -ENOMEM;
}

void top_page_fini(struct top_page *page)
{
    vec_each (line, &page->lines)
        free(line->text);
    vec_free(&page->lines);
}

static void add_program(const struct top_view *view, struct text_line *line)
{
    const struct recording *recording = view->recording;
    char duration[HUMAN_MAX], ago[HUMAN_MAX];
    uint64_t const now = view->now_unix_ns, written = recording->written_unix_ns;
    line_add_name(line, text_path_end(recording_text(recording, recording->program)));
    line_add(line, " (pid %u) %s %s", recording->pid,
             recording->being_written ? "running for" : "ran",
             human_duration(recording->duration_ns, duration));
    if (!recording->being_written)
        line_add(line, ", %s", recording->quality.complete ? "ended" : "its recorder is gone");
    else if (written && now)
        line_add(line, ", as of %s ago", human_duration(now > written ? now - written : 0, ago));
}

static void add_sizes(const struct top_view *view, struct text_line *line)
{
    const struct totals *heap = &view->recording->heap;
    char rss[HUMAN_MAX], live[HUMAN_MAX], peak[HUMAN_MAX], when[HUMAN_MAX];
    uint64_t const rate = view->recording->quality.sample_rate;
    line_add(line, "rss %s   heap %s",
             view->rss_bytes < 0 ? "?" : human_bytes(view->rss_bytes, rss),
             human_bytes(view->heap_bytes, live));
    if (rate) /* of what was sampled, a guess */
        line_add(
            line, " ± %s",
            human_bytes((int64_t)sampled_error_of_live(view->recording, view->heap_bytes), live));
    line_add(line, " in ");
    line_add_counted(line, view->heap_blocks, "block");
    line_add(line, "   peak %s at %s", human_bytes((int64_t)heap->peak_bytes, peak),
             human_duration(heap->peak_time_ns, when));
}

static int64_t rounded(double value)
{
    return value > 9e18 || value < -9e18 ? 0 : (int64_t)(value < 0 ? value - 0.5 : value + 0.5);
}

/* "+1.2 KiB", "0 B", "-3 MiB" */
static const char *signed_value(int64_t value, const char *unit, char out[HUMAN_MAX + 1])
{
    char text[HUMAN_MAX];
    snprintf(out, HUMAN_MAX + 1, "%s%s", value > 0 ? "+" : "", human_value(value, unit, text));
    return out;
}

static void add_rates(const struct top_view *view, struct text_line *line)
{
    const struct pace *pace = &view->pace;
    char calls[HUMAN_MAX], bytes[HUMAN_MAX], frees[HUMAN_MAX], grows[HUMAN_MAX + 1];
    line_add(line, "%s allocations/s of %s/s   %s frees/s   heap %s/s",
             human_count_short(rounded(pace->calls), calls),
             human_bytes(rounded(pace->bytes), bytes),
             human_count_short(rounded(pace->frees), frees),
             signed_value(rounded(pace->bytes - pace->freed_bytes), "bytes", grows));
    if (view->recording->quality.lost_events)
        line_add(line, "   %s events lost",
                 human_count((int64_t)view->recording->quality.lost_events, calls));
}

static void add_question(const struct top_view *view, struct text_line *line)
{
    const struct live_question *question = &view->question;
    char value[HUMAN_MAX], since[HUMAN_MAX];
    uint64_t const now = running_time(view->running), mark = running_mark_time(view->running);
    line_add(line, "%s %s", question->metric->name,
             human_value(view->live.value, question->metric->unit, value));
    if (view->filter_text) {
        line_add(line, " in /");
        line_add_name(line, view->filter_text);
        line_add(line, "/");
    }
    line_add(line, " by %s, sorted by %s; growth since ", top_grouping_name(question->by),
             top_order_names[question->order]);
    if (mark)
        line_add(line, "%s before", human_duration(now - mark, since));
    else
        line_add(line, "the start");
}

static int render_head(const struct top_view *view, unsigned width, struct top_page *page)
{
    struct text_line lines[TOP_HEAD_LINES] = {0};
    static const enum ink inks[TOP_HEAD_LINES] = {INK_STRONG, INK_PLAIN, INK_PLAIN, INK_STRONG,
                                                  INK_DIM};
    add_program(view, &lines[0]);
    add_sizes(view, &lines[1]);
    add_rates(view, &lines[2]);
    add_question(view, &lines[3]);
    line_add(&lines[4], "%9s %7s %10s %12s  ", "value", "share", "growth", "per second");
    if (!width || width >= WIDE_COLUMNS)
        line_add(&lines[4], "%10s  ", "count");
    line_add(&lines[4], "%s", top_grouping_name(view->question.by));
    int err = 0;
    for (size_t i = 0; i < TOP_HEAD_LINES && !err; i++)
        err = top_page_add(page, width, inks[i], lines[i].text);
    return err;
}

/* The callers of a stack, as far as the line goes. */
static void put_callers(const struct top_view *view, FILE *out, uint32_t node)
{
    const struct call_node *nodes = view->live.rank.tree.nodes.items;
    unsigned shown = 0;
    for (node = nodes[node].parent; node; node = nodes[node].parent) {
        const char *name = recording_text(view->recording, nodes[node].function);
        if (text_frame_is_startup(name))
            return;
        fputs(" < ", out);
        text_write(out, shown < CALLERS_MAX ? name : "…", SIZE_MAX);
        if (shown++ == CALLERS_MAX)
            return;
    }
}

static void put_site(const struct top_view *view, FILE *out, const struct rank_row *site)
{
    struct text_style const plain = {0};
    struct shown_frame const frame = {site->function, site->module, site->file, site->line,
                                      site->inlined};
    const char *name = recording_text(view->recording, site->function);
    if (view->question.by == BY_MODULE) {
        text_write(out, text_path_end(recording_text(view->recording, site->module)), SIZE_MAX);
    } else if (view->question.by == BY_STACK) {
        text_write(out, *name ? name : TEXT_NO_STACK, SIZE_MAX);
        put_callers(view, out, site->node);
    } else {
        text_frame_write(&plain, out, view->recording, &frame, SIZE_MAX);
    }
}

static int render_row(const struct top_view *view, unsigned width, const struct live_row *row,
                      struct top_page *page)
{
    const char *unit = view->question.metric->unit;
    uint64_t const since = running_time(view->running) - running_mark_time(view->running);
    double const per_second = since ? (double)row->growth * 1e9 / (double)since : 0;
    char value[HUMAN_MAX], share[HUMAN_MAX], growth[HUMAN_MAX + 1], rate[HUMAN_MAX + 1];
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return -ENOMEM;
    fprintf(out, "%9s %7s %10s %10s/s  ", human_value(row->value, unit, value),
            human_share(row->value, view->live.whole_value, share),
            signed_value(row->growth, unit, growth), signed_value(rounded(per_second), unit, rate));
    if (!width || width >= WIDE_COLUMNS)
        fprintf(out, "%10s  ", human_count(row->count, value));
    put_site(view, out, row->site);
    int err = fclose(out) == 0 && text ? top_page_add(page, width, INK_PLAIN, text) : -ENOMEM;
    free(text);
    return err;
}

int top_page_render(const struct top_view *view, unsigned width, size_t first, size_t rows,
                    struct top_page *page)
{
    int err = render_head(view, width, page);
    size_t const count = view->live.rows.count;
    for (size_t i = first; i < count && i - first < rows && !err; i++)
        err = render_row(view, width, &view->live.rows.items[i], page);
    return err;
}
