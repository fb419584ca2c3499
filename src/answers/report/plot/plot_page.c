/* SPDX-License-Identifier: Apache-2.0 */
#include "report/plot/plot_page.h"

#include <string.h>

#include "report/plot/plot_axis.h"

#define LANE_GAP      34 /* room for the title of the lane below */
#define AXIS_HEIGHT   30
#define RSS_FITS_UPTO 4 /* times the heap: beyond it RSS would flatten everything else */

double plot_x(const struct plot_page *page, uint64_t time_ns)
{
    struct time_range const range = page->data->range;
    if (time_ns <= range.from_ns)
        return page->left;
    if (time_ns >= range.to_ns)
        return page->right;
    double const share = (double)(time_ns - range.from_ns) / (double)(range.to_ns - range.from_ns);
    return page->left + share * (page->right - page->left);
}

double plot_y(const struct lane *lane, int64_t value)
{
    double const share = value <= 0 || lane->end == 0 ? 0 : (double)value / (double)lane->end;
    return lane->bottom - (share > 1 ? 1 : share) * (lane->bottom - lane->top);
}

static void set_scale(struct lane *lane, int64_t top, unsigned pixels_per_tick)
{
    unsigned const room = (unsigned)(lane->bottom - lane->top) / pixels_per_tick;
    uint64_t const most = top > 0 ? (uint64_t)top : 0;
    lane->step = axis_step(most, lane->unit, room > 1 ? room : 1);
    lane->end = axis_end(most, lane->step);
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t column_rate(const struct plot_column *column)
{
    double const seconds = (double)(column->end_ns - column->begin_ns) / 1e9;
    return seconds > 0 ? (int64_t)((double)column->allocated_bytes / seconds) : 0;
}

struct heights {
    int64_t main, rss, rate;
};

static struct heights measure(const struct plot_page *page)
{
    const struct totals *heap = &page->recording->heap;
    struct heights most = {0};
    if (page->has_heap && heap->peak_time_ns >= page->data->range.from_ns &&
        heap->peak_time_ns <= page->data->range.to_ns)
        most.main = (int64_t)heap->peak_bytes;
    vec_each (instant, &page->data->instants)
        most.main = larger(most.main, plot_instant_total(page->data, instant));
    vec_each (column, &page->data->columns) {
        if (page->has_heap)
            most.main = larger(most.main, column->gauges.heap_live_max);
        most.rss = larger(most.rss, column->gauges.rss_bytes);
        most.rate = larger(most.rate, column_rate(column));
    }
    return most;
}

void plot_page_arrange(struct plot_page *page, double top)
{
    const struct metric *metric = page->data->metric;
    struct heights const most = measure(page);
    bool const is_bytes = strcmp(metric->unit, "bytes") == 0 && !page->data->is_rate;
    page->has_rss = most.rss > 0 && is_bytes;
    bool const own_rss_lane = page->has_rss && most.rss / RSS_FITS_UPTO > most.main;
    bool const has_rate = page->has_heap && most.rate > 0 && !page->no_rate;

    double const bottom = page->height - AXIS_HEIGHT;
    double const room = bottom - top;
    double const rate_room = has_rate ? room * 0.2 : 0;
    double const rss_room = own_rss_lane ? room * 0.2 : 0;
    page->rate = (struct lane){"allocation rate", "bytes", "/s", bottom - rate_room, bottom, 0, 0};
    double const rss_bottom = bottom - (has_rate ? rate_room + LANE_GAP : 0);
    page->rss = (struct lane){"RSS", "bytes", "", rss_bottom - rss_room, rss_bottom, 0, 0};
    double const main_bottom = rss_bottom - (own_rss_lane ? rss_room + LANE_GAP : 0);
    page->main = (struct lane){page->main_title ? page->main_title : metric->name,
                               metric->unit,
                               page->data->is_rate ? "/s" : "",
                               top,
                               main_bottom,
                               0,
                               0};
    set_scale(&page->main,
              own_rss_lane ? most.main : larger(most.main, page->has_rss ? most.rss : 0), 48);
    if (own_rss_lane)
        set_scale(&page->rss, most.rss, 32);
    if (has_rate)
        set_scale(&page->rate, most.rate, 32);
}
