/* SPDX-License-Identifier: Apache-2.0 */
#include "report/plot/plot_page.h"

#include <stdio.h>

#include "report/plot/plot_axis.h"

void plot_draw_grid(const struct plot_page *page, const struct lane *lane)
{
    char label[AXIS_LABEL_MAX], text[AXIS_LABEL_MAX + 8];
    uint64_t value = 0;
    for (bool more = true; more && value <= lane->end; more = axis_next(&value, lane->step)) {
        double const y = plot_y(lane, (int64_t)value);
        svg_stroke(page->out, value ? "grid" : "axis", (double[]){page->left, y, page->right, y});
        axis_label(value, lane->step, lane->unit, label);
        snprintf(text, sizeof(text), "%s%s", label, lane->suffix);
        svg_label(page->out, "m e", page->left - 7, y + 4, text);
    }
    if (lane == &page->main)
        return; /* named by the header and the legend; its top belongs to the marks */
    svg_label(page->out, "b", page->left, lane->top - 9, lane->title);
}

void plot_draw_time_axis(const struct plot_page *page)
{
    struct time_range const range = page->data->range;
    double const bottom = page->rate.end  ? page->rate.bottom
                          : page->rss.end ? page->rss.bottom
                                          : page->main.bottom;
    unsigned const room = (unsigned)((page->right - page->left) / 76);
    uint64_t const step = axis_step(range.to_ns - range.from_ns, "ns", room > 1 ? room : 1);
    uint64_t time = range.from_ns / step * step;
    bool more = time >= range.from_ns || axis_next(&time, step);
    for (; more && time <= range.to_ns; more = axis_next(&time, step)) {
        char label[AXIS_LABEL_MAX];
        double const x = plot_x(page, time);
        axis_label(time, step, "ns", label);
        svg_stroke(page->out, "axis", (double[]){x, bottom, x, bottom + 5});
        bool const at_the_edge = x > page->right - 30;
        svg_label(page->out, at_the_edge ? "m e" : "m c", at_the_edge ? page->right + 4 : x,
                  bottom + 19, label);
    }
}

/* What lies under site number `site` at an instant. */
static int64_t level_below(const struct plot_instant *instant, unsigned site)
{
    int64_t sum = 0;
    for (unsigned i = 0; i < site; i++)
        sum += instant->values[i] > 0 ? instant->values[i] : 0;
    return sum;
}

/* Along the upper edge of everything below `site`, forwards or backwards.  A rate holds for the
 * whole time since the instant before, so its edge goes in steps. */
static void trace_edge(const struct plot_page *page, unsigned site, bool forwards)
{
    size_t const count = page->data->instants.count;
    const struct plot_instant *instants = page->data->instants.items;
    size_t const first = page->data->is_rate ? 1 : 0;
    for (size_t i = first; i < count; i++) {
        size_t const at = forwards ? i : count - 1 + first - i;
        double const y = plot_y(&page->main, level_below(&instants[at], site));
        double const end = plot_x(page, instants[at].time_ns);
        svg_raw(page->out, "L");
        if (page->data->is_rate) {
            double const begin = plot_x(page, instants[at - 1].time_ns);
            svg_point(page->out, forwards ? begin : end, y);
            svg_raw(page->out, "L");
            svg_point(page->out, forwards ? end : begin, y);
        } else {
            svg_point(page->out, end, y);
        }
    }
}

void plot_draw_sites(const struct plot_page *page)
{
    const struct plot_data *data = page->data;
    if (data->instants.count < 2)
        return;
    for (unsigned site = 0; site <= data->site_count; site++) {
        size_t const before = page->out->size;
        bool const is_other = site == data->site_count;
        if (is_other)
            svg_raw(page->out, "<path class=\"other\" d=\"");
        else
            svg_format(page->out, "<path class=\"area s%u\" d=\"", site);
        size_t const start = page->out->size;
        trace_edge(page, site + 1, true);
        trace_edge(page, site, false);
        if (page->out->failed || page->out->size == start) {
            page->out->size = before;
            continue;
        }
        page->out->data[start] = 'M'; /* the first step is a move */
        svg_raw(page->out, "z\"/>\n");
    }
}

/* The span the live heap moved in, a box per column. */
static void draw_band(const struct plot_page *page)
{
    svg_raw(page->out, "<path class=\"band\" d=\"");
    vec_each (column, &page->data->columns) {
        struct gauges const gauges = column->gauges;
        if (gauges.heap_live_max < 0 || gauges.heap_live_min < 0)
            continue;
        double const top = plot_y(&page->main, gauges.heap_live_max);
        svg_raw(page->out, "M");
        svg_point(page->out, plot_x(page, column->begin_ns), top);
        svg_raw(page->out, "H");
        svg_px(page->out, plot_x(page, column->end_ns), 1);
        svg_raw(page->out, "V");
        svg_px(page->out, plot_y(&page->main, gauges.heap_live_min), 1);
        svg_raw(page->out, "H");
        svg_px(page->out, plot_x(page, column->begin_ns), 1);
        svg_raw(page->out, "z");
    }
    svg_raw(page->out, "\"/>\n");
}

/* The peak lies between two boundaries; without it the line would pass below the marked point. */
static void pass_peak(const struct plot_page *page, const struct plot_column *column)
{
    const struct totals *heap = &page->recording->heap;
    if (heap->peak_time_ns <= column->begin_ns || heap->peak_time_ns >= column->end_ns)
        return;
    svg_raw(page->out, "L");
    svg_point(page->out, plot_x(page, heap->peak_time_ns),
              plot_y(&page->main, (int64_t)heap->peak_bytes));
}

/* A line through the value at the end of each column; interrupted where it was not measured. */
static void draw_curve(const struct plot_page *page, const struct lane *lane, const char *class,
                       bool is_rss)
{
    bool is_down = false;
    svg_format(page->out, "<path class=\"%s\" d=\"", class);
    vec_each (column, &page->data->columns) {
        int64_t const value = is_rss ? column->gauges.rss_bytes : column->gauges.heap_live_end;
        if (value < 0) {
            is_down = false;
            continue;
        }
        bool const starts_run = column == page->data->columns.items && column->begin_ns == 0;
        if (!is_down) { /* the heap begins empty; RSS holds since the column began */
            svg_raw(page->out, "M");
            svg_point(page->out, plot_x(page, column->begin_ns),
                      plot_y(lane, starts_run && !is_rss ? 0 : value));
        }
        if (!is_rss)
            pass_peak(page, column);
        svg_raw(page->out, "L");
        svg_point(page->out, plot_x(page, column->end_ns), plot_y(lane, value));
        is_down = true;
    }
    svg_raw(page->out, "\"/>\n");
}

void plot_draw_gauges(const struct plot_page *page)
{
    if (page->has_heap) {
        draw_band(page);
        draw_curve(page, &page->main, "live", false);
    }
    if (page->has_rss)
        draw_curve(page, page->rss.end ? &page->rss : &page->main, "rss", true);
}

void plot_draw_rate(const struct plot_page *page)
{
    if (!page->rate.end)
        return;
    svg_raw(page->out, "<path class=\"rate\" d=\"M");
    svg_point(page->out, page->left, page->rate.bottom);
    vec_each (column, &page->data->columns) {
        double const seconds = (double)(column->end_ns - column->begin_ns) / 1e9;
        double const rate = seconds > 0 ? (double)column->allocated_bytes / seconds : 0;
        svg_raw(page->out, "V");
        svg_px(page->out, plot_y(&page->rate, (int64_t)rate), 1);
        svg_raw(page->out, "H");
        svg_px(page->out, plot_x(page, column->end_ns), 1);
    }
    svg_raw(page->out, "V");
    svg_px(page->out, page->rate.bottom, 1);
    svg_raw(page->out, "z\"/>\n");
}

void plot_draw_losses(const struct plot_page *page)
{
    vec_each (column, &page->data->columns) {
        if (!column->lost_events)
            continue;
        double const x = plot_x(page, column->begin_ns);
        double const width = plot_x(page, column->end_ns) - x;
        svg_raw(page->out, "<rect class=\"lost\" fill=\"url(#hatch)\"");
        svg_attribute(page->out, "x", x);
        svg_attribute(page->out, "y", page->main.top);
        svg_attribute(page->out, "width", width < 2 ? 2 : width);
        svg_attribute(page->out, "height", page->main.bottom - page->main.top);
        svg_format(page->out, "><title>%llu events lost</title></rect>\n",
                   (unsigned long long)column->lost_events);
    }
}
