/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/human.h"
#include "report/graph/graph_scene.h"
#include "report/pictures/picture_text.h"
#include "report/rows/side_report.h"
#include "report/text/text_frame.h"
#include "report/text/text_line.h"

#define ROWS_DEFAULT 20
#define TREE_SHARE   0.01 /* branches with less of every metric are summed up */
#define LEVELS_MAX   256  /* also bounds how deep the writing calls itself */
#define NAME_MIN     24
#define PREFIX_MAX   256
#define METRIC_ROOM  24
#define TOTAL_ROOM   12
#define RATIO_ROOM   14

struct side_page {
    const struct recording *recording;
    const struct side_by_side *sides;
    const struct side_view *view;
    const struct text_style *style;
    FILE *out;
    uint64_t shown;
};

static void put_ratio(const struct side_page *page, const struct side_ratio *ratio,
                      const struct side_value *values)
{
    double const value = side_ratio_value(ratio, values);
    char text[HUMAN_MAX], whole[HUMAN_MAX + 4] = "-";
    int64_t const rounded = fabs(value) < 9e18 ? llround(value) : INT64_MAX;
    if (isfinite(value) && ratio->kind == SIDE_TIMES)
        snprintf(whole, sizeof(whole), "%.2f", value);
    else if (isfinite(value) && strncmp(ratio->unit, "bytes/", 6) != 0)
        snprintf(whole, sizeof(whole), ratio->kind == SIDE_PER_SECOND ? "%s/s" : "%s",
                 human_count_short(rounded, text));
    else if (isfinite(value))
        snprintf(whole, sizeof(whole), "%s%s", human_bytes(rounded, text),
                 ratio->kind == SIDE_PER_SECOND ? "/s" : "");
    fprintf(page->out, "%*s  ", RATIO_ROOM - 2, whole);
}

/* Total and, in a list, self of each metric; between two neighbours what one is per unit of the
 * other. */
static void put_numbers(const struct side_page *page, const struct side_value *values)
{
    const struct side_question *question = &page->sides->question;
    char text[HUMAN_MAX];
    for (unsigned i = 0; i < question->count; i++) {
        const char *unit = question->metrics[i]->unit;
        text_ink(page->style, page->out, i == question->sort ? INK_STRONG : INK_PLAIN);
        fprintf(page->out, "%*s  ", TOTAL_ROOM - 2, human_value(values[i].total_value, unit, text));
        if (!page->view->top_down)
            fprintf(page->out, "%*s  ", METRIC_ROOM - TOTAL_ROOM - 2,
                    human_value(values[i].self_value, unit, text));
        text_ink(page->style, page->out, INK_PLAIN);
        if (i > 0) {
            struct side_ratio const ratio = side_ratio_of(question, i - 1);
            put_ratio(page, &ratio, values);
        }
    }
}

static size_t number_columns(const struct side_page *page)
{
    unsigned const count = page->sides->question.count;
    return count * (page->view->top_down ? TOTAL_ROOM : METRIC_ROOM) + (count - 1) * RATIO_ROOM;
}

static size_t name_room(const struct side_page *page, size_t more)
{
    size_t const room = text_room(page->style, number_columns(page) + more);
    return room > NAME_MIN ? room : NAME_MIN; /* a narrow terminal wraps: a row needs its name */
}

static void put_headings(const struct side_page *page)
{
    static const char *const names[] = {
        [BY_STACK] = "stack",   [BY_FUNCTION] = "function", [BY_MODULE] = "module",
        [BY_THREAD] = "thread", [BY_LINE] = "line",         [BY_PHASE] = "phase"};
    const struct side_question *question = &page->sides->question;
    bool const is_tree = page->view->top_down;
    int const room = (is_tree ? TOTAL_ROOM : METRIC_ROOM) - 2;
    text_ink(page->style, page->out, INK_DIM);
    for (unsigned i = 0; i < question->count; i++)
        fprintf(page->out, "%s%*.*s%*s", i ? "  " : "", room, room, question->metrics[i]->name,
                i && i + 1 < question->count ? RATIO_ROOM : 0, "");
    putc('\n', page->out);
    for (unsigned i = 0; i < question->count; i++) {
        fprintf(page->out, "%*s  ", TOTAL_ROOM - 2, "total");
        if (!is_tree)
            fprintf(page->out, "%*s  ", METRIC_ROOM - TOTAL_ROOM - 2, "self");
        if (i > 0) {
            struct side_ratio const ratio = side_ratio_of(question, i - 1);
            fprintf(page->out, "%*s  ", RATIO_ROOM - 2, *ratio.unit ? ratio.unit : "times");
        }
    }
    fprintf(page->out, "%s\n", names[question->by]);
    text_ink(page->style, page->out, INK_PLAIN);
}

static void put_ratio_meanings(const struct side_page *page)
{
    const struct side_question *question = &page->sides->question;
    for (unsigned i = 0; i + 1 < question->count; i++) {
        struct side_ratio const ratio = side_ratio_of(question, i);
        fprintf(page->out, "%s%s per %s%s%s",
                i ? "; " : "ratios are of the totals: ", question->metrics[ratio.above]->name,
                ratio.kind == SIDE_PER_SECOND ? "second of " : "",
                question->metrics[ratio.below]->name, i + 2 == question->count ? "\n" : "");
    }
}

/* "cpu.on: 4.00 s in 200 samples, from 1.00 s to 2.00 s (time on a processor)" */
static void put_total(const struct side_page *page, unsigned index)
{
    const struct metric *metric = page->sides->question.metrics[index];
    const struct side_column *column = &page->sides->columns[index];
    const char *word = graph_count_word(metric, column->whole_count);
    struct weights const weights = {.used = column->used, .metric = metric};
    struct picture_text interval;
    struct text_line line = {0};
    char value[HUMAN_MAX], count[HUMAN_MAX];
    picture_interval(page->recording, &weights, &interval);
    line_add(&line, "%s: %s", metric->name, human_value(column->whole_value, metric->unit, value));
    if (word)
        line_add(&line, " in %s %s", human_count(column->whole_count, count), word);
    line_add(&line, ", %s (%s)", interval.text, metric->help);
    if (page->view->filter) {
        line_add(&line, "; %s of it in stacks that match ",
                 human_share(column->value, column->whole_value, value));
        line_add_name(&line, page->view->filter);
    }
    text_ink(page->style, page->out, INK_STRONG);
    text_write(page->out, line.text, text_room(page->style, 0));
    text_ink(page->style, page->out, INK_PLAIN);
    putc('\n', page->out);
}

static void put_name(const struct side_page *page, const struct side_row *row)
{
    if (page->sides->question.by == BY_THREAD) {
        struct text_line line = {0};
        if (row->thread < page->recording->threads.count) {
            const struct thread *thread = &page->recording->threads.items[row->thread];
            line_add_name(&line, recording_text(page->recording, thread->name));
            line_add(&line, " (tid %u)", thread->tid);
        }
        text_write(page->out, line.text, name_room(page, 0));
    } else {
        struct shown_frame const frame = {row->function, row->module, row->file, row->line, false};
        text_frame_write(page->style, page->out, page->recording, &frame, name_room(page, 0));
    }
    putc('\n', page->out);
}

static void put_row(void *context, const struct side_row *row)
{
    struct side_page *page = context;
    put_numbers(page, row->values);
    put_name(page, row);
    page->shown++;
}

/* ---- The tree
 * ----------------------------------------------------------------------------------------- */

static bool is_shown(const struct side_page *page, uint32_t index)
{
    return !side_is_small(page->sides, page->sides->tree.items[index].values,
                          page->view->threshold_given ? page->view->threshold : TREE_SHARE);
}

static void put_node(const struct side_page *page, uint32_t index, const char *prefix,
                     size_t columns)
{
    const struct side_node *node = &page->sides->tree.items[index];
    struct shown_frame const frame = {.function = node->function, .module = node->module};
    put_numbers(page, node->values);
    fputs(prefix, page->out);
    text_frame_write(page->style, page->out, page->recording, &frame, name_room(page, columns));
    putc('\n', page->out);
}

static unsigned count_children(const struct side_page *page, uint32_t index, unsigned *hidden)
{
    unsigned shown = 0;
    *hidden = 0;
    for (uint32_t i = page->sides->tree.items[index].first_child; i;
         i = page->sides->tree.items[i].next_sibling) {
        if (is_shown(page, i))
            shown++;
        else
            ++*hidden;
    }
    return shown;
}

static void put_hidden(const struct side_page *page, uint32_t index, const char *prefix,
                       unsigned count)
{
    struct side_value sum[SIDE_MAX] = {{0}};
    for (uint32_t i = page->sides->tree.items[index].first_child; i;
         i = page->sides->tree.items[i].next_sibling)
        for (unsigned k = 0; k < page->sides->question.count && !is_shown(page, i); k++)
            sum[k].total_value += page->sides->tree.items[i].values[k].total_value;
    put_numbers(page, sum);
    text_ink(page->style, page->out, INK_DIM);
    fprintf(page->out, "%s%u smaller\n", prefix, count);
    text_ink(page->style, page->out, INK_PLAIN);
}

/* What is under a node; it stays at the left as long as there is one way to go. */
static void put_inside(const struct side_page *page, uint32_t index, const char *prefix,
                       unsigned depth)
{
    char deeper[PREFIX_MAX], last[PREFIX_MAX];
    unsigned hidden;
    unsigned const shown = count_children(page, index, &hidden);
    bool const is_straight = shown == 1 && hidden == 0;
    size_t const columns = strlen(prefix);
    if (depth == 0)
        return;
    snprintf(deeper, sizeof(deeper), "%s%s", prefix,
             is_straight || columns + 3 > PREFIX_MAX ? "" : "  ");
    for (uint32_t i = page->sides->tree.items[index].first_child; i;
         i = page->sides->tree.items[i].next_sibling) {
        if (!is_shown(page, i))
            continue;
        put_node(page, i, deeper, strlen(deeper));
        put_inside(page, i, deeper, depth - 1);
    }
    snprintf(last, sizeof(last), "%s", deeper);
    if (hidden)
        put_hidden(page, index, last, hidden);
}

int side_text_write(const struct recording *recording, const struct side_by_side *sides,
                    const struct side_view *view, const struct text_style *style, FILE *out)
{
    struct side_page page = {recording, sides, view, style, out, 0};
    struct picture_text text;
    picture_title(recording, &text);
    text_write(out, text.text, text_room(style, 0));
    putc('\n', out);
    picture_quality(recording, &text);
    if (text.text[0])
        fprintf(out, "%s\n", text.text);
    for (unsigned i = 0; i < sides->question.count; i++)
        put_total(&page, i);
    put_ratio_meanings(&page);
    putc('\n', out);
    put_headings(&page);
    if (view->top_down) {
        put_inside(&page, 0, "", LEVELS_MAX);
        return 0;
    }
    side_each_row(sides, view, ROWS_DEFAULT, put_row, &page);
    if (page.shown < sides->rows.count) {
        text_ink(style, out, INK_DIM);
        fprintf(out, "%*s%zu more, see --top and --threshold\n", (int)number_columns(&page), "",
                sides->rows.count - (size_t)page.shown);
        text_ink(style, out, INK_PLAIN);
    }
    return 0;
}
