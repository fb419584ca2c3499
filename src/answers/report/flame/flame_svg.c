/* SPDX-License-Identifier: Apache-2.0 */
#include "report/flame/flame_svg.h"

#include <errno.h>
#include <string.h>

#include "base/hash.h"
#include "base/human.h"
#include "report/embedded.h"
#include "report/flame/flame_diff.h"
#include "report/flame/flame_draw.h"
#include "report/flame/flame_heat.h"

#define MAX_DEPTH  1000  /* rows; deeper frames become "…" */
#define MAX_FRAMES 14000 /* of each graph: keeps files near 1 MB and browsers quick */

static unsigned picture_width(unsigned wanted)
{
    if (wanted == 0)
        return FLAME_WIDTH_DEFAULT;
    return wanted < FLAME_WIDTH_MIN   ? FLAME_WIDTH_MIN
           : wanted > FLAME_WIDTH_MAX ? FLAME_WIDTH_MAX
                                      : wanted;
}

/* Adds what ends in a module to its weight. */
static bool weigh_module(struct flame_scene *scene, string_id name, int64_t self_value)
{
    struct palette *palette = &scene->palette;
    if (name == STRING_EMPTY)
        return true;
    vec_each (module, &palette->modules) {
        if (module->name == name) {
            module->weight += self_value;
            return true;
        }
    }
    const char *path = recording_text(scene->recording, name);
    struct palette_module const module = {
        .name = name, .hash = hash_bytes(path, strlen(path)), .weight = self_value};
    return vec_push(&palette->modules, module);
}

static int init_palette(struct flame_scene *scene)
{
    const char *program = recording_text(scene->recording, recording_own_path(scene->recording));
    bool fits = true;
    scene->palette.colors = scene->options->colors;
    vec_each (node, &scene->views[0].tree->nodes)
        fits &= weigh_module(scene, node->module, node->self_value);
    vec_each (rest, &scene->views[0].tree->left_out)
        fits &= weigh_module(scene, rest->module, rest->self_value);
    vec_each (node, &scene->views[1].tree->nodes)
        fits &= weigh_module(scene, node->module, 0);
    palette_assign(&scene->palette, hash_bytes(program, strlen(program)));
    return fits ? 0 : -ENOMEM;
}

static uint32_t most_frames(const struct flame_options *options)
{
    return options->max_frames ? options->max_frames : MAX_FRAMES;
}

static int init_view(struct flame_scene *scene, struct flame_view *view)
{
    struct flame_limits const limits = {
        .min_value =
            (int64_t)(scene->options->threshold * (double)view->tree->nodes.items[0].value),
        .max_depth = MAX_DEPTH,
        .max_frames = most_frames(scene->options)};
    int err = flame_layout_build(view->tree, &limits, &view->layout);
    if (!err)
        flame_measure(scene, view);
    return err;
}

static int write_file(const struct flame_scene *scene, struct svg_out *out)
{
    struct svg_out body = {0};
    struct picture_text title, subtitle;
    const char *heading = scene->options->title;
    double const height = flame_draw_static(scene, &scene->views[scene->options->reverse], &body);
    picture_title(scene->recording, &title);
    flame_subtitle(scene, &subtitle);

    svg_begin(out,
              &(struct svg_head){scene->width, (unsigned)height, heading ? heading : title.text,
                                 subtitle.text, "Flame graph"});
    svg_raw(out, embedded_flame_style_css);
    palette_write_css(&scene->palette, out);
    if (scene->views[0].diff)
        flame_hatch_write(out);
    if (scene->options->heat)
        flame_heat_css(out);
    svg_raw(out, "</style>\n");
    if (scene->views[0].diff)
        svg_raw(out, FLAME_HATCH);
    svg_raw(out, "<rect class=\"bg\" width=\"100%\" height=\"100%\"/>\n");
    svg_bytes(out, body.data, body.size);
    out->failed |= body.failed;
    svg_out_fini(&body);

    svg_raw(out, "<script type=\"application/json\" id=\"data\">\n");
    int err = flame_data_write(scene, out);
    svg_raw(out, "</script>\n<script><![CDATA[\n");
    svg_raw(out, embedded_picture_numbers_js);
    svg_raw(out, embedded_flame_tree_js);
    if (scene->options->heat) {
        svg_raw(out, embedded_heat_tree_js);
        svg_raw(out, embedded_heat_script_js);
    }
    svg_raw(out, embedded_flame_script_js);
    svg_raw(out, "]]></script>\n</svg>\n");
    return err ? err : out->failed ? -ENOMEM : 0;
}

typedef int write_scene_fn(const struct flame_scene *scene, struct svg_out *out);

static int draw(const struct recording *recording, const struct flame_trees *trees,
                const struct weights *weights, const struct flame_options *options,
                write_scene_fn *write, struct svg_out *out)
{
    struct flame_scene scene = {.recording = recording,
                                .weights = weights,
                                .options = options,
                                .width = picture_width(options->width),
                                .views = {{.tree = trees->top_down, .diff = trees->changes[0]},
                                          {.tree = trees->bottom_up, .diff = trees->changes[1]}}};
    int err = init_view(&scene, &scene.views[0]);
    if (!err)
        err = init_view(&scene, &scene.views[1]);
    if (!err)
        err = init_palette(&scene);
    if (!err)
        err = write(&scene, out);
    flame_layout_fini(&scene.views[0].layout);
    flame_layout_fini(&scene.views[1].layout);
    palette_fini(&scene.palette);
    return err;
}

int flame_svg_draw(const struct recording *recording, const struct flame_trees *trees,
                   const struct weights *weights, const struct flame_options *options,
                   struct svg_out *out)
{
    return draw(recording, trees, weights, options, write_file, out);
}

int flame_data_draw(const struct recording *recording, const struct flame_trees *trees,
                    const struct weights *weights, const struct flame_options *options,
                    struct svg_out *out)
{
    return draw(recording, trees, weights, options, flame_data_write, out);
}

int flame_keep_positive(const struct weights *weights, struct weights *kept, int64_t *shrunk)
{
    *kept = (struct weights){.used = weights->used,
                             .metric = weights->metric,
                             .suppressed_value = weights->suppressed_value,
                             .suppressed_count = weights->suppressed_count};
    *shrunk = 0;
    vec_each (row, &weights->rows) {
        if (row->value < 0) {
            *shrunk = *shrunk < -INT64_MAX - row->value ? -INT64_MAX : *shrunk + row->value;
            continue;
        }
        if (!vec_push(&kept->rows, *row))
            return -ENOMEM;
        /* Unsigned, as weigh.c has it: nonsense in a damaged file wraps. */
        kept->total_value = (int64_t)((uint64_t)kept->total_value + (uint64_t)row->value);
        kept->total_count = (int64_t)((uint64_t)kept->total_count + (uint64_t)row->count);
    }
    return 0;
}

static int render(struct recording *recording, const struct weights *weights,
                  const struct flame_options *options, write_scene_fn *write, struct svg_out *out,
                  struct fault *fault)
{
    struct call_tree top_down = {0}, bottom_up = {0};
    struct flame_options told = *options;
    struct picture_text choice = {""};
    struct weights kept;
    int64_t shrunk;
    int err = flame_keep_positive(weights, &kept, &shrunk);
    if (shrunk) {
        char bytes[HUMAN_MAX];
        picture_add(&choice, "%s%sstacks that shrank, by %s together, have no width",
                    options->choice ? options->choice : "", options->choice ? "; " : "",
                    human_value(-shrunk, weights->metric->unit, bytes));
        told.choice = choice.text;
    }
    struct weights const none = {.used = kept.used, .metric = kept.metric};
    bool const has_down = !options->one_way || !options->reverse;
    bool const has_up = !options->one_way || options->reverse;
    if (!err)
        err = call_tree_build_largest(
            recording, has_down ? &kept : &none,
            (struct tree_cut){false, MERGE_FUNCTION, most_frames(options)}, &top_down);
    if (!err)
        err = call_tree_build_largest(recording, has_up ? &kept : &none,
                                      (struct tree_cut){true, MERGE_FUNCTION, most_frames(options)},
                                      &bottom_up);
    struct flame_trees const trees = {.top_down = &top_down, .bottom_up = &bottom_up};
    if (!err)
        err = draw(recording, &trees, &kept, &told, write, out);
    call_tree_fini(&top_down);
    call_tree_fini(&bottom_up);
    weights_fini(&kept);
    return err ? fault_set(fault, err, "The picture could not be drawn: %s.", strerror(-err)) : 0;
}

int flame_svg_render(struct recording *recording, const struct weights *weights,
                     const struct flame_options *options, struct svg_out *out, struct fault *fault)
{
    return render(recording, weights, options, write_file, out, fault);
}

int flame_data_render(struct recording *recording, const struct weights *weights,
                      const struct flame_options *options, struct svg_out *out, struct fault *fault)
{
    return render(recording, weights, options, flame_data_write, out, fault);
}
