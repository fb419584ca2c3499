/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/human.h"
#include "report/plot/plot_page.h"

#define LEGEND_GAP 24
#define LINE       19
#define VALUE_ROOM 66

struct legend {
    const struct plot_page *page;
    const struct plot_instant *shown; /* whose values stand beside the names */
    double x, y, width;
};

static void legend_text(struct legend *legend, const char *text, const char *value)
{
    struct svg_out *out = legend->page->out;
    double const room = legend->width - 24 - (*value ? VALUE_ROOM : 0);
    svg_raw(out, "<text");
    svg_attribute(out, "x", legend->x + 24);
    svg_attribute(out, "y", legend->y + 4);
    svg_raw(out, ">");
    svg_text_cut(out, text, room > 0 ? (size_t)(room / (PLOT_CHAR + 0.3)) : 0);
    svg_raw(out, "</text>");
    if (*value)
        svg_label(out, "m e", legend->x + legend->width, legend->y + 4, value);
    else
        svg_raw(out, "\n");
    legend->y += LINE;
}

static void legend_line(struct legend *legend, const char *class, const char *text)
{
    struct svg_out *out = legend->page->out;
    svg_format(out, "<path class=\"%s\" d=\"M", class);
    svg_point(out, legend->x, legend->y);
    svg_raw(out, "h16\"/>");
    legend_text(legend, text, "");
}

static void legend_box(struct legend *legend, const char *attributes, const char *text,
                       const char *value)
{
    struct svg_out *out = legend->page->out;
    svg_format(out, "<rect %s", attributes);
    svg_attribute(out, "x", legend->x);
    svg_attribute(out, "y", legend->y - 6);
    svg_raw(out, " width=\"16\" height=\"12\"/>");
    legend_text(legend, text, value);
}

static void legend_site(struct legend *legend, unsigned site, bool is_other)
{
    const struct plot_data *data = legend->page->data;
    char value[HUMAN_MAX], class[32];
    int64_t const shown = legend->shown->values[site];
    human_value(shown > 0 ? shown : 0, data->metric->unit, value);
    snprintf(class, sizeof(class), "class=\"area s%u\"", site);
    if (is_other)
        legend_box(legend, "class=\"other\"", "other", value);
    else
        legend_box(legend, class,
                   recording_text(legend->page->recording, data->sites[site].function), value);
}

static void legend_heading(struct legend *legend, const char *text)
{
    legend->y += 8;
    svg_label(legend->page->out, "m", legend->x, legend->y + 4, text);
    legend->y += LINE;
}

/* The end says little: programs free everything before they leave. */
static const struct plot_instant *highest_instant(const struct plot_data *data)
{
    const struct plot_instant *highest = data->instants.items;
    vec_each (instant, &data->instants)
        if (plot_instant_total(data, instant) > plot_instant_total(data, highest))
            highest = instant;
    return highest;
}

void plot_draw_legend(const struct plot_page *page)
{
    const struct plot_data *data = page->data;
    struct legend legend = {.page = page,
                            .x = page->right + LEGEND_GAP,
                            .y = page->main.top + 8,
                            .width = page->width - page->right - LEGEND_GAP - 12};
    if (page->has_heap) {
        legend_line(&legend, "live", "live heap");
        legend_box(&legend, "class=\"band\"", "lowest and highest live heap", "");
    }
    if (page->has_rss)
        legend_line(&legend, "rss", "RSS (resident memory)");
    if (page->has_losses)
        legend_box(&legend, "class=\"lost\" fill=\"url(#hatch)\"", "events lost here", "");
    if (data->instants.count < 2)
        return;
    legend.shown = highest_instant(data);
    legend_heading(&legend,
                   data->is_rate ? "by function, when busiest" : "by function, at the peak");
    for (unsigned site = 0; site <= data->site_count; site++)
        legend_site(&legend, site, site == data->site_count);
}

static void write_columns(const struct plot_page *page)
{
    const char *comma = "";
    vec_each (column, &page->data->columns) {
        struct gauges const gauges = column->gauges;
        svg_format(page->out, "%s%llu,%llu,%lld,%lld,%lld,%lld,%lld,%lld,%llu", comma,
                   (unsigned long long)column->begin_ns, (unsigned long long)column->end_ns,
                   (long long)gauges.heap_live_end, (long long)gauges.heap_live_max,
                   (long long)gauges.heap_live_min, (long long)gauges.rss_bytes,
                   (long long)column->allocated_bytes, (long long)column->allocated_calls,
                   (unsigned long long)column->lost_events);
        comma = ",";
    }
}

/* {"from","to","left","right","top","bottom","unit","rate","heap","sites":[names],
 *  "columns":[begin,end,live,max,min,rss,bytes,calls,lost,…],"instants":[time,values…,…]} */
void plot_write_data(const struct plot_page *page)
{
    const struct plot_data *data = page->data;
    struct svg_out *out = page->out;
    double const bottom = page->rate.end ? page->rate.bottom : page->main.bottom;
    svg_format(out, "{\"from\":%llu,\"to\":%llu,\"left\":%d,\"right\":%d,\"top\":%d,\"bottom\":%d",
               (unsigned long long)data->range.from_ns, (unsigned long long)data->range.to_ns,
               (int)page->left, (int)page->right, (int)page->main.top, (int)bottom);
    svg_format(out, ",\"rate\":%s,\"heap\":%s,\"unit\":", data->is_rate ? "true" : "false",
               page->has_heap ? "true" : "false");
    svg_json(out, data->metric->unit);
    svg_raw(out, ",\"sites\":[");
    for (unsigned i = 0; i < data->site_count; i++) {
        svg_raw(out, i ? "," : "");
        svg_json(out, recording_text(page->recording, data->sites[i].function));
    }
    svg_raw(out, "],\n\"columns\":[");
    write_columns(page);
    svg_raw(out, "],\n\"instants\":[");
    vec_each (instant, &data->instants) {
        svg_format(out, "%s%llu", instant == data->instants.items ? "" : ",",
                   (unsigned long long)instant->time_ns);
        for (unsigned i = 0; i <= data->site_count; i++)
            svg_format(out, ",%lld", (long long)instant->values[i]);
    }
    svg_raw(out, "]}");
}
