/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "report/plot_page.h"

#define MARKS_MAX  24 /* further pins are in the recording, not in the picture */
#define ROWS_MAX   4
#define ROW_HEIGHT 17
#define LABEL_MAX  120

struct mark {
    const char *class;
    uint64_t time_ns;
    int64_t value;      /* where its dot is; -1: a line through all lanes */
    unsigned row;       /* of its label */
    double x, from, to; /* from..to: what the label covers */
    char label[LABEL_MAX];
};

struct marks {
    struct mark items[MARKS_MAX];
    size_t count;
    unsigned rows;
};

static bool is_in_range(const struct plot_page *page, uint64_t time_ns)
{
    return time_ns >= page->data->range.from_ns && time_ns <= page->data->range.to_ns;
}

/* By time, so that labels are placed from left to right. */
static struct mark *add_mark(struct marks *marks, uint64_t time_ns)
{
    if (marks->count == MARKS_MAX)
        return NULL;
    size_t at = marks->count++;
    for (; at > 0 && marks->items[at - 1].time_ns > time_ns; at--)
        marks->items[at] = marks->items[at - 1];
    marks->items[at] = (struct mark){.time_ns = time_ns, .value = -1, .class = "pin"};
    return &marks->items[at];
}

static void add_peak(const struct plot_page *page, struct marks *marks)
{
    const struct totals *heap = &page->recording->heap;
    char size[HUMAN_MAX], when[HUMAN_MAX];
    if (!page->has_heap || heap->peak_bytes == 0 || !is_in_range(page, heap->peak_time_ns))
        return;
    struct mark *mark = add_mark(marks, heap->peak_time_ns);
    if (!mark)
        return;
    mark->class = "peak";
    mark->value = (int64_t)heap->peak_bytes;
    snprintf(mark->label, LABEL_MAX, "peak %s at %s", human_bytes(mark->value, size),
             heap->peak_time_ns ? human_duration(heap->peak_time_ns, when) : "the start");
}

static void add_pin(const struct plot_page *page, struct marks *marks, const struct pin *pin)
{
    const char *label = recording_text(page->recording, pin->label);
    bool const is_death = pin->kind == PIN_DEATH;
    char when[HUMAN_MAX];
    if ((!is_death && pin->kind != PIN_MARK) || !is_in_range(page, pin->time_ns))
        return;
    struct mark *mark = add_mark(marks, pin->time_ns);
    if (!mark)
        return;
    mark->class = is_death ? "death" : "pin";
    snprintf(mark->label, LABEL_MAX, "%s%.80s at %s", is_death ? "death: " : "",
             *label     ? label
             : is_death ? "the program died"
                        : "mark",
             human_duration(pin->time_ns, when));
}

static bool is_free(const struct marks *marks, size_t count, const struct mark *mark)
{
    for (size_t i = 0; i < count; i++) {
        const struct mark *other = &marks->items[i];
        if (other->row == mark->row && other->from < mark->to && mark->from < other->to)
            return false;
    }
    return true;
}

/* The label stands right of its line, or left of it near the right edge, in the first free row. */
static void place_labels(const struct plot_page *page, struct marks *marks)
{
    for (size_t i = 0; i < marks->count; i++) {
        struct mark *mark = &marks->items[i];
        double const width = 12 + PLOT_CHAR * (double)text_cells(mark->label);
        mark->x = plot_x(page, mark->time_ns);
        bool const is_left = mark->x + width > page->right && mark->x - width > page->left;
        mark->from = is_left ? mark->x - width : mark->x;
        mark->to = mark->from + width;
        while (mark->row + 1 < ROWS_MAX && !is_free(marks, i, mark))
            mark->row++;
        if (mark->row + 1 > marks->rows)
            marks->rows = mark->row + 1;
    }
}

static void collect(const struct plot_page *page, struct marks *marks)
{
    marks->count = marks->rows = 0;
    add_peak(page, marks);
    vec_each (pin, &page->recording->pins)
        add_pin(page, marks, pin);
    place_labels(page, marks);
}

double plot_marks_height(const struct plot_page *page)
{
    struct marks marks;
    collect(page, &marks);
    return ROW_HEIGHT * (double)marks.rows + 6;
}

static void draw_line(const struct plot_page *page, const struct mark *mark, double top)
{
    bool const has_dot = mark->value >= 0;
    double const lowest = page->rate.end ? page->rate.bottom : page->main.bottom;
    double const bottom = has_dot ? plot_y(&page->main, mark->value) : lowest;
    svg_format(page->out, "<path class=\"line %s\" d=\"M", mark->class);
    plot_point(page, mark->x, top + ROW_HEIGHT * (double)mark->row + 3);
    svg_raw(page->out, "V");
    svg_px(page->out, bottom, 1);
    svg_raw(page->out, "\"/>\n");
    if (!has_dot)
        return;
    svg_format(page->out, "<circle class=\"%s\" r=\"4\" cx=\"", mark->class);
    svg_px(page->out, mark->x, 1);
    svg_raw(page->out, "\" cy=\"");
    svg_px(page->out, bottom, 1);
    svg_raw(page->out, "\"/>\n");
}

static void draw_label(const struct plot_page *page, const struct mark *mark, double top)
{
    bool const is_left = mark->from < mark->x;
    svg_format(page->out, "<text class=\"b halo %s%s\" x=\"", mark->class, is_left ? " e" : "");
    svg_px(page->out, mark->x + (is_left ? -6 : 6), 1);
    svg_raw(page->out, "\" y=\"");
    svg_px(page->out, top + ROW_HEIGHT * (double)mark->row + 12, 1);
    svg_raw(page->out, "\">");
    svg_text(page->out, mark->label);
    svg_raw(page->out, "</text>\n");
}

void plot_draw_marks(const struct plot_page *page, double top)
{
    struct marks marks;
    collect(page, &marks);
    for (size_t i = 0; i < marks.count; i++)
        draw_line(page, &marks.items[i], top);
    for (size_t i = 0; i < marks.count; i++) /* labels over the lines that cross them */
        draw_label(page, &marks.items[i], top);
}
