/* SPDX-License-Identifier: Apache-2.0 */
#include "report/plot/line_chart.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "report/embedded.h"
#include "report/plot/plot_axis.h"

#define WIDTH_DEFAULT 1200
#define LANE_DEFAULT  200
#define LEFT          92
#define LEGEND        290
#define HEAD          64 /* above the first lane */
#define LANE_HEAD     30 /* of a lane, for its title */
#define FOOT          44
#define LINE_HEIGHT   17
#define LETTER        6.7
#define COLORS        16

struct lane_place {
    double top, bottom, low, high, step;
};
struct line_drawing {
    const struct line_chart *chart;
    struct svg_out *out;
    double width, height, right;
    int64_t from, to; /* of x */
};

/* Any two numbers may be the ends: what is between them need not be a signed one. */
static uint64_t from_start(const struct line_drawing *drawing, int64_t x)
{
    return (uint64_t)x - (uint64_t)drawing->from;
}

static double place_x(const struct line_drawing *drawing, int64_t x)
{
    return LEFT + (double)from_start(drawing, x) / (double)from_start(drawing, drawing->to) *
                      (drawing->right - LEFT);
}

static double place_y(const struct lane_place *place, double y)
{
    return place->bottom -
           (y - place->low) / (place->high - place->low) * (place->bottom - place->top);
}

static void put_point(struct svg_out *out, char command, double x, double y)
{
    svg_bytes(out, &command, 1);
    svg_point(out, x, y);
}

/* From zero, or below it, to a whole step above the highest. */
static void scale_lane(const struct chart_lane *lane, struct lane_place *place)
{
    double low = 0, high = 0;
    for (size_t i = 0; i < lane->line_count; i++)
        for (size_t at = 0; at < lane->lines[i].count; at++) {
            double const y = lane->lines[i].points[at].y;
            if (isfinite(y)) {
                low = y < low ? y : low;
                high = y > high ? y : high;
            }
        }
    place->step = chart_step(high - low, lane->unit, 5);
    place->low = floor(low / place->step) * place->step;
    place->high = ceil(high / place->step) * place->step;
    if (place->high <= place->low)
        place->high = place->low + place->step;
}

static void draw_grid(const struct line_drawing *drawing, const struct chart_lane *lane,
                      const struct lane_place *place)
{
    unsigned const ticks = (unsigned)((place->high - place->low) / place->step + 0.5);
    for (unsigned i = 0; i <= ticks && i < 100; i++) {
        char label[CHART_NUMBER_MAX];
        double const value = place->low + i * place->step;
        double const y = place_y(place, value);
        svg_stroke(drawing->out, i ? "grid" : "axis", (double[]){LEFT, y, drawing->right, y});
        svg_label(drawing->out, "m e", LEFT - 7, y + 4,
                  chart_number(fabs(value) < place->step / 1e6 ? 0 : value, lane->unit, label));
    }
    svg_label_cut(drawing->out, "b", (double[]){LEFT, place->top - 9}, lane->title,
                  (size_t)((drawing->width - LEFT) / LETTER));
}

/* The label of a tick: a time of day, with the date where a day begins or days are far apart. */
static void time_label(int64_t us, uint64_t step_ns, char text[48])
{
    time_t const seconds = (time_t)(us / 1000000);
    struct tm parts;
    bool const is_fine = step_ns < NS_PER_SECOND;
    if (!gmtime_r(&seconds, &parts)) {
        text[0] = '\0';
        return;
    }
    bool const is_day = parts.tm_hour == 0 && parts.tm_min == 0 && parts.tm_sec == 0;
    strftime(text, 48,
             is_day                        ? "%m-%d"
             : step_ns % 60000000000u == 0 ? "%H:%M"
                                           : "%H:%M:%S",
             &parts);
    if (is_fine && !is_day) {
        size_t const used = strftime(text, 48, "%H:%M:%S", &parts);
        snprintf(text + used, 48 - used, ".%03d", (int)(us % 1000000 / 1000));
    }
}

static void draw_x_tick(const struct line_drawing *drawing, int64_t value, const char *label,
                        double bottom)
{
    double const x = place_x(drawing, value);
    svg_stroke(drawing->out, "axis", (double[]){x, bottom, x, bottom + 5});
    bool const at_the_edge = x > drawing->right - 24;
    svg_label(drawing->out, at_the_edge ? "m e" : "m c", at_the_edge ? drawing->right + 6 : x,
              bottom + 19, label);
}

static void draw_x_axis(const struct line_drawing *drawing, double bottom)
{
    uint64_t const span = from_start(drawing, drawing->to);
    uint64_t const span_ns = span <= UINT64_MAX / 1000 ? span * 1000 : UINT64_MAX;
    unsigned const room = (unsigned)((drawing->right - LEFT) / 90);
    unsigned const wanted = room > 1 ? room : 1;
    bool const is_time = drawing->chart->x_is_time;
    uint64_t const step_ns = axis_step(span_ns, "ns", wanted);
    int64_t step = is_time ? (int64_t)(step_ns / 1000) : (int64_t)axis_step(span, "", wanted);
    if (step < 1)
        step = 1;
    int64_t at = drawing->from / step * step;
    bool more = at >= drawing->from || !__builtin_add_overflow(at, step, &at);
    for (; more && at <= drawing->to; more = !__builtin_add_overflow(at, step, &at)) {
        char label[48];
        if (is_time)
            time_label(at, step_ns, label);
        else
            snprintf(label, sizeof(label), "%" PRId64, at);
        draw_x_tick(drawing, at, label, bottom);
    }
    if (!is_time && drawing->chart->x_title)
        svg_label(drawing->out, "m c", (LEFT + drawing->right) / 2, bottom + 36,
                  drawing->chart->x_title);
}

static unsigned color_of(const struct chart_line *line, size_t at)
{
    return line->color >= 0 ? (unsigned)line->color % COLORS : (unsigned)(at % COLORS);
}

/* Lowest and highest of the points that share a pixel, in the order they come: a peak is never
 * lost. */
struct line_column {
    double x, first, low, high, last;
    bool has_any, low_is_first;
};

static void end_column(struct svg_out *out, const struct lane_place *place,
                       struct line_column *column, bool *is_down)
{
    if (!column->has_any)
        return;
    double ys[4] = {column->first, column->low_is_first ? column->low : column->high,
                    column->low_is_first ? column->high : column->low, column->last};
    for (unsigned i = 0; i < 4; i++) {
        if (i && ys[i] == ys[i - 1])
            continue;
        put_point(out, *is_down ? 'L' : 'M', column->x, place_y(place, ys[i]));
        *is_down = true;
    }
    column->has_any = false;
}

static void add_to_column(struct line_column *column, double x, double y)
{
    if (!column->has_any) {
        *column = (struct line_column){x, y, y, y, y, true, true};
        return;
    }
    if (y < column->low) {
        column->low = y;
        column->low_is_first = false;
    }
    if (y > column->high) {
        column->high = y;
        column->low_is_first = true;
    }
    column->last = y;
}

static void draw_curve(const struct line_drawing *drawing, const struct chart_line *line,
                       const struct lane_place *place, unsigned color)
{
    struct svg_out *out = drawing->out;
    struct line_column column = {0};
    bool is_down = false;
    size_t run = 0;
    svg_format(out, "<path class=\"curve l%u\" d=\"", color);
    for (size_t i = 0; i < line->count; i++) {
        double const x = floor(place_x(drawing, line->points[i].x) * 2) / 2;
        double const y = line->points[i].y;
        bool const is_gap = !isfinite(y);
        if (column.has_any && (is_gap || x != column.x))
            end_column(out, place, &column, &is_down);
        if (is_gap && run == 1)
            svg_raw(out, "h0.01"); /* a point alone, which round ends of lines show */
        run = is_gap ? 0 : run + 1;
        if (is_gap)
            is_down = false;
        else
            add_to_column(&column, x, y);
    }
    end_column(out, place, &column, &is_down);
    svg_raw(out, run == 1 ? "h0.01\"/>\n" : "\"/>\n");
}

static void draw_dots(const struct line_drawing *drawing, const struct chart_line *line,
                      const struct lane_place *place, unsigned color)
{
    svg_format(drawing->out, "<path class=\"dots l%u\" d=\"", color);
    for (size_t i = 0; i < line->count; i++)
        if (isfinite(line->points[i].y)) {
            put_point(drawing->out, 'M', place_x(drawing, line->points[i].x),
                      place_y(place, line->points[i].y));
            svg_raw(drawing->out, "h0.01");
        }
    svg_raw(drawing->out, "\"/>\n");
}

/* The last number of each line; as many lines as fit. */
static void draw_legend(const struct line_drawing *drawing, const struct chart_lane *lane,
                        const struct lane_place *place)
{
    size_t const room = (size_t)((place->bottom - place->top) / LINE_HEIGHT);
    size_t shown = lane->line_count <= room ? lane->line_count : room ? room - 1 : 0;
    double const x = drawing->right + 16;
    for (size_t i = 0; i < shown; i++) {
        double const y = place->top + 8 + (double)i * LINE_HEIGHT;
        svg_format(drawing->out, "<path class=\"curve l%u\" d=\"", color_of(&lane->lines[i], i));
        put_point(drawing->out, 'M', x, y);
        svg_raw(drawing->out, "h16\"/><text");
        svg_attribute(drawing->out, "x", x + 22);
        svg_attribute(drawing->out, "y", y + 4);
        svg_raw(drawing->out, ">");
        svg_text_cut(drawing->out, lane->lines[i].name,
                     (size_t)((drawing->width - x - 26) / (LETTER + 0.3)));
        svg_raw(drawing->out, "</text>\n");
    }
    if (shown < lane->line_count) {
        char more[64];
        snprintf(more, sizeof(more), "… and %zu more", lane->line_count - shown);
        svg_label(drawing->out, "m", x + 22, place->top + 12 + (double)shown * LINE_HEIGHT, more);
    }
}

static void put_real(struct svg_out *out, double value)
{
    char text[40];
    if (isfinite(value))
        snprintf(text, sizeof(text), "%.10g", value);
    svg_raw(out, isfinite(value) ? text : "null");
}

/* {"from","to","left","right","time","lanes":[{"top","bottom","unit","lines":
 * [{"name","color","x":[…],"y":[…]}]}]}; x counts from "from". */
static void write_data(const struct line_drawing *drawing, const struct lane_place *places)
{
    struct svg_out *out = drawing->out;
    svg_format(out, "{\"from\":%lld,\"to\":%lld,\"left\":%d,\"right\":%d,\"time\":%s,\"lanes\":[",
               (long long)drawing->from, (long long)drawing->to, LEFT, (int)drawing->right,
               drawing->chart->x_is_time ? "true" : "false");
    for (size_t i = 0; i < drawing->chart->lane_count; i++) {
        const struct chart_lane *lane = &drawing->chart->lanes[i];
        svg_format(out, "%s{\"top\":%d,\"bottom\":%d,\"unit\":", i ? ",\n" : "", (int)places[i].top,
                   (int)places[i].bottom);
        svg_json(out, lane->unit);
        svg_raw(out, ",\"lines\":[");
        for (size_t at = 0; at < lane->line_count; at++) {
            const struct chart_line *line = &lane->lines[at];
            svg_raw(out, at ? ",\n{\"name\":" : "{\"name\":");
            svg_json(out, line->name);
            svg_format(out, ",\"color\":%u,\"x\":[", color_of(line, at));
            for (size_t p = 0; p < line->count; p++)
                svg_format(out, "%s%llu", p ? "," : "",
                           (unsigned long long)from_start(drawing, line->points[p].x));
            svg_raw(out, "],\"y\":[");
            for (size_t p = 0; p < line->count; p++) {
                svg_raw(out, p ? "," : "");
                put_real(out, line->points[p].y);
            }
            svg_raw(out, "]}");
        }
        svg_raw(out, "]}");
    }
    svg_raw(out, "]}");
}

/* The dates, which ticks do not have. */
static void put_span(const struct line_drawing *drawing)
{
    int64_t const ends[] = {drawing->from, drawing->to};
    for (int i = 0; i < 2; i++) {
        time_t const seconds = (time_t)(ends[i] / 1000000);
        struct tm parts;
        char text[40];
        if (gmtime_r(&seconds, &parts) && strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &parts))
            svg_raw(drawing->out, i ? " to " : "; from ");
        else
            text[0] = '\0';
        svg_raw(drawing->out, text);
    }
    svg_raw(drawing->out, " UTC");
}

static void open_picture(const struct line_drawing *drawing)
{
    struct svg_out *out = drawing->out;
    svg_begin(out, &(struct svg_head){(unsigned)drawing->width, (unsigned)drawing->height,
                                      drawing->chart->title, drawing->chart->subtitle, "Chart"});
    svg_raw(out, embedded_plot_style_css);
    svg_raw(out, embedded_line_chart_style_css);
    svg_raw(out, "</style>\n<rect class=\"bg\" width=\"100%\" height=\"100%\"/>\n");
    size_t const cells = (size_t)((drawing->width - 24) / LETTER);
    svg_label_cut(out, "h", (double[]){12, 26}, drawing->chart->title, cells * 3 / 4);
    svg_raw(out, "<text class=\"m\" x=\"12\" y=\"46\">");
    svg_text_cut(out, drawing->chart->subtitle, cells * 3 / 4);
    if (drawing->chart->x_is_time)
        put_span(drawing);
    svg_raw(out, "</text>\n");
}

static void draw_lane(const struct line_drawing *drawing, const struct chart_lane *lane,
                      const struct lane_place *place)
{
    draw_grid(drawing, lane, place);
    for (size_t i = 0; i < lane->line_count; i++) {
        unsigned const color = color_of(&lane->lines[i], i);
        if (lane->is_dots)
            draw_dots(drawing, &lane->lines[i], place, color);
        else
            draw_curve(drawing, &lane->lines[i], place, color);
    }
    draw_legend(drawing, lane, place);
}

/* All x there are; never empty, so that it can be an axis. */
static void find_span(struct line_drawing *drawing)
{
    bool has_any = false;
    for (size_t i = 0; i < drawing->chart->lane_count; i++)
        for (size_t at = 0; at < drawing->chart->lanes[i].line_count; at++) {
            const struct chart_line *line = &drawing->chart->lanes[i].lines[at];
            if (line->count == 0)
                continue;
            int64_t const first = line->points[0].x, last = line->points[line->count - 1].x;
            drawing->from = !has_any || first < drawing->from ? first : drawing->from;
            drawing->to = !has_any || last > drawing->to ? last : drawing->to;
            has_any = true;
        }
    if (drawing->to <= drawing->from)
        drawing->to = drawing->from + (drawing->chart->x_is_time ? 1000000 : 1);
}

void line_chart_render(const struct line_chart *chart, struct svg_out *out)
{
    struct line_drawing drawing = {.chart = chart, .out = out};
    double const lane_height = chart->lane_height ? chart->lane_height : LANE_DEFAULT;
    struct lane_place *places = calloc(chart->lane_count + 1, sizeof(*places));
    if (!places) {
        out->failed = true;
        return;
    }
    drawing.width = chart->width ? chart->width : WIDTH_DEFAULT;
    drawing.right = drawing.width - LEGEND;
    drawing.height = HEAD + (double)chart->lane_count * (lane_height + LANE_HEAD) + FOOT;
    find_span(&drawing);
    open_picture(&drawing);
    svg_raw(out, "<g id=\"plot\">\n");
    double bottom = HEAD;
    for (size_t i = 0; i < chart->lane_count; i++) {
        places[i].top = bottom + LANE_HEAD;
        bottom = places[i].bottom = places[i].top + lane_height;
        scale_lane(&chart->lanes[i], &places[i]);
        draw_lane(&drawing, &chart->lanes[i], &places[i]);
    }
    draw_x_axis(&drawing, bottom);
    svg_raw(out, "</g>\n<script type=\"application/json\" id=\"data\">\n");
    write_data(&drawing, places);
    svg_raw(out, "</script>\n<script><![CDATA[\n");
    svg_raw(out, embedded_picture_numbers_js);
    svg_raw(out, embedded_line_chart_script_js);
    svg_raw(out, "]]></script>\n</svg>\n");
    free(places);
}
