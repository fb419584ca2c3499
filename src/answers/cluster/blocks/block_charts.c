/* SPDX-License-Identifier: Apache-2.0 */
/* block_charts.c - six charts of a history of blocks as one SVG file that needs nothing else. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cluster/blocks/block_report.h"
#include "report/plot/line_chart.h"

#define WIDTH   1200
#define HEIGHT  660
#define HEAD    58
#define PANEL_W 400
#define PANEL_H 300
#define LEFT    62
#define RIGHT   14
#define TOP     34
#define FOOT    44
#define BINS    20u
#define WINDOW  10u
#define DOTS    200u /* up to here every block is a dot that tells its value */

struct panel {
    double left, top, right, bottom; /* of what is drawn */
    double x_low, x_high, y_high;
};

/* Values of the core: x is the index of the block. */
struct block_series {
    const struct block_stats *stats;
    double (*value)(const struct block_stats *stats, size_t index);
    const char *title, *unit, *histogram_title;
};

static const struct block_point *point_of(const struct block_stats *stats, size_t index)
{
    return &stats->points.items[stats->counted.items[index]];
}

static double seconds_of(const struct block_stats *stats, size_t index)
{
    return point_of(stats, index)->seconds;
}

static double transactions_of(const struct block_stats *stats, size_t index)
{
    return (double)point_of(stats, index)->transactions;
}

static double tps_of(const struct block_stats *stats, size_t index)
{
    return block_stats_tps(stats, index, 1);
}

static double tps_over_ten(const struct block_stats *stats, size_t index)
{
    return block_stats_tps(stats, index, WINDOW);
}

static void put_line(struct svg_out *out, const char *class, const double ends[4])
{
    svg_format(out, "<line class=\"%s\"", class);
    svg_attribute(out, "x1", ends[0]);
    svg_attribute(out, "y1", ends[1]);
    svg_attribute(out, "x2", ends[2]);
    svg_attribute(out, "y2", ends[3]);
    svg_raw(out, "/>\n");
}

static struct panel place(unsigned column, unsigned row)
{
    double const left = (double)column * PANEL_W, top = HEAD + (double)row * PANEL_H;
    return (struct panel){.left = left + LEFT,
                          .top = top + TOP,
                          .right = left + PANEL_W - RIGHT,
                          .bottom = top + PANEL_H - FOOT};
}

static double x_at(const struct panel *panel, double x)
{
    return panel->left +
           (x - panel->x_low) / (panel->x_high - panel->x_low) * (panel->right - panel->left);
}

static double y_at(const struct panel *panel, double y)
{
    return panel->bottom - y / panel->y_high * (panel->bottom - panel->top);
}

static void draw_axes(struct svg_out *out, struct panel *panel, const char *title,
                      const char *x_unit)
{
    char label[CHART_NUMBER_MAX];
    double const y_step = chart_step(panel->y_high, "", 5);
    double const x_step = chart_step(panel->x_high - panel->x_low, "", 6);
    panel->y_high = ceil(panel->y_high / y_step) * y_step;
    if (panel->y_high <= 0)
        panel->y_high = y_step;
    svg_label(out, "b", panel->left, panel->top - 12, title);
    for (unsigned i = 0; i * y_step <= panel->y_high * 1.0001 && i < 20; i++) {
        double const y = y_at(panel, i * y_step);
        put_line(out, i ? "g" : "a", (double[]){panel->left, y, panel->right, y});
        svg_label(out, "e", panel->left - 6, y + 4, chart_number(i * y_step, "", label));
    }
    double const first = ceil(panel->x_low / x_step) * x_step;
    for (unsigned i = 0; first + i * x_step <= panel->x_high && i < 20; i++) {
        double const x = first + i * x_step;
        double const at = x_at(panel, x);
        put_line(out, "a", (double[]){at, panel->bottom, at, panel->bottom + 4});
        svg_label(out, "c", at, panel->bottom + 17,
                  chart_number(fabs(x) < x_step / 1e6 ? 0 : x, "", label));
    }
    svg_label(out, "c", (panel->left + panel->right) / 2, panel->bottom + 33, x_unit);
}

struct block_histogram {
    double low, high;
    unsigned counts[BINS], most;
};

/* `below`: only smaller values; 0: all. */
static bool fill(const struct block_series *series, double below, struct block_histogram *bins)
{
    const struct block_stats *stats = series->stats;
    size_t found = 0;
    *bins = (struct block_histogram){0};
    for (size_t i = stats->core_begin; i < stats->core_end; i++) {
        double const value = series->value(stats, i);
        if (!isfinite(value) || (below > 0 && value >= below))
            continue;
        bins->low = found == 0 || value < bins->low ? value : bins->low;
        bins->high = found == 0 || value > bins->high ? value : bins->high;
        found++;
    }
    if (found == 0)
        return false;
    if (bins->high <= bins->low)
        bins->high = bins->low + (bins->low > 0 ? bins->low : 1) / 10;
    for (size_t i = stats->core_begin; i < stats->core_end; i++) {
        double const value = series->value(stats, i);
        if (!isfinite(value) || (below > 0 && value >= below))
            continue;
        double const share = (value - bins->low) / (bins->high - bins->low);
        unsigned const bin = share >= 1 ? BINS - 1 : (unsigned)(share * BINS);
        if (++bins->counts[bin] > bins->most)
            bins->most = bins->counts[bin];
    }
    return true;
}

static void draw_histogram(struct svg_out *out, unsigned column, const struct block_series *series,
                           double below)
{
    struct panel panel = place(column, 0);
    struct block_histogram bins;
    if (!fill(series, below, &bins)) {
        svg_label(out, "b", panel.left, panel.top - 12, series->histogram_title);
        return;
    }
    panel.x_low = bins.low;
    panel.x_high = bins.high;
    panel.y_high = bins.most;
    draw_axes(out, &panel, series->histogram_title, series->unit);
    double const width = (bins.high - bins.low) / BINS;
    for (unsigned i = 0; i < BINS; i++) {
        char from[CHART_NUMBER_MAX], to[CHART_NUMBER_MAX];
        double const left = x_at(&panel, bins.low + i * width);
        double const right = x_at(&panel, bins.low + (i + 1) * width);
        if (bins.counts[i] == 0)
            continue;
        svg_raw(out, "<rect class=\"h\"");
        svg_attribute(out, "x", left + 0.5);
        svg_attribute(out, "y", y_at(&panel, bins.counts[i]));
        svg_attribute(out, "width", right - left - 1);
        svg_attribute(out, "height", panel.bottom - y_at(&panel, bins.counts[i]));
        svg_raw(out, "><title>");
        svg_text(out, chart_number(bins.low + i * width, "", from));
        svg_raw(out, " to ");
        svg_text(out, chart_number(bins.low + (i + 1) * width, "", to));
        svg_format(out, ": %u blocks</title></rect>\n", bins.counts[i]);
    }
}

static void draw_dots(struct svg_out *out, const struct panel *panel,
                      const struct block_series *series)
{
    const struct block_stats *stats = series->stats;
    for (size_t i = stats->core_begin; i < stats->core_end; i++) {
        char label[CHART_NUMBER_MAX];
        double const value = series->value(stats, i);
        if (!isfinite(value))
            continue;
        svg_raw(out, "<circle class=\"d\" r=\"2\"");
        svg_attribute(out, "cx", x_at(panel, (double)i));
        svg_attribute(out, "cy", y_at(panel, value));
        svg_format(out, "><title>height %" PRIu64 ": ", point_of(stats, i)->height);
        svg_text(out, chart_number(value, "", label));
        svg_raw(out, "</title></circle>\n");
    }
}

/* One stroke from the lowest to the highest value of each pixel: no peak is lost among many
 * blocks. */
static void draw_curve(struct svg_out *out, const struct panel *panel,
                       const struct block_series *series)
{
    const struct block_stats *stats = series->stats;
    bool is_begun = false;
    svg_raw(out, "<path class=\"s\" d=\"");
    for (size_t i = stats->core_begin; i < stats->core_end;) {
        double const x = x_at(panel, (double)i);
        double low = INFINITY, high = -INFINITY;
        while (i < stats->core_end && (int)x_at(panel, (double)i) == (int)x) {
            double const value = series->value(stats, i++);
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
        if (high < low)
            continue;
        svg_raw(out, is_begun ? "L" : "M");
        svg_px(out, x, 1);
        svg_raw(out, " ");
        svg_px(out, y_at(panel, high), 1);
        if (high > low) {
            svg_raw(out, "V");
            svg_px(out, y_at(panel, low), 1);
        }
        is_begun = true;
    }
    svg_raw(out, is_begun ? "\"/>\n" : "M0 0\"/>\n");
}

static void draw_series(struct svg_out *out, unsigned column, const struct block_series *series)
{
    const struct block_stats *stats = series->stats;
    struct panel panel = place(column, 1);
    panel.x_low = (double)stats->core_begin;
    panel.x_high = stats->core_end > stats->core_begin + 1 ? (double)stats->core_end - 1
                                                           : (double)stats->core_begin + 1;
    for (size_t i = stats->core_begin; i < stats->core_end; i++)
        if (series->value(stats, i) > panel.y_high)
            panel.y_high = series->value(stats, i);
    draw_axes(out, &panel, series->title, "block");
    draw_curve(out, &panel, series);
    if (stats->core_end - stats->core_begin <= DOTS)
        draw_dots(out, &panel, series);
}

static void draw_head(struct svg_out *out, const struct block_stats *stats)
{
    const char *slash = strrchr(stats->path, '/');
    size_t const count = stats->core_end - stats->core_begin;
    svg_format(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d "
        "%d\" font-family=\"sans-serif\" font-size=\"12\">\n",
        WIDTH, HEIGHT, WIDTH, HEIGHT);
    svg_raw(out, "<style>text{fill:#222}.t{font-size:17px}.b{font-weight:bold}.e{text-anchor:end}"
                 ".c{text-anchor:middle}.g{stroke:#ddd}.a{stroke:#777}.h{fill:#0072b2}"
                 ".h:hover{fill:#d55e00}.s{fill:none;stroke:#0072b2;stroke-width:1.2}"
                 ".d{fill:#0072b2}.d:hover{fill:#d55e00}</style>\n");
    svg_format(out, "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", WIDTH, HEIGHT);
    svg_label(out, "t", 16, 26, slash ? slash + 1 : stats->path);
    svg_raw(out, "<text x=\"16\" y=\"45\">");
    if (count > 0)
        svg_format(out, "%zu blocks, heights %" PRIu64 " to %" PRIu64, count,
                   point_of(stats, stats->core_begin)->height,
                   point_of(stats, stats->core_end - 1)->height);
    else
        svg_raw(out, "no block has a time of its own");
    if (stats->missing)
        svg_format(out, "; %" PRIu64 " heights are missing", stats->missing);
    if (stats->by_header)
        svg_format(out, "; %" PRIu64 " times by headers, in whole seconds", stats->by_header);
    svg_raw(out, "</text>\n");
}

void block_charts_render(const struct block_stats *stats, bool tps1, struct svg_out *out)
{
    struct block_series const seconds = {stats, seconds_of, "seconds per block", "seconds",
                                         "block time"};
    struct block_series const transactions = {stats, transactions_of, "transactions per block",
                                              "transactions", "transactions per block"};
    struct block_series const rate = {stats, tps_of, "transactions per second, each block",
                                      "transactions per second", "transactions per second"};
    struct block_series const smooth = {stats, tps_over_ten,
                                        "transactions per second, over 10 blocks", "", ""};
    draw_head(out, stats);
    draw_histogram(out, 0, &seconds, stats->slow_s);
    draw_histogram(out, 1, &transactions, 0);
    draw_histogram(out, 2, &rate, 0);
    draw_series(out, 0, &seconds);
    draw_series(out, 1, &transactions);
    draw_series(out, 2, tps1 ? &rate : &smooth);
    svg_raw(out, "</svg>\n");
}
