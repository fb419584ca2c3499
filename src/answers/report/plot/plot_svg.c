/* SPDX-License-Identifier: Apache-2.0 */
#include "report/plot/plot_svg.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/human.h"
#include "report/embedded.h"
#include "report/pictures/picture_text.h"
#include "report/plot/plot_page.h"

#define SIDE      12
#define LEFT_AXIS 84

static double picture_size(unsigned wanted, unsigned usual)
{
    unsigned const size = wanted ? wanted : usual;
    return size < PLOT_SIZE_MIN ? PLOT_SIZE_MIN : size > PLOT_SIZE_MAX ? PLOT_SIZE_MAX : size;
}

static void add_start(const struct recording *recording, struct picture_text *text)
{
    char when[40];
    struct tm parts;
    time_t const seconds = (time_t)(recording->start_unix_ns / NS_PER_SECOND);
    if (recording->start_unix_ns && gmtime_r(&seconds, &parts) &&
        strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S UTC", &parts))
        picture_add(text, ", started %s", when);
}

static void make_subtitle(const struct plot_page *page, struct picture_text *text)
{
    const struct recording *recording = page->recording;
    struct time_range const range = page->data->range;
    char from[HUMAN_MAX], to[HUMAN_MAX];
    text->text[0] = '\0';
    picture_add(text, "%s (%s%s) over time", page->data->metric->name, page->data->metric->unit,
                page->data->is_rate ? " per second" : "");
    if (range.from_ns == 0 && range.to_ns >= recording->duration_ns)
        picture_add(text, ", whole run, %s", human_duration(recording->duration_ns, to));
    else
        picture_add(text, ", from %s to %s", human_duration(range.from_ns, from),
                    human_duration(range.to_ns, to));
    add_start(recording, text);
    if (page->data->columns.count == 0)
        picture_add(text, "; nothing was recorded");
}

static void header_text(const struct plot_page *page, const char *class, double y, const char *text)
{
    svg_label_cut(page->out, class, (double[]){SIDE, y}, text,
                  (size_t)((page->width - 2 * SIDE) / PLOT_CHAR));
}

/* Returns where the header ends. */
static double draw_header(const struct plot_page *page, const char *title)
{
    struct picture_text subtitle, quality;
    make_subtitle(page, &subtitle);
    picture_quality(page->recording, &quality);
    header_text(page, "h", 26, title);
    header_text(page, "m", 46, subtitle.text);
    if (quality.text[0])
        header_text(page, "w", 63, quality.text);
    return quality.text[0] ? 76 : 59;
}

static void open_svg(const struct plot_page *page, const char *title)
{
    struct svg_out *out = page->out;
    struct picture_text subtitle;
    make_subtitle(page, &subtitle);
    svg_begin(out, &(struct svg_head){(unsigned)page->width, (unsigned)page->height, title,
                                      subtitle.text, "Plot"});
    svg_raw(out, embedded_plot_style_css);
    svg_raw(out, "</style>\n<defs><pattern id=\"hatch\" width=\"7\" height=\"7\" "
                 "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
                 "<rect class=\"hatch\" width=\"2.2\" height=\"7\"/></pattern></defs>\n"
                 "<rect class=\"bg\" width=\"100%\" height=\"100%\"/>\n");
}

static void draw_page(struct plot_page *page, const char *title)
{
    open_svg(page, title);
    double const marks_top = draw_header(page, title);
    plot_page_arrange(page, marks_top + plot_marks_height(page));
    svg_raw(page->out, "<g id=\"plot\">\n");
    plot_draw_grid(page, &page->main);
    if (page->rss.end)
        plot_draw_grid(page, &page->rss);
    if (page->rate.end)
        plot_draw_grid(page, &page->rate);
    plot_draw_time_axis(page);
    plot_draw_sites(page);
    plot_draw_losses(page);
    plot_draw_gauges(page);
    plot_draw_rate(page);
    plot_draw_marks(page, marks_top);
    svg_raw(page->out, "</g>\n<g id=\"legend\">\n");
    plot_draw_legend(page);
    svg_raw(page->out, "</g>\n<script type=\"application/json\" id=\"data\">\n");
    plot_write_data(page);
    svg_raw(page->out, "</script>\n<script><![CDATA[\n");
    svg_raw(page->out, embedded_picture_numbers_js);
    svg_raw(page->out, embedded_plot_script_js);
    svg_raw(page->out, "]]></script>\n</svg>\n");
}

static bool any_losses(const struct plot_data *data)
{
    vec_each (column, &data->columns)
        if (column->lost_events)
            return true;
    return false;
}

/* A quarter of the paper, but enough for names to be told apart. */
static double legend_width(double width)
{
    double const quarter = width * 0.26 < 250 ? 250 : width * 0.26;
    double const most = width * 0.4 < 330 ? width * 0.4 : 330;
    return quarter < most ? quarter : most;
}

int plot_svg_render(struct recording *recording, const struct plot_options *options,
                    struct svg_out *out, struct fault *fault)
{
    double const width = picture_size(options->width, PLOT_WIDTH_DEFAULT);
    double const legend = legend_width(width);
    struct plot_data data;
    struct picture_text title;
    struct plot_choice const choice = {.metric = options->metric ? options->metric
                                                                 : metric_find("heap.live"),
                                       .range = options->range,
                                       .top = options->top,
                                       .max_columns = (unsigned)(width - LEFT_AXIS - legend) / 2};
    int err = plot_data_build(recording, &choice, &data, fault);
    if (err)
        return err;
    struct plot_page page = {.recording = recording,
                             .data = &data,
                             .out = out,
                             .width = width,
                             .height = picture_size(options->height, PLOT_HEIGHT_DEFAULT),
                             .left = LEFT_AXIS,
                             .right = width - legend,
                             .has_heap = data.metric == metric_find("heap.live"),
                             .has_losses = any_losses(&data),
                             .no_rate = options->no_rate,
                             .main_title = options->main_title};
    picture_title(recording, &title);
    draw_page(&page, options->title ? options->title : title.text);
    plot_data_fini(&data);
    return out->failed ? fault_set(fault, -ENOMEM, "not enough memory to draw the plot") : 0;
}
