/* SPDX-License-Identifier: Apache-2.0 */
/* plot_marks.c - draws what stands above the lanes: the peak, the death, and the marks and phases
 * that the program or the user set. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "report/plot/plot_page.h"

#define FLAGS_MAX  400 /* of more marks, every so manieth is drawn */
#define ROWS_MAX   4
#define ROW_HEIGHT 17
#define LABEL_MAX  120

struct flag {
    const char *class;
    uint64_t time_ns;
    uint64_t end_ns;    /* of a phase, else 0 */
    int64_t value;      /* where its dot is; -1: a line through all lanes */
    unsigned row;       /* of its label; ROWS_MAX: there was no room for one */
    double x, from, to; /* from..to: what the label covers, and the bar of a phase */
    bool is_left;       /* the label stands left of its line */
    char label[LABEL_MAX];
};

struct flags {
    /* the peak and the death first: they have their labels whatever else there is */
    struct flag *items;
    size_t count;
    unsigned rows;
};

static bool is_in_range(const struct plot_page *page, uint64_t time_ns)
{
    return time_ns >= page->data->range.from_ns && time_ns <= page->data->range.to_ns;
}

static struct flag *add_flag(struct flags *flags, const char *class, uint64_t time_ns)
{
    if (flags->count == FLAGS_MAX)
        return NULL;
    struct flag *flag = &flags->items[flags->count++];
    *flag = (struct flag){.class = class, .time_ns = time_ns, .value = -1};
    return flag;
}

static void add_peak(const struct plot_page *page, struct flags *flags)
{
    const struct totals *heap = &page->recording->heap;
    char size[HUMAN_MAX], when[HUMAN_MAX];
    if (!page->has_heap || heap->peak_bytes == 0 || !is_in_range(page, heap->peak_time_ns))
        return;
    struct flag *flag = add_flag(flags, "peak", heap->peak_time_ns);
    if (!flag)
        return;
    flag->value = (int64_t)heap->peak_bytes;
    snprintf(flag->label, LABEL_MAX, "peak %s at %s", human_bytes(flag->value, size),
             heap->peak_time_ns ? human_duration(heap->peak_time_ns, when) : "the start");
}

static void add_pin(const struct plot_page *page, struct flags *flags, const struct pin *pin)
{
    const char *label = recording_text(page->recording, pin->label);
    bool const is_death = pin->kind == PIN_DEATH;
    char when[HUMAN_MAX];
    if ((!is_death && pin->kind != PIN_MARK) || !is_in_range(page, pin->time_ns))
        return;
    struct flag *flag = add_flag(flags, is_death ? "death" : "pin", pin->time_ns);
    if (!flag)
        return;
    snprintf(flag->label, LABEL_MAX, "%s%.80s at %s", is_death ? "death: " : "",
             *label     ? label
             : is_death ? "the program died"
                        : "mark",
             human_duration(pin->time_ns, when));
}

/* A name is enough: where it is says when.  It is cut at the edge of a character. */
static void add_name(struct flag *flag, const char *name)
{
    size_t size = strnlen(name, LABEL_MAX / 2);
    while (size > 0 && (name[size] & 0xc0) == 0x80)
        size--;
    snprintf(flag->label, LABEL_MAX, "%.*s%s", (int)size, name, name[size] ? "…" : "");
}

static void add_marks(const struct plot_page *page, struct flags *flags)
{
    const struct mark_list *marks = &page->recording->marks;
    struct time_range const range = page->data->range;
    size_t seen = 0, every = 1;
    for (size_t i = 0; i < marks->count; i++)
        seen += marks->items[i].kind != MARK_END && is_in_range(page, marks->items[i].time_ns);
    every += seen / (FLAGS_MAX - flags->count);
    for (size_t i = 0, at = 0; i < marks->count; i++) {
        const struct mark *mark = &marks->items[i];
        bool const is_phase = mark->kind == MARK_BEGIN;
        if (mark->kind == MARK_END || !is_in_range(page, mark->time_ns) || at++ % every)
            continue;
        struct flag *flag = add_flag(flags, is_phase ? "phase" : "pin", mark->time_ns);
        if (!flag)
            return;
        if (is_phase)
            flag->end_ns = marks_span(marks, i, range.to_ns).to_ns;
        if (flag->end_ns > range.to_ns)
            flag->end_ns = range.to_ns;
        add_name(flag, recording_text(page->recording, mark->label));
    }
}

static bool is_free(const struct flags *flags, const struct flag *flag)
{
    for (const struct flag *other = flags->items; other < flag; other++)
        if (other->row == flag->row && other->from < flag->to && flag->from < other->to)
            return false;
    return true;
}

/* The label stands right of its line, or left of it near the right edge, in the first free row. */
static void place_label(const struct plot_page *page, struct flags *flags, struct flag *flag)
{
    double const width = 12 + PLOT_CHAR * (double)text_cells(flag->label);
    bool const must_be_there =
        strcmp(flag->class, "peak") == 0 || strcmp(flag->class, "death") == 0;
    flag->x = plot_x(page, flag->time_ns);
    flag->is_left = !flag->end_ns && flag->x + width > page->right && flag->x - width > page->left;
    flag->from = flag->is_left ? flag->x - width : flag->x;
    flag->to = flag->from + width;
    if (flag->end_ns && plot_x(page, flag->end_ns) > flag->to)
        flag->to = plot_x(page, flag->end_ns);
    while (flag->row < ROWS_MAX && !is_free(flags, flag))
        flag->row++;
    if (flag->row == ROWS_MAX && must_be_there)
        flag->row--;
    if (flag->row < ROWS_MAX && flag->row + 1 > flags->rows)
        flags->rows = flag->row + 1;
}

/* False when out of memory.  Free `items`. */
static bool collect(const struct plot_page *page, struct flags *flags)
{
    *flags = (struct flags){.items = calloc(FLAGS_MAX, sizeof(struct flag))};
    if (!flags->items) {
        page->out->failed = true;
        return false;
    }
    add_peak(page, flags);
    vec_each (pin, &page->recording->pins)
        if (flags->count < FLAGS_MAX / 2)
            add_pin(page, flags, pin);
    add_marks(page, flags);
    for (size_t i = 0; i < flags->count; i++)
        place_label(page, flags, &flags->items[i]);
    return true;
}

double plot_marks_height(const struct plot_page *page)
{
    struct flags flags;
    if (!collect(page, &flags))
        return 0;
    free(flags.items);
    return ROW_HEIGHT * (double)flags.rows + 6;
}

static void draw_line(const struct plot_page *page, const struct flag *flag, double top)
{
    bool const has_dot = flag->value >= 0;
    double const lowest = page->rate.end ? page->rate.bottom : page->main.bottom;
    double const bottom = has_dot ? plot_y(&page->main, flag->value) : lowest;
    bool const has_label = flag->row < ROWS_MAX;
    svg_format(page->out, "<path class=\"line %s%s\" d=\"M", flag->class,
               has_label ? "" : " faint");
    svg_point(page->out, flag->x,
              has_label ? top + ROW_HEIGHT * (double)flag->row + 3 : page->main.top);
    svg_raw(page->out, "V");
    svg_px(page->out, bottom, 1);
    svg_raw(page->out, "\">");
    if (!has_label) { /* a browser shows it at the pointer */
        svg_raw(page->out, "<title>");
        svg_text(page->out, flag->label);
        svg_raw(page->out, "</title>");
    }
    svg_raw(page->out, "</path>\n");
    if (!has_dot)
        return;
    svg_format(page->out, "<circle class=\"%s\" r=\"4\"", flag->class);
    svg_attribute(page->out, "cx", flag->x);
    svg_attribute(page->out, "cy", bottom);
    svg_raw(page->out, "/>\n");
}

/* How long a phase lasts, as a bar behind its name. */
static void draw_bar(const struct plot_page *page, const struct flag *flag, double top)
{
    double const width = plot_x(page, flag->end_ns) - flag->x;
    svg_raw(page->out, "<rect class=\"phase\"");
    svg_attribute(page->out, "x", flag->x);
    svg_attribute(page->out, "y", top + ROW_HEIGHT * (double)flag->row + 1);
    svg_attribute(page->out, "width", width < 1 ? 1 : width);
    svg_format(page->out, " height=\"%d\"/>\n", ROW_HEIGHT - 3);
}

static void draw_label(const struct plot_page *page, const struct flag *flag, double top)
{
    char class[48];
    snprintf(class, sizeof(class), "b%s %s%s", flag->end_ns ? "" : " halo", flag->class,
             flag->is_left ? " e" : "");
    svg_label(page->out, class, flag->x + (flag->is_left ? -6 : 6),
              top + ROW_HEIGHT * (double)flag->row + 12, flag->label);
}

void plot_draw_marks(const struct plot_page *page, double top)
{
    struct flags flags;
    if (!collect(page, &flags))
        return;
    for (size_t i = 0; i < flags.count; i++)
        if (flags.items[i].end_ns && flags.items[i].row < ROWS_MAX)
            draw_bar(page, &flags.items[i], top);
    for (size_t i = 0; i < flags.count; i++)
        draw_line(page, &flags.items[i], top);
    for (size_t i = 0; i < flags.count; i++) /* labels over the lines that cross them */
        if (flags.items[i].row < ROWS_MAX)
            draw_label(page, &flags.items[i], top);
    free(flags.items);
}
