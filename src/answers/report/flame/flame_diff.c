/* SPDX-License-Identifier: Apache-2.0 */
#include "report/flame/flame_diff.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/pictures/picture_text.h"

void flame_hatch_write(struct svg_out *out)
{
    svg_format(out,
               ".c%u{fill:url(#gone)}\n.hatch0{fill:#dbe8fa}.hatch1{fill:#7fa8dc}\n"
               "@media (prefers-color-scheme: dark){.c%u{fill:url(#gone)}.hatch0{fill:#22324a}"
               ".hatch1{fill:#3f6ea8}}\n",
               PALETTE_CHANGES + CHANGE_GONE, PALETTE_CHANGES + CHANGE_GONE);
}

/* A number with its sign. */
static const char *signed_value(double value, const char *unit, char text[HUMAN_MAX])
{
    char size[HUMAN_MAX];
    if (llround(value) == 0)
        return strcpy(text, "0");
    human_value(llround(fabs(value)), unit, size);
    snprintf(text, HUMAN_MAX, "%s%.30s", value > 0 ? "+" : "-", size);
    return text;
}

void flame_change_text(const struct diff_tree *tree, uint32_t node, char text[HUMAN_MAX])
{
    const struct diff_node *at = &tree->nodes.items[node];
    signed_value(diff_noise_change(&tree->noise, &at->all), tree->unit, text);
}

/* "1,234 samples, 12.3 s" or "12.3 MiB in 42 blocks". */
static void add_amount(struct picture_text *line, const struct metric *metric, int64_t value,
                       int64_t count)
{
    const char *noun = flame_noun(metric), *more = count == 1 ? "" : "s";
    char amount[HUMAN_MAX], counted[HUMAN_MAX];
    human_value(value, metric->unit, amount);
    human_count(count, counted);
    if (!noun)
        picture_add(line, "%s calls", amount);
    else if (strcmp(metric->unit, "ns") == 0)
        picture_add(line, "%s %s%s, %s", counted, noun, more, amount);
    else
        picture_add(line, "%s in %s %s%s", amount, counted, noun, more);
}

/* What was before and what changed, with both directions. */
static void tell_change(const struct flame_diff *diff, const struct diff_tree *tree,
                        struct picture_text *line)
{
    const struct weights *older = diff->before.weights;
    const struct metric *metric = older->metric;
    double const before = tree->noise.factor * (double)older->total_value;
    double const change = (double)diff->after.weights->total_value - before;
    char net[HUMAN_MAX], up[HUMAN_MAX], down[HUMAN_MAX], scaled[HUMAN_MAX];
    picture_add(line, "compared with %.60s: ", diff->before_name);
    add_amount(line, metric, older->total_value, older->total_count);
    if (tree->noise.factor != 1)
        picture_add(line, " (scaled by %.3g to the same %s: %s)", tree->noise.factor,
                    diff->scale == SCALE_TIME ? "time" : "total",
                    human_value(llround(before), metric->unit, scaled));
    picture_add(line, "; change %s", signed_value(change, metric->unit, net));
    if (before > 0)
        picture_add(line, " (%+.1f %%)", 100 * change / before);
    picture_add(line, ": grown %s, shrunk %s", signed_value(tree->grown, metric->unit, up),
                signed_value(-tree->shrunk, metric->unit, down));
}

static void tell_rules(const struct diff_tree *tree, struct picture_text *line)
{
    static const char *const noise[] = {
        [NOISE_NONE] = "nothing is estimated, so nothing is grey",
        [NOISE_SAMPLES] = "grey: within the error of sampling (95 %)",
        [NOISE_BLOCKS] = "grey: within the error of sampling (95 %)",
        [NOISE_UNKNOWN] = "calls are estimated, by an error that is not known: nothing is grey",
    };
    picture_add(line,
                "each frame is as wide as its values before and after together; its colour is the "
                "change, with everything it calls; %s",
                noise[tree->noise.kind]);
}

/* How far to trust the older one. */
static void tell_quality(const struct flame_diff *diff, struct picture_text *line)
{
    struct picture_text quality;
    picture_quality(diff->before.recording, &quality);
    if (quality.text[0])
        picture_add(line, "of %.60s: %s", diff->before_name, quality.text);
}

typedef int draw_trees_fn(const struct flame_diff *diff, const struct stack_union *all,
                          const struct diff_tree trees[2], const struct flame_options *options,
                          struct svg_out *out);

static int draw(const struct flame_diff *diff, const struct stack_union *all,
                const struct diff_tree trees[2], const struct flame_options *options,
                struct svg_out *out)
{
    struct picture_text change = {""}, rules = {""}, quality = {""};
    struct flame_options told = *options;
    tell_change(diff, &trees[0], &change);
    tell_rules(&trees[0], &rules);
    tell_quality(diff, &quality);
    told.lines[0] = change.text;
    told.lines[1] = rules.text;
    told.lines[2] = quality.text[0] ? quality.text : NULL;
    struct flame_trees const pair = {&trees[0].tree, &trees[1].tree, {&trees[0], &trees[1]}};
    return flame_svg_draw(all->recording, &pair, &all->after, &told, out);
}

static void write_side(const char *name, const struct weights *weights, double factor,
                       struct svg_out *out)
{
    svg_format(out, ",\"%s\":{\"value\":%lld,\"count\":%lld,\"from_ns\":%llu,\"to_ns\":%llu}", name,
               llround(factor * (double)weights->total_value), (long long)weights->total_count,
               (unsigned long long)weights->used.from_ns, (unsigned long long)weights->used.to_ns);
}

static int write_data(const struct flame_diff *diff, const struct stack_union *all,
                      const struct diff_tree trees[2], const struct flame_options *options,
                      struct svg_out *out)
{
    static const char *const noise[] = {[NOISE_NONE] = "none",
                                        [NOISE_SAMPLES] = "samples",
                                        [NOISE_BLOCKS] = "blocks",
                                        [NOISE_UNKNOWN] = "unknown"};
    const struct metric *metric = diff->after.weights->metric;
    struct flame_trees const pair = {&trees[0].tree, &trees[1].tree, {&trees[0], &trees[1]}};
    svg_raw(out, "{\"metric\":");
    svg_json(out, metric->name);
    svg_raw(out, ",\"unit\":");
    svg_json(out, metric->unit);
    svg_format(out, ",\"scale\":%.17g", trees[0].noise.factor);
    write_side("before", diff->before.weights, trees[0].noise.factor, out);
    write_side("after", diff->after.weights, 1, out);
    svg_format(out, ",\"grown\":%lld,\"shrunk\":%lld,\"noise\":\"%s\",\n\"kinds\":[",
               llround(trees[0].grown), llround(trees[0].shrunk), noise[trees[0].noise.kind]);
    for (unsigned kind = 0; kind < CHANGE_KINDS; kind++)
        svg_format(out, "%s\"%s\"", kind ? "," : "", diff_change_names[kind]);
    svg_format(out, "],\"kinds_from\":%u,\n\"flame\":", PALETTE_CHANGES);
    int const err = flame_data_draw(all->recording, &pair, &all->after, options, out);
    svg_raw(out, "}\n");
    return err ? err : out->failed ? -ENOMEM : 0;
}

static int render(const struct flame_diff *diff, const struct flame_options *options,
                  draw_trees_fn *write, struct svg_out *out, struct fault *fault)
{
    struct stack_union all;
    struct diff_tree trees[2] = {{.grown = 0}, {.grown = 0}};
    double factor;
    int err = diff_scale_factor(diff->scale, &diff->before, &diff->after, &factor, fault);
    if (err)
        return err;
    struct diff_noise const noise = diff_noise_of(&diff->before, &diff->after, factor);
    err = stack_union_build(diff->before, diff->after, &all);
    if (!err) {
        err = diff_tree_build(&all, &noise, false, &trees[0]);
        if (!err)
            err = diff_tree_build(&all, &noise, true, &trees[1]);
        if (!err)
            err = write(diff, &all, trees, options, out);
        stack_union_fini(&all);
    }
    diff_tree_fini(&trees[0]);
    diff_tree_fini(&trees[1]);
    return err ? fault_set(fault, err, "The picture could not be drawn: %s.", strerror(-err)) : 0;
}

int flame_diff_render(const struct flame_diff *diff, const struct flame_options *options,
                      struct svg_out *out, struct fault *fault)
{
    return render(diff, options, draw, out, fault);
}

int flame_diff_data_render(const struct flame_diff *diff, const struct flame_options *options,
                           struct svg_out *out, struct fault *fault)
{
    return render(diff, options, write_data, out, fault);
}
