/* SPDX-License-Identifier: Apache-2.0 */
#include "report/flame/flame_svg.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample_recording.h"
#include "base/human.h"
#include "check.h"
#include "demo_recording.h"
#include "report/flame/flame_diff.h"
#include "report/flame/flame_heat.h"
#include "report/flame/flame_layout.h"
#include "timed_recording.h"
#include "xml_check.h"

static const struct flame_limits no_limits = {1, UINT32_MAX, UINT32_MAX};

static struct recording *demo(unsigned stacks, bool has_wild_names)
{
    struct demo_shape const shape = {
        .stacks = stacks, .buckets = 3, .bucket_ns = 1000000000, .has_wild_names = has_wild_names};
    return demo_create(&shape);
}

static struct call_tree tree_of(struct recording *recording, const char *metric, bool bottom_up)
{
    struct weights weights;
    struct call_tree tree;
    CHECK(weigh_stacks(recording, metric_find(metric), TIME_ALL, &weights, NULL) == 0);
    CHECK(call_tree_build(recording, &weights, bottom_up, MERGE_FUNCTION, &tree) == 0);
    weights_fini(&weights);
    return tree;
}

static struct svg_out render(struct recording *recording, const char *metric,
                             const struct flame_options *options)
{
    struct svg_out out = {0};
    struct weights weights;
    struct fault fault = {0};
    CHECK(weigh_stacks(recording, metric_find(metric), TIME_ALL, &weights, &fault) == 0);
    CHECK(flame_svg_render(recording, &weights, options, &out, &fault) == 0);
    weights_fini(&weights);
    return out;
}

static bool contains(const struct svg_out *out, const char *text)
{
    return memmem(out->data, out->size, text, strlen(text)) != NULL;
}

static void check_well_formed(const struct svg_out *out)
{
    size_t offset = 0;
    const char *fault = xml_fault(out->data, out->size, &offset);
    if (fault)
        fail_msg("%s at byte %zu: %.60s", fault, offset, out->data + offset);
}

/* What is above a frame, remainders included, is all of it but what is its own. */
static void check_conservation(const struct call_tree *tree, const struct flame_layout *layout)
{
    for (size_t i = 0; i < layout->frames.count; i++) {
        const struct flame_frame *frame = &layout->frames.items[i];
        int64_t above = 0;
        if (frame->hidden)
            continue;
        for (size_t k = i + 1; k < layout->frames.count && frame[k - i].depth > frame->depth; k++)
            if (frame[k - i].depth == frame->depth + 1)
                above += frame[k - i].value;
        CHECK(above + tree->nodes.items[frame->node].self_value == frame->value);
    }
}

/* Each frame lies inside the last frame one row below it, and after its left neighbour. */
static void check_geometry(const struct flame_layout *layout)
{
    const struct flame_frame *path[2048] = {0};
    int64_t used[2048] = {0};
    CHECK(layout->frames.count > 0);
    CHECK(layout->frames.items[0].start == 0);
    CHECK(layout->frames.items[0].value == layout->total);
    vec_each (frame, &layout->frames) {
        uint32_t const depth = frame->depth;
        path[depth] = frame;
        used[depth] = frame->start;
        CHECK(frame->value >= 0);
        if (depth == 0)
            continue;
        const struct flame_frame *parent = path[depth - 1];
        CHECK(parent && !parent->hidden);
        CHECK(frame->start == used[depth - 1]);
        used[depth - 1] += frame->value;
        CHECK(used[depth - 1] <= parent->start + parent->value);
    }
}

TEST(frames_lie_inside_their_parents)
{
    static const bool ways[] = {false, true};
    for (size_t i = 0; i < 2; i++) {
        struct recording *recording = demo(500, false);
        struct call_tree tree = tree_of(recording, "heap.live", ways[i]);
        struct flame_layout layout;
        CHECK(flame_layout_build(&tree, &no_limits, &layout) == 0);
        CHECK(layout.total == tree.nodes.items[0].value);
        check_geometry(&layout);
        CHECK(layout.hidden + layout.frames.count >= tree.nodes.count);
        flame_layout_fini(&layout);
        call_tree_fini(&tree);
        recording_destroy(recording);
    }
}

TEST(a_limit_hides_nothing_silently)
{
    struct recording *recording = demo(800, false);
    struct call_tree tree = tree_of(recording, "heap.live", false);
    static const struct flame_limits limits[] = {
        {1, UINT32_MAX, 100}, {1 << 16, UINT32_MAX, UINT32_MAX}, {1, 5, UINT32_MAX}, {1, 0, 1}};
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        struct flame_layout layout;
        size_t real = 0;
        uint64_t hidden = 0;
        CHECK(flame_layout_build(&tree, &limits[i], &layout) == 0);
        check_geometry(&layout);
        check_conservation(&tree, &layout);
        vec_each (frame, &layout.frames) {
            real += !frame->hidden;
            hidden += frame->hidden;
            CHECK(frame->hidden || frame->depth <= limits[i].max_depth);
            CHECK(frame->hidden || frame->depth == 0 || frame->value >= limits[i].min_value);
        }
        CHECK(real <= limits[i].max_frames);
        CHECK(hidden == layout.hidden);
        CHECK(real + hidden == tree.nodes.count);
        flame_layout_fini(&layout);
    }
    call_tree_fini(&tree);
    recording_destroy(recording);
}

struct drawn {
    size_t frames;
    uint64_t merged;
    int64_t roots;
};

static void count_drawn(void *context, const struct flame_frame *frame)
{
    struct drawn *drawn = context;
    drawn->frames += !frame->hidden;
    drawn->merged += frame->hidden;
    if (frame->depth == 1)
        drawn->roots += frame->value;
}

TEST(what_is_too_narrow_is_drawn_as_one)
{
    struct recording *recording = demo(800, false);
    struct call_tree tree = tree_of(recording, "heap.live", true);
    struct flame_layout layout;
    CHECK(flame_layout_build(&tree, &no_limits, &layout) == 0);
    for (double share = 1e-9; share < 2; share *= 10) {
        struct drawn drawn = {0};
        uint64_t const merged =
            flame_layout_visit(&layout, share * (double)layout.total, count_drawn, &drawn);
        CHECK(merged == drawn.merged);
        CHECK(drawn.frames + drawn.merged == tree.nodes.count);
        CHECK(drawn.roots == layout.total); /* the row keeps its whole width */
    }
    flame_layout_fini(&layout);
    call_tree_fini(&tree);
    recording_destroy(recording);
}

TEST(a_wrong_tree_stays_inside_its_parent)
{
    struct call_tree tree = {0};
    CHECK(vec_push(&tree.nodes, (struct call_node){.value = 10, .first_child = 1}));
    CHECK(vec_push(&tree.nodes, (struct call_node){.value = 8, .next_sibling = 2}));
    CHECK(vec_push(&tree.nodes, (struct call_node){.value = 8, .next_sibling = 3}));
    CHECK(vec_push(&tree.nodes, (struct call_node){.value = -5}));
    struct flame_layout layout;
    CHECK(flame_layout_build(&tree, &no_limits, &layout) == 0);
    check_geometry(&layout);
    CHECK(layout.frames.items[2].value == 2);
    flame_layout_fini(&layout);
    call_tree_fini(&tree);
}

TEST(the_subtitle_tells_metric_total_and_time)
{
    struct sample sample = sample_create();
    struct flame_options const options = {.title = "A & B"};
    struct svg_out out = render(sample.recording, "heap.peak", &options);
    check_well_formed(&out);
    CHECK(contains(&out, "heap.peak (bytes): 11.0 MiB = 11,538,436 bytes in 14 blocks"));
    CHECK(contains(&out, "at the peak, 18.0 s after the start"));
    CHECK(contains(&out, "<title id=\"title\">A &amp; B</title>"));
    CHECK(contains(&out, "cache_insert"));
    svg_out_fini(&out);
    sample_destroy(&sample);
}

TEST(losses_are_told)
{
    struct demo_shape const shape = {
        .stacks = 20, .buckets = 6, .bucket_ns = 1000000, .has_losses = true};
    struct recording *recording = demo_create(&shape);
    struct flame_options const options = {0};
    struct svg_out out = render(recording, "heap.live", &options);
    CHECK(contains(&out, "2,468 events lost"));
    CHECK(contains(&out, "the recording has no end"));
    svg_out_fini(&out);
    recording_destroy(recording);
}

/* Where each piece of the file begins. */
static const char *place(const struct svg_out *out, const char *text)
{
    const char *found = memmem(out->data, out->size, text, strlen(text));
    assert_non_null(found);
    return found;
}

TEST(hostile_names_stay_names)
{
    struct recording *recording = demo(300, true);
    struct flame_options const options = {.title = wild_names[0], .choice = wild_names[1]};
    struct svg_out out = render(recording, "heap.live", &options);
    check_well_formed(&out);
    CHECK(!contains(&out, "<script>alert"));
    CHECK(!contains(&out, "<svg onload"));
    CHECK(contains(&out, "&lt;/script&gt;"));
    const char *data = place(&out, "id=\"data\">\n"), *end = place(&out, "</script>");
    data = strchr(data, '\n');
    CHECK(data < end);
    for (; data < end; data++)
        CHECK(*data != '<' && *data != '>' && *data != '&');
    /* two scripts of ours and no other */
    size_t scripts = 0;
    for (const char *at = out.data;
         (at = memmem(at, out.size - (size_t)(at - out.data), "<script", 7)) != NULL; at++)
        scripts++;
    CHECK(scripts == 2);
    svg_out_fini(&out);
    recording_destroy(recording);
}

TEST(the_same_input_gives_the_same_bytes)
{
    static const struct flame_options options[] = {
        {0}, {.reverse = true, .icicle = true}, {.colors = FLAME_HOT}, {.colors = FLAME_MEM}};
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        struct recording *first = demo(200, false), *second = demo(200, false);
        struct svg_out one = render(first, "heap.allocated", &options[i]);
        struct svg_out two = render(second, "heap.allocated", &options[i]);
        check_well_formed(&one);
        CHECK(one.size == two.size && memcmp(one.data, two.data, one.size) == 0);
        svg_out_fini(&one);
        svg_out_fini(&two);
        recording_destroy(first);
        recording_destroy(second);
    }
}

TEST(an_empty_recording_has_a_picture)
{
    struct recording *recording = recording_create();
    struct flame_options const options = {.width = 1};
    struct svg_out out = render(recording, "heap.live", &options);
    check_well_formed(&out);
    CHECK(contains(&out, "width=\"300\""));
    svg_out_fini(&out);
    recording_destroy(recording);
}

TEST(ten_thousand_frames_stay_small)
{
    struct recording *recording = demo(10000, false);
    struct flame_options const options = {0};
    struct svg_out out = render(recording, "heap.allocated", &options);
    check_well_formed(&out);
    print_message("10,000 stacks: %zu bytes\n", out.size);
    CHECK(out.size < 1500000);
    svg_out_fini(&out);
    recording_destroy(recording);
}

TEST(shrunk_stacks_are_told_not_drawn)
{
    struct sample sample = sample_create();
    struct weights weights;
    struct svg_out out = {0};
    struct flame_options const options = {0};
    struct time_range const range = {20000000000u, UINT64_MAX};
    CHECK(weigh_stacks(sample.recording, metric_find("heap.live"), range, &weights, NULL) == 0);
    CHECK(weights.total_value < 0);
    CHECK(flame_svg_render(sample.recording, &weights, &options, &out, NULL) == 0);
    check_well_formed(&out);
    CHECK(contains(&out, "stacks that shrank, by 8.50 MiB together, have no width"));
    svg_out_fini(&out);
    weights_fini(&weights);
    sample_destroy(&sample);
}

TEST(modules_get_hues_of_their_own)
{
    struct palette palette = {.colors = FLAME_BY_MODULE};
    bool is_seen[PALETTE_HUES] = {0};
    for (uint32_t i = 1; i <= PALETTE_HUES; i++) {
        struct palette_module const module = {.name = i, .hash = i * 22, .weight = 100 - i};
        CHECK(vec_push(&palette.modules, module));
    }
    palette_assign(&palette, 7 * 22);
    vec_each (module, &palette.modules) {
        CHECK(!is_seen[module->hue]);
        is_seen[module->hue] = true;
        CHECK((module->name == 7) == (module->hue == 0));
    }
    struct palette_frame frame = {7, "/bin/seven", "f", false};
    CHECK(palette_class(&palette, &frame) < PALETTE_UNKNOWN);
    frame.module_name = 999;
    CHECK(palette_class(&palette, &frame) == PALETTE_UNKNOWN);
    palette_fini(&palette);
}

TEST(kinds_of_frames_have_their_colours)
{
    static const struct {
        struct palette_frame frame;
        unsigned by_module, by_kind;
    } cases[] = {
        {{1, KERNEL_PATH, "do_sys_poll", false}, PALETTE_KERNEL, PALETTE_KERNEL},
        {{2, "/tmp/perf-42.map", "LazyCompile:~f", false}, PALETTE_JIT, PALETTE_JIT},
        {{0, "", "[waits: lock]", false}, PALETTE_WAIT_0, PALETTE_WAIT_0},
        {{0, "", "[waits: disk]", false}, PALETTE_WAIT_0 + 1, PALETTE_WAIT_0 + 1},
        {{0, "", "[waits]", false}, PALETTE_WAIT_0 + 9, PALETTE_WAIT_0 + 9},
        {{0, "", "[waits: moonlight]", false}, PALETTE_WAIT_0 + 9, PALETTE_WAIT_0 + 9},
        {{0, "", "worker-1 (7)", false}, PALETTE_UNKNOWN, PALETTE_UNKNOWN},
        {{3, "/bin/x", "f", true}, PALETTE_UNKNOWN, PALETTE_INLINED},
        {{3, "/bin/x", "a::b()", false}, PALETTE_UNKNOWN, PALETTE_CPLUS},
        {{3, "/bin/x", "f", false}, PALETTE_UNKNOWN, PALETTE_CODE},
    };
    struct palette palette = {0};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        palette.colors = FLAME_BY_MODULE;
        CHECK(palette_class(&palette, &cases[i].frame) == cases[i].by_module);
        palette.colors = FLAME_BY_KIND;
        CHECK(palette_class(&palette, &cases[i].frame) == cases[i].by_kind);
    }
}

TEST(time_is_told_in_samples_and_seconds)
{
    struct timed timed = timed_create();
    struct flame_options const options = {0};
    timed.recording->timing.lost = 17;
    struct svg_out out = render(timed.recording, "cpu.on", &options);
    CHECK(contains(&out, "17 samples lost"));
    check_well_formed(&out);
    CHECK(contains(&out, "cpu.on, time on a processor: 431 samples, 4.31 s, whole run, 4.00 s"));
    CHECK(contains(&out, ">kernel</text>"));
    CHECK(!contains(&out, ">waits: disk</text>"));
    svg_out_fini(&out);
    out = render(timed.recording, "cpu.off", &options);
    CHECK(contains(&out, "cpu.off, time spent waiting: 2 waits, 350 ms"));
    CHECK(contains(&out, ">disk</text>"));
    svg_out_fini(&out);
    timed_destroy(&timed);
}

/* A differential picture of the sample against itself with a cache that is half as large, and no
 * tree. */
static struct svg_out render_diff(const struct flame_options *options)
{
    struct sample before = sample_create(), after = sample_create();
    struct weights weights[2];
    struct svg_out out = {0};
    struct pin *pin = &after.recording->pins.items[0];
    for (size_t i = 0; i < pin->cell_count; i++) {
        if (pin->cells[i].key == after.stacks[SITE_CACHE])
            pin->cells[i].value /= 2;
        else if (pin->cells[i].key == after.stacks[SITE_TREE])
            pin->cells[i].value = 0;
    }
    const struct metric *peak = metric_find("heap.peak");
    CHECK(weigh_stacks(before.recording, peak, TIME_ALL, &weights[0], NULL) == 0);
    CHECK(weigh_stacks(after.recording, peak, TIME_ALL, &weights[1], NULL) == 0);
    struct flame_diff const diff = {{before.recording, &weights[0]},
                                    {after.recording, &weights[1]},
                                    "old<er>.memoir",
                                    SCALE_NONE};
    CHECK(flame_diff_render(&diff, options, &out, NULL) == 0);
    weights_fini(&weights[0]);
    weights_fini(&weights[1]);
    sample_destroy(&before);
    sample_destroy(&after);
    return out;
}

TEST(a_difference_shows_what_is_gone)
{
    struct flame_options const options = {0};
    struct svg_out out = render_diff(&options);
    char gone[64];
    check_well_formed(&out);
    CHECK(contains(&out, "compared with old&lt;er&gt;.memoir: 11.0 MiB in 14 blocks"));
    CHECK(contains(&out, "change -6.00 MiB (-54.5 %): grown 0, shrunk -6.00 MiB"));
    CHECK(contains(&out, "nothing is estimated, so nothing is grey"));
    CHECK(!contains(&out, ">within sampling error</text>"));
    snprintf(gone, sizeof(gone), "<path class=\"c%d\" d=\"M", PALETTE_CHANGES + CHANGE_GONE);
    CHECK(contains(&out, gone)); /* hatched, with a width */
    CHECK(contains(&out, ">walk<"));
    CHECK(contains(&out, "\"changes\":["));
    svg_out_fini(&out);
}

TEST(a_heat_map_says_what_it_shows)
{
    struct timed timed = timed_create();
    struct moment_sums sums;
    struct weights weights;
    struct svg_out out = {0};
    struct flame_options const options = {.file = "<grinder>.memoir"};
    static const char *const metric_names[] = {"cpu.on", "cpu.off"};
    static const char *const texts[2][3] = {
        {"each column is 1.00 s, from bottom to top in rows of 20.0 ms; 10 samples without their "
         "instant are not on the map",
         ">1 sample</text>", "a sample stands for 10.0 ms"},
        {"a wait counts where it ended", ">a wait</text>", "\"one\":0"}};
    for (size_t i = 0; i < 2; i++) {
        CHECK(moment_sums_build(timed.recording, metric_find(metric_names[i]), TIME_ALL, &sums,
                                NULL) == 0);
        CHECK(moment_sums_root(timed.recording, &sums, THREADS_FOLDED, &weights) == 0);
        CHECK(flame_heat_render(timed.recording, &sums, &weights, &options, &out, NULL) == 0);
        check_well_formed(&out);
        for (size_t k = 0; k < 3; k++)
            CHECK(contains(&out, texts[i][k]));
        CHECK(contains(&out, "\"parts\":["));
        CHECK(!contains(&out, "<grinder>"));
        svg_out_fini(&out);
        out = (struct svg_out){0};
        weights_fini(&weights);
        moment_sums_fini(&sums);
    }
    timed_destroy(&timed);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_lie_inside_their_parents),
        cmocka_unit_test(a_limit_hides_nothing_silently),
        cmocka_unit_test(what_is_too_narrow_is_drawn_as_one),
        cmocka_unit_test(a_wrong_tree_stays_inside_its_parent),
        cmocka_unit_test(the_subtitle_tells_metric_total_and_time),
        cmocka_unit_test(losses_are_told),
        cmocka_unit_test(hostile_names_stay_names),
        cmocka_unit_test(the_same_input_gives_the_same_bytes),
        cmocka_unit_test(an_empty_recording_has_a_picture),
        cmocka_unit_test(ten_thousand_frames_stay_small),
        cmocka_unit_test(shrunk_stacks_are_told_not_drawn),
        cmocka_unit_test(modules_get_hues_of_their_own),
        cmocka_unit_test(kinds_of_frames_have_their_colours),
        cmocka_unit_test(time_is_told_in_samples_and_seconds),
        cmocka_unit_test(a_difference_shows_what_is_gone),
        cmocka_unit_test(a_heat_map_says_what_it_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
