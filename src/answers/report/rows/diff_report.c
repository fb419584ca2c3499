/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rows/diff_report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv_out.h"
#include "base/human.h"
#include "base/json_out.h"
#include "report/text/text_frame.h"

size_t diff_view_rows(const struct diff_view *view)
{
    const struct diff *diff = view->diff;
    size_t shown = 0;
    while (shown < diff->rows.count && shown < view->top) {
        const struct diff_row *row = &diff->rows.items[shown];
        if ((uint64_t)llabs(row->after - row->before) < view->smallest)
            break; /* they are ordered by it */
        shown++;
    }
    return shown;
}

struct shown_frame *diff_row_frames(const struct diff *diff, const struct diff_row *row,
                                    size_t *count)
{
    const struct metric *metric = diff->after.weights->metric;
    *count = stack_show_of(row->shown_by, metric, row->stack, NULL, 0);
    struct shown_frame *frames = calloc(*count + 1, sizeof(*frames));
    if (!frames)
        return NULL;
    stack_show_of(row->shown_by, metric, row->stack, frames, *count);
    if (diff->by != BY_STACK && *count > 1)
        *count = 1;
    return frames;
}

int64_t diff_row_error(const struct diff_view *view, const struct diff_row *row)
{
    if (!view->noise)
        return 0;
    struct diff_values const values = {
        .before =
            llround((double)row->before / view->noise->factor), /* the row has it multiplied */
        .after = row->after,
        .before_count = row->before_count,
        .after_count = row->after_count};
    return llround(diff_noise_error(view->noise, &values));
}

bool diff_row_is_chance(const struct diff_view *view, const struct diff_row *row)
{
    return llabs(row->after - row->before) <= diff_row_error(view, row);
}

static bool is_estimated(const struct diff_view *view)
{
    return view->noise && view->noise->kind != NOISE_NONE && view->noise->kind != NOISE_UNKNOWN;
}

static const char *signed_value(int64_t value, const char *unit, char out[HUMAN_MAX + 1])
{
    char text[HUMAN_MAX];
    human_value(value, unit, text);
    snprintf(out, HUMAN_MAX + 1, "%s%s", value > 0 ? "+" : "", text);
    return out;
}

/* "+13.6 %" of what was before; nothing when there was nothing. */
static void write_change_share(FILE *out, int64_t before, int64_t after)
{
    if (before != 0)
        fprintf(out, ", %+.1f %%", 100 * ((double)after - (double)before) / (double)llabs(before));
}

/* "before     old.memoir, 10.0 s to 20.0 s, 12 events lost" */
static void write_side(const struct text_style *style, FILE *out, const char *label,
                       const char *name, const struct diff_side *side)
{
    const struct recording *recording = side->recording;
    struct time_range used = side->weights->used;
    char from[HUMAN_MAX], to[HUMAN_MAX];
    fprintf(out, "%-10s ", label);
    text_write(out, name, text_room(style, 11));
    if (side->weights->metric->kind != METRIC_PINNED &&
        (used.from_ns > 0 || used.to_ns < recording->duration_ns))
        fprintf(out, ", %s to %s", human_duration(used.from_ns, from),
                human_duration(used.to_ns, to));
    if (side->weights->suppressed_count)
        fprintf(out, ", and %s in %s block%s suppressed",
                human_bytes(side->weights->suppressed_value, from),
                human_count(side->weights->suppressed_count, to),
                side->weights->suppressed_count == 1 ? "" : "s");
    if (recording->quality.lost_events)
        fprintf(out, ", %s events lost",
                human_count((int64_t)recording->quality.lost_events, from));
    if (!recording->quality.complete)
        fputs(", did not end in order", out);
    fputc('\n', out);
}

bool diff_view_note(const struct diff_view *view, char note[DIFF_NOTE_MAX])
{
    const struct diff_side *before = &view->diff->before, *after = &view->diff->after;
    struct time_range const one = before->weights->used, other = after->weights->used;
    char from[HUMAN_MAX], to[HUMAN_MAX];
    if (before->recording != after->recording || before->weights->metric->kind == METRIC_PINNED ||
        one.from_ns != other.from_ns || one.to_ns != other.to_ns)
        return false;
    snprintf(note, DIFF_NOTE_MAX,
             "both times lie in one time range, from %s to %s, of which the recording has only the "
             "sum: the range is compared with itself",
             human_duration(one.from_ns, from), human_duration(one.to_ns, to));
    return true;
}

static void write_totals(const struct diff_view *view, const struct text_style *style, FILE *out)
{
    const struct weights *before = view->diff->before.weights, *after = view->diff->after.weights;
    const char *unit = after->metric->unit;
    int64_t change = after->total_value - before->total_value;
    char values[2][HUMAN_MAX], signed_text[HUMAN_MAX + 1], note[DIFF_NOTE_MAX];

    text_ink(style, out, INK_STRONG);
    fprintf(out, "%s  %s → %s  (%s", after->metric->name,
            human_value(before->total_value, unit, values[0]),
            human_value(after->total_value, unit, values[1]),
            signed_value(change, unit, signed_text));
    write_change_share(out, before->total_value, after->total_value);
    fputs(")\n", out);
    text_ink(style, out, INK_PLAIN);
    if (view->noise && view->noise->factor != 1)
        fprintf(out, "normalised before is multiplied by %.4g\n", view->noise->factor);
    if (strcmp(unit, "calls") != 0)
        fprintf(out, "in %s %s → %s\n", strcmp(unit, "bytes") == 0 ? "blocks " : "samples",
                human_count(before->total_count, values[0]),
                human_count(after->total_count, values[1]));
    write_side(style, out, "before", view->before_name, &view->diff->before);
    write_side(style, out, "after", view->after_name, &view->diff->after);
    if (diff_view_note(view, note))
        fprintf(out, "warning: %s\n", note);
    fprintf(out,
            "call sites %" PRIu64 " new, %" PRIu64 " gone, %" PRIu64 " grown, %" PRIu64
            " shrunk, %" PRIu64 " unchanged\n",
            view->diff->kinds[DIFF_NEW], view->diff->kinds[DIFF_GONE],
            view->diff->kinds[DIFF_GROWN], view->diff->kinds[DIFF_SHRUNK], view->diff->unchanged);
}

static const char *module_text(const struct diff_row *row, const struct shown_frame *frame)
{
    const char *path = recording_text(row->shown_by, frame->module);
    return *path ? path : "[no module]";
}

#define NUMBERS_WIDTH 46 /* kind, change, before, after */

static int write_row(const struct diff_view *view, const struct diff_row *row,
                     const struct text_style *style, FILE *out)
{
    const char *unit = view->diff->after.weights->metric->unit;
    char values[2][HUMAN_MAX], change[HUMAN_MAX + 1];
    size_t count;
    struct shown_frame *frames = diff_row_frames(view->diff, row, &count);
    if (!frames)
        return -ENOMEM;
    bool chance = is_estimated(view) && diff_row_is_chance(view, row);
    bool worse = row->after > row->before && !chance;
    text_ink(style, out, worse ? INK_BAD : INK_PLAIN);
    fprintf(out, "%s%-6s %12s %12s %12s  ",
            chance               ? "~"
            : is_estimated(view) ? " "
                                 : "",
            diff_kind_names[row->kind], signed_value(row->after - row->before, unit, change),
            human_value(row->before, unit, values[0]), human_value(row->after, unit, values[1]));
    text_ink(style, out, INK_PLAIN);
    if (count == 0)
        fputs(TEXT_NO_STACK, out);
    for (size_t i = 0; i < count && i < view->depth; i++) {
        const char *function = recording_text(row->shown_by, frames[i].function);
        if (i > 0 && text_frame_is_startup(function))
            break;
        if (i > 0)
            fprintf(out, "\n%*s", NUMBERS_WIDTH + 2, "");
        size_t room = text_room(style, NUMBERS_WIDTH + 2 * (i > 0));
        if (view->diff->by == BY_MODULE)
            text_write(out, module_text(row, &frames[i]), room);
        else
            text_frame_write(style, out, row->shown_by, &frames[i], room);
    }
    fputc('\n', out);
    free(frames);
    return 0;
}

int diff_text_write(const struct diff_view *view, const struct text_style *style, FILE *out)
{
    size_t shown = diff_view_rows(view), all = view->diff->rows.count;
    write_totals(view, style, out);
    if (shown > 0)
        fprintf(out, "\n%s%-6s %12s %12s %12s  %s\n", is_estimated(view) ? " " : "", "", "change",
                "before", "after", "where");
    for (size_t i = 0; i < shown; i++) {
        int err = write_row(view, &view->diff->rows.items[i], style, out);
        if (err)
            return err;
    }
    if (shown < all)
        fprintf(out, "and %zu smaller changes (--top, --threshold)\n", all - shown);
    if (is_estimated(view) && shown > 0)
        fputs("~ is within the error of sampling, in 95 of 100 cases\n", out);
    return 0;
}

int diff_csv_write(const struct diff_view *view, FILE *out)
{
    struct csv_out csv;
    csv_init(&csv, out);
    csv_head(&csv, "kind,change,before,after,before_count,after_count,stack,error");
    size_t shown = diff_view_rows(view);
    for (size_t i = 0; i < shown; i++) {
        const struct diff_row *row = &view->diff->rows.items[i];
        size_t count;
        struct shown_frame *frames = diff_row_frames(view->diff, row, &count);
        if (!frames)
            return -ENOMEM;
        csv_text(&csv, diff_kind_names[row->kind]);
        csv_int(&csv, row->after - row->before);
        csv_int(&csv, row->before);
        csv_int(&csv, row->after);
        csv_int(&csv, row->before_count);
        csv_int(&csv, row->after_count);
        csv_quoted_begin(&csv);
        for (size_t k = 0; k < count; k++) {
            csv_quoted_add(&csv, k ? ";" : "");
            csv_quoted_add(&csv, view->diff->by == BY_MODULE
                                     ? module_text(row, &frames[k])
                                     : recording_text(row->shown_by, frames[k].function));
        }
        csv_quoted_end(&csv);
        csv_int(&csv, diff_row_error(view, row));
        csv_end_row(&csv);
        free(frames);
    }
    return 0;
}
