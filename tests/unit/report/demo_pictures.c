/* SPDX-License-Identifier: Apache-2.0 */
/* Writes pictures of made-up recordings, to look at: demo-pictures flame|diff|heat|plot STACKS
 * BUCKETS [losses] [dies] [wild] [reverse] [icicle] [hot] [mem] >OUT.svg */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/sums/weigh.h"
#include "demo_recording.h"
#include "report/flame/flame_diff.h"
#include "report/flame/flame_heat.h"
#include "report/plot/plot_svg.h"
#include "timed_recording.h"

static bool has(char **argv, const char *word)
{
    for (; *argv; argv++)
        if (strcmp(*argv, word) == 0)
            return true;
    return false;
}

static int draw_flame(struct recording *recording, char **argv, struct svg_out *out)
{
    struct weights weights;
    struct fault fault = {0};
    struct flame_options const options = {.reverse = has(argv, "reverse"),
                                          .icicle = has(argv, "icicle"),
                                          .colors = has(argv, "hot")   ? FLAME_HOT
                                                    : has(argv, "mem") ? FLAME_MEM
                                                                       : FLAME_BY_MODULE};
    int err = weigh_stacks(recording, metric_find("heap.live"), TIME_ALL, &weights, &fault);
    if (!err)
        err = flame_svg_render(recording, &weights, &options, out, &fault);
    if (!err)
        weights_fini(&weights);
    return err;
}

/* What changed since a recording with half as many stacks more. */
static int draw_diff(struct recording *recording, struct demo_shape shape, struct svg_out *out)
{
    struct weights weights[2];
    struct flame_options const options = {0};
    const struct metric *metric = metric_find("heap.allocated");
    shape.stacks += shape.stacks / 2;
    struct recording *older = demo_create(&shape);
    int err = weigh_stacks(older, metric, TIME_ALL, &weights[0], NULL);
    if (!err)
        err = weigh_stacks(recording, metric, TIME_ALL, &weights[1], NULL);
    struct flame_diff const diff = {
        {older, &weights[0]}, {recording, &weights[1]}, "older", SCALE_NONE};
    if (!err)
        err = flame_diff_render(&diff, &options, out, NULL);
    weights_fini(&weights[0]);
    weights_fini(&weights[1]);
    recording_destroy(older);
    return err;
}

/* Processor time of a recording that has nothing to do with the shape. */
static int draw_heat(struct svg_out *out)
{
    struct timed timed = timed_create();
    struct moment_sums sums;
    struct weights weights = {.metric = metric_find("cpu.on")};
    struct flame_options const options = {.file = "grinder.memoir"};
    int err = moment_sums_build(timed.recording, weights.metric, TIME_ALL, &sums, NULL);
    if (!err)
        err = moment_sums_root(timed.recording, &sums, THREADS_APART, &weights);
    if (!err)
        err = flame_heat_render(timed.recording, &sums, &weights, &options, out, NULL);
    weights_fini(&weights);
    moment_sums_fini(&sums);
    timed_destroy(&timed);
    return err;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    struct demo_shape const shape = {.stacks = (unsigned)atoi(argv[2]),
                                     .buckets = (unsigned)atoi(argv[3]),
                                     .bucket_ns = has(argv, "instant") ? 0 : 1000000000,
                                     .has_losses = has(argv, "losses"),
                                     .dies = has(argv, "dies"),
                                     .has_wild_names = has(argv, "wild")};
    struct recording *recording = demo_create(&shape);
    struct svg_out out = {0};
    struct plot_options const plot = {.range = TIME_ALL, .top = PLOT_TOP_DEFAULT};
    bool const is_plot = strcmp(argv[1], "plot") == 0;
    int err = is_plot                        ? plot_svg_render(recording, &plot, &out, NULL)
              : strcmp(argv[1], "diff") == 0 ? draw_diff(recording, shape, &out)
              : strcmp(argv[1], "heat") == 0 ? draw_heat(&out)
                                             : draw_flame(recording, argv, &out);
    if (!err && fwrite(out.data, 1, out.size, stdout) != out.size)
        err = 1;
    svg_out_fini(&out);
    recording_destroy(recording);
    return err ? 1 : 0;
}
