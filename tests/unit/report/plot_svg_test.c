/* SPDX-License-Identifier: Apache-2.0 */
#include "report/plot/plot_svg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sample_recording.h"
#include "check.h"
#include "demo_recording.h"
#include "report/plot/plot_axis.h"
#include "report/plot/plot_columns.h"
#include "analyze/sites/site_table.h"
#include "xml_check.h"

#define MIB    INT64_C(1048576)
#define SECOND UINT64_C(1000000000)

static struct svg_out render(struct recording *recording, const struct plot_options *options)
{
    struct svg_out out = {0};
    struct fault fault = {0};
    size_t offset = 0;
    if (plot_svg_render(recording, options, &out, &fault) != 0)
        fail_msg("%s", fault.text);
    const char *wrong = xml_fault(out.data, out.size, &offset);
    if (wrong)
        fail_msg("%s at byte %zu: %.60s", wrong, offset, out.data + offset);
    return out;
}

static bool contains(const struct svg_out *out, const char *text)
{
    return memmem(out->data, out->size, text, strlen(text)) != NULL;
}

static struct plot_data data_of(struct recording *recording, const char *metric,
                                struct time_range range, unsigned top)
{
    struct plot_data data;
    struct fault fault = {0};
    struct plot_choice const choice = {
        .metric = metric_find(metric), .range = range, .top = top, .max_columns = 400};
    if (plot_data_build(recording, &choice, &data, &fault) != 0)
        fail_msg("%s", fault.text);
    return data;
}

TEST(ticks_are_round)
{
    static const struct {
        uint64_t top;
        const char *unit;
        unsigned wanted;
        uint64_t step;
        const char *last;
    } cases[] = {
        {0, "bytes", 5, 1, "1 B"},
        {1000, "bytes", 4, 256, "1 KiB"},
        {1024, "bytes", 4, 256, "1 KiB"},
        {11 * 1048576, "bytes", 6, 2 * 1048576, "12 MiB"},
        {3u << 29, "bytes", 6, 1u << 28, "1.5 GiB"},
        {30 * SECOND, "ns", 8, 5 * SECOND, "30 s"},
        {90 * 60 * SECOND, "ns", 6, 900 * SECOND, "1 h 30 min"},
        {SECOND, "ns", 5, SECOND / 5, "1 s"},
        {1000, "ns", 5, 200, "1 us"},
        {0, "ns", 5, 1, "1 ns"},
        {40 * 86400 * SECOND, "ns", 6, 604800 * SECOND, "42 d"},
        {12345, "calls", 5, 5000, "15 k"},
        {5, "calls", 5, 1, "5"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char label[AXIS_LABEL_MAX];
        uint64_t const step = axis_step(cases[i].top, cases[i].unit, cases[i].wanted);
        assert_int_equal(step, cases[i].step);
        uint64_t const end = axis_end(cases[i].top, step);
        CHECK(end >= cases[i].top && end % step == 0);
        assert_string_equal(axis_label(end, step, cases[i].unit, label), cases[i].last);
    }
    CHECK(axis_step(UINT64_MAX, "bytes", 5) > 0);
    CHECK(axis_end(UINT64_MAX, UINT64_C(1) << 62) == UINT64_MAX);
    CHECK(axis_step(UINT64_MAX, "ns", 5) > 0);
    CHECK(axis_step(UINT64_MAX, "calls", 5) > 0);
}

static const struct plot_site *site_named(const struct sample *sample, const struct plot_data *data,
                                          const char *name, unsigned *place)
{
    for (unsigned i = 0; i < data->site_count; i++) {
        *place = i;
        if (strcmp(recording_text(sample->recording, data->sites[i].function), name) == 0)
            return &data->sites[i];
    }
    fail_msg("no site %s", name);
    return NULL;
}

TEST(levels_add_up_at_every_instant)
{
    struct sample sample = sample_create();
    struct plot_data data = data_of(sample.recording, "heap.live", TIME_ALL, 8);
    unsigned cache;
    site_named(&sample, &data, "cache_insert", &cache);
    CHECK(cache == 0); /* the biggest comes first */
    assert_int_equal(data.columns.count, 3);
    assert_int_equal(data.instants.count, 5); /* begin, three ends, the peak */
    static const int64_t expected[] = {0, 4, 10, 10, 2};
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(data.instants.items[i].values[cache], expected[i] * MIB);
    assert_int_equal(data.instants.items[2].time_ns, 18 * SECOND);
    assert_int_equal(plot_instant_total(&data, &data.instants.items[2]), 11538436);
    assert_int_equal(plot_instant_total(&data, &data.instants.items[4]),
                     2 * MIB + MIB / 2 + 4000 + 100);
    plot_data_fini(&data);
    sample_destroy(&sample);
}

static stack_id push(struct recording *recording, stack_id caller, const char *function,
                     uint32_t module)
{
    stack_id made = STACK_EMPTY;
    struct location const location = {.function = recording_intern(recording, function)};
    struct frame const frame = {.module = module,
                                .first_location = (uint32_t)recording->locations.count,
                                .location_count = 1};
    CHECK(vec_push(&recording->locations, location) && vec_push(&recording->frames, frame));
    CHECK(stack_table_push(recording->stacks, caller, (uint32_t)recording->frames.count - 1,
                           &made) == 0);
    return made;
}

TEST(a_site_is_the_code_that_asked)
{
    struct recording *recording = recording_create();
    static const char *const paths[] = {"/bin/node", "/lib/libc.so.6", "/lib/libcrypto.so.3"};
    struct site_table table;
    for (size_t i = 0; i < 3; i++)
        CHECK(vec_push(&recording->modules,
                       (struct module){.path = recording_intern(recording, paths[i])}));
    stack_id const start = push(recording, STACK_EMPTY, "__libc_start_main", 1);
    stack_id const program = push(recording, start, "explain", 0);
    stack_id const copy = push(recording, program, "strdup", 1);
    stack_id const grown = push(recording, program, "std::vector<int>::push_back(int&&)", 0);
    stack_id const inner = push(recording, push(recording, program, "BN_new", 2), "malloc", 1);
    CHECK(site_table_init(&table, recording) == 0);
    uint32_t const explain = site_table_find(&table, program)->function;
    assert_string_equal(recording_text(recording, explain), "explain");
    assert_int_equal(site_table_find(&table, copy)->function, explain);
    assert_int_equal(site_table_find(&table, grown)->function, explain);
    assert_string_equal(recording_text(recording, site_table_find(&table, inner)->function),
                        "BN_new");
    assert_string_equal(recording_text(recording, site_table_find(&table, start)->function),
                        "__libc_start_main");
    CHECK(site_table_find(&table, 999999)); /* damaged input */
    site_table_fini(&table);

    CHECK(site_table_init(&table, recording) == 0); /* as reports have it: whoever asked for it */
    table.by_function = metric_find("heap.live");
    assert_string_equal(recording_text(recording, site_table_find(&table, copy)->function),
                        "strdup");
    assert_string_equal(recording_text(recording, site_table_find(&table, inner)->function),
                        "BN_new");
    site_table_fini(&table);
    recording_destroy(recording);
}

TEST(the_rest_is_other)
{
    struct sample sample = sample_create();
    struct plot_data all = data_of(sample.recording, "heap.live", TIME_ALL, 8);
    for (unsigned top = 0; top <= 3; top++) {
        struct plot_data data = data_of(sample.recording, "heap.live", TIME_ALL, top);
        CHECK(data.site_count == top);
        for (size_t i = 0; i < data.instants.count; i++)
            assert_int_equal(plot_instant_total(&data, &data.instants.items[i]),
                             plot_instant_total(&all, &all.instants.items[i]));
        plot_data_fini(&data);
    }
    plot_data_fini(&all);
    sample_destroy(&sample);
}

TEST(an_interval_begins_with_what_was_there)
{
    struct sample sample = sample_create();
    struct time_range const range = {12 * SECOND, 25 * SECOND};
    struct plot_data data = data_of(sample.recording, "heap.live", range, 8);
    assert_int_equal(data.range.from_ns, 10 * SECOND);
    assert_int_equal(data.range.to_ns, 30 * SECOND);
    assert_int_equal(data.columns.count, 2);
    assert_int_equal(plot_instant_total(&data, &data.instants.items[0]), 4 * MIB + 4100);
    plot_data_fini(&data);

    struct plot_choice const late = {
        .metric = metric_find("heap.live"), .range = {99 * SECOND, UINT64_MAX}, .max_columns = 10};
    struct fault fault = {0};
    assert_int_equal(plot_data_build(sample.recording, &late, &data, &fault), -ERANGE);
    CHECK(strstr(fault.text, "30.0 s"));
    sample_destroy(&sample);
}

/* However long the buckets are: greedily filled, columns would be up to twice as many. */
TEST(there_are_no_more_columns_than_asked_for)
{
    for (uint64_t length = 1; length < 40; length++) {
        struct plot_data data = {0};
        struct column_maker maker = {.data = &data, .to_ns = 2000 * length, .column_ns = 10};
        column_maker_init(&maker);
        for (uint64_t i = 0; i < 2000; i++) {
            struct bucket const bucket = {
                .begin_ns = i * length, .end_ns = (i + 1) * length, .gauges = {-1, -1, -1, -1}};
            column_maker_add(&maker, &bucket);
        }
        assert_int_equal(data.columns.items[0].begin_ns, 0);
        assert_int_equal(data.columns.items[data.columns.count - 1].end_ns, maker.to_ns);
        assert_in_range(data.columns.count, 1, maker.to_ns / maker.column_ns + 1);
        vec_free(&data.columns);
    }
}

TEST(gauges_alone_are_those_of_the_whole)
{
    static const struct time_range ranges[] = {{0, UINT64_MAX}, {12 * SECOND, 25 * SECOND}};
    struct sample sample = sample_create();
    for (size_t i = 0; i < 2; i++) {
        struct plot_data all = data_of(sample.recording, "heap.live", ranges[i], 8), data;
        struct plot_choice const choice = {.metric = metric_find("heap.live"),
                                           .range = ranges[i],
                                           .max_columns = 400,
                                           .only_gauges = true};
        assert_int_equal(plot_data_build(sample.recording, &choice, &data, NULL), 0);
        assert_int_equal(data.columns.count, all.columns.count);
        assert_int_equal(data.instants.count, 0);
        assert_int_equal(data.range.to_ns, all.range.to_ns);
        for (size_t k = 0; k < data.columns.count; k++) {
            assert_int_equal(data.columns.items[k].end_ns, all.columns.items[k].end_ns);
            assert_memory_equal(&data.columns.items[k].gauges, &all.columns.items[k].gauges,
                                sizeof(struct gauges));
        }
        plot_data_fini(&data);
        plot_data_fini(&all);
    }
    sample_destroy(&sample);
}

TEST(a_filter_keeps_its_stacks_and_leaves_columns_whole)
{
    struct sample sample = sample_create();
    struct plot_data data;
    struct fault fault = {0};
    struct pattern *pattern;
    CHECK(pattern_compile("^walk$", PATTERN_ANYWHERE, NULL, &pattern, NULL) == 0);
    struct plot_choice const choice = {.metric = metric_find("heap.live"),
                                       .range = TIME_ALL,
                                       .top = 8,
                                       .max_columns = 400,
                                       .filter = pattern};
    CHECK(plot_data_build(sample.recording, &choice, &data, &fault) == 0);
    struct plot_data all = data_of(sample.recording, "heap.live", TIME_ALL, 8);
    size_t const last = data.instants.count - 1;
    assert_int_equal(data.site_count, 1);
    assert_int_equal(plot_instant_total(&data, &data.instants.items[last]), MIB / 2);
    assert_int_equal(data.columns.count, all.columns.count);
    for (size_t i = 0; i < data.columns.count; i++)
        assert_int_equal(data.columns.items[i].allocated_bytes,
                         all.columns.items[i].allocated_bytes);
    pattern_destroy(pattern);
    plot_data_fini(&all);
    plot_data_fini(&data);
    sample_destroy(&sample);
}

static size_t lane_named(const char *name)
{
    size_t lane = 0;
    while (strcmp(plot_lanes[lane], name) != 0)
        lane++;
    return lane;
}

TEST(lanes_are_levels_at_the_end_and_counts_within)
{
    struct sample sample = sample_create();
    struct bucket *buckets = sample.recording->buckets.items;
    size_t const pools = lane_named("pool.live"), cpu = lane_named("cpu.on");
    /* In the second and third bucket a pool grows, and some time is spent. */
    for (size_t i = 1; i < 3; i++) {
        size_t const count = buckets[i].cell_count;
        buckets[i].cells = reallocarray(buckets[i].cells, count + 2, sizeof(buckets[i].cells[0]));
        buckets[i].cells[count] =
            (struct cell){sample.stacks[SITE_CACHE], COL_POOL_BYTES, (int64_t)i * 4096};
        buckets[i].cells[count + 1] = (struct cell){sample.stacks[SITE_CACHE], COL_CPU_NS, 7};
        buckets[i].cell_count += 2;
    }
    struct plot_data data = data_of(sample.recording, "heap.live", TIME_ALL, 8);
    CHECK(data.has_lane[pools] && data.has_lane[cpu] && !data.has_lane[lane_named("heap.held")]);
    assert_int_equal(data.columns.count, 3);
    CHECK(data.columns.items[0].lanes[pools] == PLOT_UNKNOWN);
    assert_int_equal(data.columns.items[1].lanes[pools], 4096);
    assert_int_equal(data.columns.items[2].lanes[pools], 3 * 4096);
    assert_int_equal(data.columns.items[0].lanes[cpu], 0);
    assert_int_equal(data.columns.items[2].lanes[cpu], 7);
    plot_data_fini(&data);

    struct time_range const end = {20 * SECOND, 30 * SECOND};
    data = data_of(sample.recording, "heap.live", end, 8);
    assert_int_equal(data.columns.count, 1); /* a level has what came before, a count does not */
    assert_int_equal(data.columns.items[0].lanes[pools], 3 * 4096);
    assert_int_equal(data.columns.items[0].lanes[cpu], 7);
    plot_data_fini(&data);
    sample_destroy(&sample);
}

TEST(counters_are_rates)
{
    struct sample sample = sample_create();
    struct plot_data data = data_of(sample.recording, "heap.calls", TIME_ALL, 8);
    unsigned parse;
    site_named(&sample, &data, "parse", &parse);
    CHECK(data.is_rate);
    for (size_t i = 1; i < data.instants.count; i++)
        assert_int_equal(data.instants.items[i].values[parse], 100); /* 1000 in 10 s */
    plot_data_fini(&data);
    struct plot_options const options = {
        .metric = metric_find("heap.calls"), .range = TIME_ALL, .top = 3};
    struct svg_out out = render(sample.recording, &options);
    CHECK(contains(&out, "heap.calls (calls per second) over time"));
    svg_out_fini(&out);
    sample_destroy(&sample);
}

TEST(many_buckets_become_few_columns)
{
    struct demo_shape const shape = {.stacks = 5, .buckets = 3000, .bucket_ns = SECOND};
    struct recording *recording = demo_create(&shape);
    struct plot_data data = data_of(recording, "heap.live", TIME_ALL, 4);
    uint64_t allocated = 0, expected = 0;
    int64_t highest = 0;
    CHECK(data.columns.count <= 440 && data.columns.count >= 200);
    for (size_t i = 0; i < data.columns.count; i++) {
        const struct plot_column *column = &data.columns.items[i];
        CHECK(i == 0 || column->begin_ns == column[-1].end_ns);
        allocated += (uint64_t)column->allocated_bytes;
        if (column->gauges.heap_live_max > highest)
            highest = column->gauges.heap_live_max;
    }
    vec_each (bucket, &recording->buckets)
        for (size_t i = 0; i < bucket->cell_count; i++)
            if (bucket->cells[i].column == COL_HEAP_BYTES)
                expected += (uint64_t)bucket->cells[i].value;
    assert_int_equal(allocated, expected);
    assert_int_equal(highest, recording->heap.peak_bytes);
    plot_data_fini(&data);
    recording_destroy(recording);
}

TEST(marks_and_losses_are_drawn)
{
    struct demo_shape const shape = {
        .stacks = 30, .buckets = 40, .bucket_ns = SECOND, .has_losses = true, .dies = true};
    struct recording *recording = demo_create(&shape);
    struct plot_options const options = {.range = TIME_ALL, .top = 5};
    struct svg_out out = render(recording, &options);
    CHECK(contains(&out, "death: killed by SIGKILL at 40.0 s"));
    CHECK(contains(&out, "peak "));
    CHECK(contains(&out, "1234 events lost"));
    CHECK(contains(&out, "events lost here"));
    CHECK(contains(&out, "RSS (resident memory)"));
    svg_out_fini(&out);
    recording_destroy(recording);

    struct sample sample = sample_create();
    out = render(sample.recording, &options);
    CHECK(contains(&out, "peak 11.0 MiB at 18.0 s"));
    CHECK(!contains(&out, "class=\"lost\""));
    svg_out_fini(&out);
    sample_destroy(&sample);
}

TEST(what_the_program_told_is_drawn_and_thousands_do_not_hurt)
{
    struct sample sample = sample_create();
    struct recording *recording = sample.recording;
    struct plot_options const options = {.range = TIME_ALL, .top = 5};
    string_id phase = recording_intern(recording, "compaction <&>");
    marks_add(&recording->marks, MARK_INSTANT, recording_intern(recording, "block 1200"),
              5 * SECOND);
    marks_add(&recording->marks, MARK_BEGIN, phase, 10 * SECOND);
    marks_add(&recording->marks, MARK_END, phase, 20 * SECOND);
    struct svg_out out = render(recording, &options);
    CHECK(contains(&out, ">block 1200</text>") && contains(&out, "<rect class=\"phase\""));
    CHECK(contains(&out, ">compaction &lt;&amp;&gt;</text>"));
    svg_out_fini(&out);

    for (unsigned i = 0; i < 5000; i++)
        marks_add(&recording->marks, i % 2 ? MARK_INSTANT : MARK_BEGIN, phase, 20 * SECOND + i);
    out = render(recording, &options);
    CHECK(contains(&out, "peak 11.0 MiB at 18.0 s") && out.size < 200000);
    svg_out_fini(&out);
    sample_destroy(&sample);
}

/* Nothing, one instant, one bucket, small and large paper: always a picture. */
TEST(edge_cases_have_a_picture)
{
    struct recording *empty = recording_create();
    struct plot_options options = {.range = TIME_ALL, .top = 8};
    struct svg_out out = render(empty, &options);
    CHECK(contains(&out, "nothing was recorded"));
    svg_out_fini(&out);
    recording_destroy(empty);

    static const uint64_t lengths[] = {0, 1, 1000, SECOND};
    static const unsigned sizes[] = {1, 320, 5000};
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        struct demo_shape const shape = {
            .stacks = 20, .buckets = 1, .bucket_ns = lengths[i], .has_wild_names = true};
        struct recording *recording = demo_create(&shape);
        for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
            options.width = options.height = sizes[k];
            options.metric = k == 1 ? metric_find("heap.allocated") : NULL;
            out = render(recording, &options);
            CHECK(!contains(&out, "nan") && !contains(&out, "inf "));
            svg_out_fini(&out);
        }
        recording_destroy(recording);
    }
}

TEST(hostile_names_stay_names)
{
    struct demo_shape const shape = {
        .stacks = 200, .buckets = 4, .bucket_ns = SECOND, .has_wild_names = true, .dies = true};
    struct recording *recording = demo_create(&shape);
    recording->pins.items[1].label = recording_intern(recording, wild_names[0]);
    struct plot_options const options = {.range = TIME_ALL, .top = 16, .title = wild_names[1]};
    struct svg_out out = render(recording, &options);
    CHECK(!contains(&out, "<script>alert"));
    CHECK(!contains(&out, "<svg onload"));
    CHECK(contains(&out, "&lt;/script&gt;"));
    svg_out_fini(&out);
    recording_destroy(recording);
}

TEST(the_same_input_gives_the_same_bytes)
{
    struct demo_shape const shape = {.stacks = 100, .buckets = 30, .bucket_ns = SECOND};
    struct recording *first = demo_create(&shape), *second = demo_create(&shape);
    struct plot_options const options = {.range = TIME_ALL, .top = 8};
    struct svg_out one = render(first, &options), two = render(second, &options);
    CHECK(one.size == two.size && memcmp(one.data, two.data, one.size) == 0);
    svg_out_fini(&one);
    svg_out_fini(&two);
    recording_destroy(first);
    recording_destroy(second);
}

/* Of a damaged file: the tick after the last would lie beyond what a number can be. */
TEST(the_end_of_all_numbers_ends_the_axes)
{
    struct demo_shape const shape = {.stacks = 3, .buckets = 4, .bucket_ns = SECOND};
    struct recording *recording = demo_create(&shape);
    struct plot_options const options = {.range = TIME_ALL, .top = 8};
    struct bucket *last = &recording->buckets.items[recording->buckets.count - 1];
    recording->duration_ns = last->end_ns = UINT64_MAX;
    last->gauges.rss_bytes = last->gauges.heap_live_max = INT64_MAX;
    struct svg_out out = render(recording, &options);
    CHECK(contains(&out, "</svg>"));
    svg_out_fini(&out);
    recording_destroy(recording);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_are_round),
        cmocka_unit_test(levels_add_up_at_every_instant),
        cmocka_unit_test(a_site_is_the_code_that_asked),
        cmocka_unit_test(the_rest_is_other),
        cmocka_unit_test(an_interval_begins_with_what_was_there),
        cmocka_unit_test(there_are_no_more_columns_than_asked_for),
        cmocka_unit_test(gauges_alone_are_those_of_the_whole),
        cmocka_unit_test(a_filter_keeps_its_stacks_and_leaves_columns_whole),
        cmocka_unit_test(lanes_are_levels_at_the_end_and_counts_within),
        cmocka_unit_test(counters_are_rates),
        cmocka_unit_test(many_buckets_become_few_columns),
        cmocka_unit_test(marks_and_losses_are_drawn),
        cmocka_unit_test(what_the_program_told_is_drawn_and_thousands_do_not_hurt),
        cmocka_unit_test(edge_cases_have_a_picture),
        cmocka_unit_test(hostile_names_stay_names),
        cmocka_unit_test(the_same_input_gives_the_same_bytes),
        cmocka_unit_test(the_end_of_all_numbers_ends_the_axes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
