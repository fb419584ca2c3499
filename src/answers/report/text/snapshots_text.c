/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "base/human.h"
#include "report/rows/snapshots_report.h"
#include "report/text/text_frame.h"
#include "report/text/text_line.h"

#define INDENT_MAX 512

int snapshots_page_tree(const struct snapshots_page *page, const struct snapshot *snapshot,
                        struct snapshot_tree *tree)
{
    double const least = page->share * (double)snapshot_total(snapshot);
    struct tree_limits const limits = {page->depth, (int64_t)least};
    return snapshot_tree_build(page->recording, &snapshot->weights, limits, tree);
}

const char *snapshots_tree_word(const struct snapshots *snapshots, size_t number)
{
    if (number == snapshots->peak)
        return "peak";
    return snapshots->items.items[number].is_detailed ? "detailed" : "empty";
}

static void put_label(const struct snapshots_page *page, const struct text_style *style, FILE *out,
                      const struct tree_line *line, size_t columns)
{
    char text[256];
    const char *metric = page->snapshots->metric->name;
    struct shown_frame const frame = {line->function, line->module, line->file, line->line, false};
    switch (line->kind) {
    case TREE_LINE_PLACE:
        text_frame_write(style, out, page->recording, &frame, columns);
        return;
    case TREE_LINE_ROOT:
        snprintf(text, sizeof(text), "(%s) %s", metric, page->snapshots->metric->help);
        break;
    case TREE_LINE_SMALL:
        snprintf(text, sizeof(text), "in %u place%s below the threshold (%.2f%%)", line->places,
                 line->places == 1 ? "," : "s, all", 100 * page->share);
        break;
    case TREE_LINE_END:
        snprintf(text, sizeof(text), "%s",
                 line->depth == 1 ? TEXT_NO_STACK : "[stacks that end here]");
        break;
    }
    text_write(out, text, columns);
}

/* How many lines of each depth are still to come under the parents of this one: whose branch
 * goes on. */
struct branches {
    uint32_t left[SNAPSHOT_DEPTH_MAX + 2];
};

/* "| | ->", cut off on the left when it is deeper than anyone can see. */
static size_t put_branch(FILE *out, const struct branches *branches, uint32_t depth)
{
    size_t columns = 0;
    for (uint32_t i = 1; i < depth && columns < INDENT_MAX; i++, columns += 2)
        fputs(branches->left[i] ? "| " : "  ", out);
    if (depth > 0)
        fputs("->", out);
    return columns + (depth > 0 ? 2 : 0);
}

static int put_tree(const struct snapshots_page *page, const struct text_style *style, FILE *out,
                    const struct snapshot *snapshot)
{
    struct snapshot_tree tree;
    struct branches *branches = calloc(1, sizeof(*branches));
    int err = branches ? snapshots_page_tree(page, snapshot, &tree) : -ENOMEM;
    if (err) {
        free(branches);
        return err;
    }
    double const total = (double)snapshot_total(snapshot);
    vec_each (line, &tree.lines) {
        char bytes[HUMAN_MAX], numbers[64];
        if (line->depth > 0)
            branches->left[line->depth]--;
        branches->left[line->depth + 1] = line->children;
        size_t columns = put_branch(out, branches, line->depth);
        int const length = snprintf(numbers, sizeof(numbers), "%05.2f%% (%sB) ",
                                    total > 0 ? 100 * (double)line->bytes / total : 0.0,
                                    human_count(line->bytes, bytes));
        fputs(numbers, out);
        columns += (size_t)length;
        put_label(page, style, out, line, text_room(style, columns));
        putc('\n', out);
    }
    putc('\n', out);
    snapshot_tree_fini(&tree);
    free(branches);
    return 0;
}

static void put_table_head(const struct snapshots_page *page, const struct text_style *style,
                           FILE *out)
{
    text_ink(style, out, INK_STRONG);
    fprintf(out, "%4s  %12s  %17s  %17s  %14s", "n", "time", "total(B)", "useful(B)", "extra(B)");
    if (page->with_stacks)
        fprintf(out, "  %14s", "stacks(B)");
    fprintf(out, "  %17s\n", "most since(B)");
    text_ink(style, out, INK_PLAIN);
}

static void put_row(const struct snapshots_page *page, FILE *out, size_t number)
{
    const struct snapshot *snapshot = &page->snapshots->items.items[number];
    char time[HUMAN_MAX], total[HUMAN_MAX], useful[HUMAN_MAX], extra[HUMAN_MAX], text[HUMAN_MAX];
    fprintf(out, "%4zu  %12s  %17s  %17s  %14s", number, human_duration(snapshot->time_ns, time),
            human_count(snapshot_total(snapshot), total), human_count(snapshot->bytes, useful),
            human_count(snapshot_extra(snapshot), extra));
    if (page->with_stacks)
        fprintf(out, "  %14s", human_count(snapshot->stacks_bytes, text));
    fprintf(out, "  %17s\n",
            snapshot->most_bytes < 0 ? "-" : human_count(snapshot->most_bytes, text));
}

static int put_table(const struct snapshots_page *page, const struct text_style *style, FILE *out)
{
    const struct snapshots *snapshots = page->snapshots;
    bool has_head = false;
    for (size_t i = 0; i < snapshots->items.count; i++) {
        if (!has_head)
            put_table_head(page, style, out);
        put_row(page, out, i);
        has_head = !snapshots->items.items[i].is_detailed;
        if (snapshots->items.items[i].is_detailed) {
            int const err = put_tree(page, style, out, &snapshots->items.items[i]);
            if (err)
                return err;
        }
    }
    return 0;
}

static void put_extra_note(const struct snapshots_page *page, FILE *out)
{
    const struct snapshots *snapshots = page->snapshots;
    if (snapshots->metric->plus != COL_HEAP_BYTES)
        return;
    if (!snapshots->has_slack)
        fputs("extra: the recording does not say how much the allocator needs in addition\n", out);
    else if (snapshots->header_bytes_each)
        fprintf(out, "extra: usable minus asked-for bytes, and %u beside each block\n",
                snapshots->header_bytes_each);
    else
        fputs("extra: usable minus asked-for bytes\n", out);
}

static void put_heading(const struct snapshots_page *page, const struct text_style *style,
                        FILE *out)
{
    const struct recording *recording = page->recording;
    const struct snapshots *snapshots = page->snapshots;
    const struct snapshot *peak = &snapshots->items.items[snapshots->peak];
    char bytes[HUMAN_MAX], time[HUMAN_MAX];
    struct text_line line = {0};
    line_add(&line, "%s: peak %s at %s%s, ", snapshots->metric->name,
             human_bytes(peak->bytes, bytes), human_duration(peak->time_ns, time),
             snapshots->is_peak_exact ? "" : " (of the instants known)");
    line_add(&line, "%zu snapshots", snapshots->items.count);
    if (snapshots->instants > snapshots->items.count)
        line_add(&line, " of %zu instants", snapshots->instants);
    text_ink(style, out, INK_STRONG);
    text_write(out, recording_text(recording, recording->command_line), text_room(style, 0));
    fprintf(out, "\n%s\n", line.text);
    text_ink(style, out, INK_PLAIN);
    put_extra_note(page, out);
    if (page->with_stacks && !snapshots->has_stacks)
        fputs("stacks: not in this recording; record with --map-every 1s, which takes snapshots of "
              "the pages\n",
              out);
    if (recording->quality.sample_rate)
        fputs("the heap was sampled: bytes are estimates\n", out);
    putc('\n', out);
}

int snapshots_text_write(const struct snapshots_page *page, const struct text_style *style,
                         FILE *out)
{
    put_heading(page, style, out);
    snapshots_chart_write(page, out);
    putc('\n', out);
    return put_table(page, style, out);
}
