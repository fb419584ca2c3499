/* SPDX-License-Identifier: Apache-2.0 */
#include "report/flame/flame_draw.h"

#include <string.h>

#include "base/human.h"
#include "report/flame/flame_diff.h"
#include "report/flame/flame_heat.h"
#include "report/pictures/picture_text.h"

#define SIDE          10
#define CHAR          7.23 /* advance of a 12 px monospaced font */
#define SMALL_CHAR    6.7  /* average of the 12 px header font, on the safe side */
#define MIN_PIXELS    0.5  /* narrower frames are drawn as one "…" */
#define MIN_LABEL     3    /* characters, or no label at all */
#define LEGEND_PLACES 8

struct flame_spot {
    double x, y;
};

struct canvas {
    const struct flame_scene *scene;
    const struct flame_view *view;
    struct svg_out *out;
    double scale; /* pixels per unit */
    double top;   /* of the graph */
    unsigned class;
};

static double row_y(const struct canvas *canvas, uint32_t depth)
{
    uint32_t const deepest = canvas->view->deepest;
    return canvas->top +
           FLAME_ROW * (double)(canvas->scene->options->icicle ? depth : deepest - depth);
}

static double frame_width(const struct canvas *canvas, const struct flame_frame *frame)
{
    if (canvas->view->layout.total == 0)
        return canvas->scene->width - 2 * SIDE; /* an empty graph still has its root */
    return (double)frame->value * canvas->scale;
}

/* One path per colour: a fifth of the bytes of a rect per frame. */
static void draw_box(void *context, const struct flame_frame *frame)
{
    struct canvas *canvas = context;
    double const width = frame_width(canvas, frame);
    if (width <= 0 || flame_frame_class(canvas->scene, canvas->view, frame) != canvas->class)
        return;
    double const shown = width > 2 ? width - 0.6 : width;
    svg_raw(canvas->out, "M");
    svg_px(canvas->out, SIDE + (double)frame->start * canvas->scale, 2);
    svg_raw(canvas->out, " ");
    svg_px(canvas->out, row_y(canvas, frame->depth), 0);
    svg_raw(canvas->out, "h");
    svg_px(canvas->out, shown, 2);
    svg_format(canvas->out, "v%dh-", FLAME_ROW - 1);
    svg_px(canvas->out, shown, 2);
    svg_raw(canvas->out, "z");
}

/* "name  12.3 MiB" when both fit, else the name alone, cut. */
static void draw_label(void *context, const struct flame_frame *frame)
{
    struct canvas *canvas = context;
    double const width = frame_width(canvas, frame) - 6;
    size_t const cells = width > 0 ? (size_t)(width / CHAR) : 0;
    if (cells < MIN_LABEL)
        return;
    const struct call_node *node = &canvas->view->tree->nodes.items[frame->node];
    const char *name =
        frame->hidden ? "…" : recording_text(canvas->scene->recording, node->function);
    char value[HUMAN_MAX];
    if (canvas->view->diff && !frame->hidden)
        flame_change_text(canvas->view->diff, frame->node, value);
    else
        human_value(frame->value, canvas->scene->weights->metric->unit, value);
    svg_raw(canvas->out, "<text x=\"");
    svg_px(canvas->out, SIDE + 3 + (double)frame->start * canvas->scale, 1);
    svg_raw(canvas->out, "\" y=\"");
    svg_px(canvas->out, row_y(canvas, frame->depth) + 13, 0);
    svg_raw(canvas->out, "\">");
    svg_text_cut(canvas->out, name, cells);
    if (text_cells(name) + 3 + strlen(value) <= cells)
        svg_format(canvas->out, "<tspan class=\"v\" dx=\"7\">(%s)</tspan>", value);
    svg_raw(canvas->out, "</text>\n");
}

static double min_value(const struct flame_scene *scene, const struct flame_view *view)
{
    return MIN_PIXELS * (double)view->layout.total / (scene->width - 2 * SIDE);
}

static void draw_graph(const struct flame_scene *scene, const struct flame_view *view, double top,
                       struct svg_out *out)
{
    struct canvas canvas = {.scene = scene, .view = view, .out = out, .top = top};
    if (view->layout.total > 0)
        canvas.scale = (scene->width - 2 * SIDE) / (double)view->layout.total;
    svg_raw(out, "<g id=\"graph\">\n");
    for (; canvas.class < PALETTE_CLASSES; canvas.class ++) {
        size_t const before = out->size;
        svg_format(out, "<path class=\"c%u\" d=\"", canvas.class);
        size_t const opened = out->size;
        flame_layout_visit(&view->layout, min_value(scene, view), draw_box, &canvas);
        if (out->size == opened)
            out->size = before; /* no frame has this colour */
        else
            svg_raw(out, "\"/>\n");
    }
    svg_raw(out, "<g class=\"t\">\n");
    flame_layout_visit(&view->layout, min_value(scene, view), draw_label, &canvas);
    svg_raw(out, "</g>\n</g>\n");
}

static void header_line(struct svg_out *out, const char *attributes, double *y, double step)
{
    *y += step;
    svg_format(out, "<text %s x=\"%d\" y=\"", attributes, SIDE);
    svg_px(out, *y, 0);
    svg_raw(out, "\">");
}

/* One swatch with its name; false when there is no more room in the line. */
static bool draw_swatch(const struct flame_scene *scene, struct svg_out *out, unsigned class,
                        const char *name, struct flame_spot *at)
{
    size_t const cells = text_cells(name) < 32 ? text_cells(name) : 32;
    double const width = 18 + SMALL_CHAR * (double)cells + 16;
    if (at->x + width > scene->width - SIDE)
        return false;
    svg_format(out, "<rect class=\"c%u\" x=\"", class);
    svg_px(out, at->x, 0);
    svg_format(out, "\" y=\"%d\" width=\"12\" height=\"12\" rx=\"2\"/><text class=\"m\" x=\"",
               (int)at->y - 10);
    svg_px(out, at->x + 17, 0);
    svg_format(out, "\" y=\"%d\">", (int)at->y);
    svg_text_cut(out, name, cells);
    svg_raw(out, "</text>\n");
    at->x += width;
    return true;
}

/* The kinds of frames that are in this graph. */
static void draw_kinds(const struct flame_scene *scene, struct flame_spot *at, struct svg_out *out)
{
    bool is_used[PALETTE_CLASSES] = {0};
    const struct flame_layout *layout = &scene->views[0].layout;
    vec_each (frame, &layout->frames)
        if (!frame->hidden)
            is_used[flame_class(scene, &scene->views[0].tree->nodes.items[frame->node])] = true;
    for (const struct palette_kind *kind = palette_kinds; kind->name; kind++)
        if (is_used[kind->class] && !draw_swatch(scene, out, kind->class, kind->name, at))
            return;
}

/* The changes, from gone to new. */
static void draw_changes(const struct flame_scene *scene, double *y, struct svg_out *out)
{
    static const struct palette_kind kinds[] = {
        {"gone", PALETTE_CHANGES + CHANGE_GONE},
        {"-67 %", PALETTE_CHANGES + CHANGE_SHRANK_4},
        {"-33 %", PALETTE_CHANGES + CHANGE_SHRANK_3},
        {"-10 %", PALETTE_CHANGES + CHANGE_SHRANK_2},
        {"less", PALETTE_CHANGES + CHANGE_SHRANK_1},
        {"same", PALETTE_CHANGES + CHANGE_NONE},
        {"more", PALETTE_CHANGES + CHANGE_GREW_1},
        {"+10 %", PALETTE_CHANGES + CHANGE_GREW_2},
        {"+50 %", PALETTE_CHANGES + CHANGE_GREW_3},
        {"+200 %", PALETTE_CHANGES + CHANGE_GREW_4},
        {"new", PALETTE_CHANGES + CHANGE_NEW},
        {"within sampling error", PALETTE_CHANGES + CHANGE_NOISE},
    };
    bool const is_exact = scene->views[0].diff->noise.kind == NOISE_NONE;
    struct flame_spot at = {SIDE, *y + 22};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) - is_exact; i++)
        draw_swatch(scene, out, kinds[i].class, kinds[i].name, &at);
    *y = at.y;
}

/* Swatches with the heaviest modules' names and the kinds of frames, as many as fit in one line. */
static void draw_legend(const struct flame_scene *scene, double *y, struct svg_out *out)
{
    enum flame_colors const colors = scene->options->colors;
    if (scene->views[0].diff) {
        draw_changes(scene, y, out);
        return;
    }
    if ((colors != FLAME_BY_MODULE && colors != FLAME_BY_KIND) ||
        scene->views[0].layout.frames.count < 2)
        return;
    struct flame_spot at = {SIDE, *y + 22};
    size_t drawn = 0;
    draw_kinds(scene, &at, out);
    vec_each (module, &scene->palette.modules) {
        const char *path = recording_text(scene->recording, module->name);
        struct palette_frame const frame = {module->name, path, "", false};
        unsigned const class = palette_class(&scene->palette, &frame);
        const char *slash = strrchr(path, '/');
        if (class >= PALETTE_UNKNOWN)
            continue; /* a kind of its own */
        if (drawn++ == LEGEND_PLACES || !draw_swatch(scene, out, module->hue * PALETTE_SHADES,
                                                     slash && slash[1] ? slash + 1 : path, &at))
            break;
    }
    if (at.x > SIDE)
        *y = at.y;
}

void flame_subtitle(const struct flame_scene *scene, struct picture_text *subtitle)
{
    const struct metric *metric = scene->weights->metric;
    int64_t const total =
        scene->views[0].diff ? scene->weights->total_value : scene->views[0].layout.total;
    const char *noun = flame_noun(metric), *more = scene->weights->total_count == 1 ? "" : "s";
    char value[HUMAN_MAX], exact[HUMAN_MAX], calls[HUMAN_MAX];
    struct picture_text interval;
    picture_interval(scene->recording, scene->weights, &interval);
    human_value(total, metric->unit, value);
    human_count(scene->weights->total_count, calls);
    subtitle->text[0] = '\0';
    if (strcmp(metric->unit, "ns") == 0)
        picture_add(subtitle, "%s, %s: %s %s%s, %s", metric->name, metric->help, calls, noun, more,
                    value);
    else
        picture_add(subtitle, "%s (%s): %s", metric->name, metric->unit, value);
    if (strcmp(metric->unit, "bytes") == 0)
        picture_add(subtitle, " = %s bytes in %s %s%s", human_count(total, exact), calls, noun,
                    more);
    picture_add(subtitle, ", %s", interval.text);
    if (scene->options->choice)
        picture_add(subtitle, "; %s", scene->options->choice);
}

/* Title, subtitle, what "…" hides, quality, legend.  Returns where the graph may begin. */
static double draw_header(const struct flame_scene *scene, const struct flame_view *view,
                          struct svg_out *out)
{
    struct picture_text title, subtitle, quality;
    char note[160];
    double y = 8;
    size_t const cells = (size_t)((scene->width - 2 * SIDE) / SMALL_CHAR);
    picture_title(scene->recording, &title);
    flame_subtitle(scene, &subtitle);
    picture_quality(scene->recording, &quality);
    flame_note(view, note, sizeof(note));

    header_line(out, "class=\"h\"", &y, 18);
    svg_text_cut(out, scene->options->title ? scene->options->title : title.text, cells * 2 / 3);
    svg_raw(out, "</text>\n");
    header_line(out, "class=\"m\"", &y, 20);
    svg_text_cut(out, subtitle.text, cells);
    svg_raw(out, "</text>\n");
    for (size_t i = 0; i < FLAME_LINES_MAX && scene->options->lines[i]; i++) {
        header_line(out, "class=\"m\"", &y, 17);
        svg_text_cut(out, scene->options->lines[i], cells);
        svg_raw(out, "</text>\n");
    }
    if (quality.text[0]) {
        header_line(out, "class=\"w\"", &y, 17);
        svg_text_cut(out, quality.text, cells);
        svg_raw(out, "</text>\n");
    }
    if (note[0]) {
        header_line(out, "class=\"m\" id=\"note\"", &y, 17);
        svg_text_cut(out, note, cells);
        svg_raw(out, "</text>\n");
    }
    draw_legend(scene, &y, out);
    return y + 14;
}

static void note_depth(void *context, const struct flame_frame *frame)
{
    uint32_t *deepest = context;
    if (frame->depth > *deepest && frame->value > 0)
        *deepest = frame->depth;
}

void flame_measure(const struct flame_scene *scene, struct flame_view *view)
{
    view->deepest = 0;
    view->merged =
        flame_layout_visit(&view->layout, min_value(scene, view), note_depth, &view->deepest);
}

double flame_draw_static(const struct flame_scene *scene, const struct flame_view *view,
                         struct svg_out *out)
{
    svg_raw(out, "<g id=\"header\">\n");
    double top = draw_header(scene, view, out);
    svg_raw(out, "</g>\n");
    if (scene->options->heat)
        top = flame_heat_draw(scene, top, out);
    draw_graph(scene, view, top, out);
    return top + FLAME_ROW * (double)(view->deepest + 1) + 10;
}
