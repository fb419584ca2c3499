/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <zstd.h>

#include "analyze/sums/weigh.h"
#include "check.h"
#include "formats/shared/readers.h"
#include "perf_file.h"

static struct perf_file file;

static struct recording *read_file(size_t size)
{
    struct fault fault = {0};
    struct recording *recording = perf_data_read_bytes(file.bytes, size, &fault);
    if (!recording)
        fail_msg("%s", fault.text);
    return recording;
}

static bool has_note(const struct recording *recording, const char *part)
{
    vec_each (note, &recording->notes)
        if (strstr(recording_text(recording, *note), part))
            return true;
    return false;
}

static int64_t total_of(struct recording *recording, const char *name)
{
    struct weights weights;
    struct time_range const all = {0, UINT64_MAX};
    const struct metric *metric = recording_metric(recording, name);
    assert_non_null(metric);
    assert_int_equal(weigh_stacks(recording, metric, all, &weights, NULL), 0);
    int64_t const sum = weights.total_value;
    weights_fini(&weights);
    return sum;
}

static int64_t total(struct recording *recording)
{
    return total_of(recording, "cpu.on");
}

static const uint64_t one[] = {0x1010, 0x1021, 0}, other[] = {0x1050, 0x1021, 0};

static void put_two_threads(void)
{
    perf_file_begin(&file);
    perf_file_map(&file, 7, 0x1000, 0x1000, "/nowhere/program", 0);
    perf_file_comm(&file, 7, 7, "program", 0);
    perf_file_sample(&file, 7, 7, 5000000, one);
    perf_file_sample(&file, 7, 8, 6000000, other);
    perf_file_sample(&file, 7, 7, 7000000, one);
}

TEST(samples_are_time_by_stack_thread_and_both)
{
    put_two_threads();
    struct recording *recording = read_file(perf_file_end(&file));
    assert_int_equal(total(recording), 3000000);
    assert_int_equal(recording->timing.samples, 3);
    assert_int_equal(recording->timing.hz, 1000);
    assert_int_equal(recording->threads.count, 2);
    assert_int_equal(recording->duration_ns, 2000001);
    assert_string_equal(recording_text(recording, recording->program), "program");
    assert_int_equal(recording->pid, 7);
    CHECK(recording->quality.complete);
    /* Inner ones are exact, outer ones are returned to; addresses are those of the file. */
    assert_int_equal(recording->modules.count, 1);
    bool found_inner = false, found_outer = false;
    vec_each (frame, &recording->frames) {
        found_inner |= frame->module == 0 && frame->address == 0x10;
        found_outer |= frame->module == 0 && frame->address == 0x20;
    }
    CHECK(found_inner && found_outer);
    size_t moments = 0;
    vec_each (bucket, &recording->buckets)
        moments += bucket->moment_count;
    assert_int_equal(moments, 3);
    recording_destroy(recording);
}

/* The outermost frame of every stack with a value. */
static const char *root_of(struct recording *recording, stack_id stack)
{
    struct stack_link link = stack_table_innermost(recording->stacks, stack);
    while (link.caller != STACK_EMPTY)
        link = stack_table_innermost(recording->stacks, link.caller);
    const struct frame *frame = &recording->frames.items[link.frame];
    return frame->location_count
               ? recording_text(recording,
                                recording->locations.items[frame->first_location].function)
               : "";
}

TEST(only_several_processes_are_frames)
{
    put_two_threads();
    struct recording *recording = read_file(perf_file_end(&file));
    assert_string_equal(root_of(recording, recording->buckets.items[0].cells[0].key), "");
    recording_destroy(recording);
    perf_file_comm(&file, 9, 9, "second one", 7500000);
    perf_file_sample(&file, 9, 9, 8000000, one);
    recording = read_file(perf_file_end(&file));
    bool found = false;
    vec_each (bucket, &recording->buckets)
        for (size_t i = 0; i < bucket->cell_count; i++)
            found |= strcmp(root_of(recording, bucket->cells[i].key), "second one 9") == 0;
    CHECK(found);
    CHECK(has_note(recording, "2 programs"));
    recording_destroy(recording);
}

TEST(records_are_booked_in_order_of_time)
{
    perf_file_begin(&file);
    perf_file_comm(&file, 7, 7, "program", 0);
    perf_file_sample(&file, 7, 7, 9000000, one);
    perf_file_round(&file);
    perf_file_map(&file, 7, 0x1000, 0x1000, "/nowhere/later", 8500000);
    perf_file_map(&file, 7, 0x1000, 0x1000, "/nowhere/first", 8000000);
    perf_file_sample(&file, 7, 7, 8100000, one);
    perf_file_round(&file);
    perf_file_round(&file);
    struct recording *recording = read_file(perf_file_end(&file));
    assert_int_equal(recording->modules.count, 2);
    assert_string_equal(recording_text(recording, recording->modules.items[0].path),
                        "/nowhere/first");
    assert_int_equal(recording->duration_ns, 1000000);
    assert_int_equal(total(recording), 2000000);
    recording_destroy(recording);
}

TEST(a_file_that_was_never_ended_is_read_as_far_as_it_makes_sense)
{
    put_two_threads();
    size_t const size = perf_file_end(&file);
    memset(file.bytes + 48, 0, 8);
    struct recording *recording = read_file(size + 64); /* zeros follow */
    assert_int_equal(total(recording), 3000000);
    CHECK(!recording->quality.complete && has_note(recording, "killed"));
    recording_destroy(recording);
    recording = read_file(size - 8);
    assert_int_equal(total(recording), 2000000);
    recording_destroy(recording);
}

TEST(a_file_that_is_cut_off_tells_how_much)
{
    put_two_threads();
    struct recording *recording = read_file(perf_file_end(&file) - 8);
    assert_int_equal(total(recording), 2000000);
    CHECK(!recording->quality.complete && recording->quality.truncated_bytes > 0);
    recording_destroy(recording);
}

TEST(other_formats_are_refused_with_a_sentence)
{
    struct fault fault = {0};
    put_two_threads();
    size_t const size = perf_file_end(&file);
    memcpy(file.bytes, "2ELIFREP", 8);
    CHECK(perf_data_recognise((struct slice){(char *)file.bytes, 64}));
    CHECK(!perf_data_read_bytes(file.bytes, size, &fault));
    CHECK(strstr(fault.text, "byte order"));
    memcpy(file.bytes, "PERFFILE", 8);
    CHECK(!perf_data_read_bytes(file.bytes, size, &fault));
    CHECK(!perf_data_read_bytes("PERFILE2", 8, &fault));
    CHECK(!perf_data_recognise((struct slice){"PERFILE", 7}));
}

/* Everything so far becomes packed records, cut anywhere. */
static void pack(size_t parts, uint32_t type)
{
    static unsigned char plain[1 << 14], packed[1 << 14];
    size_t const size = file.size;
    memcpy(plain, file.bytes + PERF_FILE_DATA, size);
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    file.size = 0;
    for (size_t part = 0; part < parts; part++) {
        size_t const from = size * part / parts, to = size * (part + 1) / parts;
        ZSTD_inBuffer in = {plain + from, to - from, 0};
        ZSTD_outBuffer out = {packed + 8, sizeof(packed) - 16, 0};
        while (ZSTD_compressStream2(zstd, &out, &in, ZSTD_e_flush) > 0)
            ;
        uint64_t const told = out.pos;
        memcpy(packed, &told, sizeof(told));
        if (type == 83)
            perf_file_record(&file, type, 0, packed, (8 + out.pos + 7) / 8 * 8);
        else
            perf_file_record(&file, type, 0, packed + 8, out.pos);
    }
    ZSTD_freeCCtx(zstd);
}

TEST(packed_records_are_unpacked_across_blocks)
{
    for (uint32_t type = 81; type <= 83; type += 2) {
        put_two_threads();
        pack(5, type);
        struct recording *recording = read_file(perf_file_end(&file));
        assert_int_equal(total(recording), 3000000);
        CHECK(recording->quality.complete);
        recording_destroy(recording);
    }
}

TEST(a_damaged_block_is_counted)
{
    put_two_threads();
    pack(1, 81);
    file.bytes[PERF_FILE_DATA + 20] ^= 0x55;
    file.bytes[PERF_FILE_DATA + 40] ^= 0x55;
    struct recording *recording = read_file(perf_file_end(&file));
    CHECK(recording->quality.damaged_chunks > 0);
    recording_destroy(recording);
}

TEST(processors_with_nothing_to_do_are_left_out)
{
    put_two_threads();
    perf_file_sample(&file, 0, 0, 8000000, one);
    struct recording *recording = read_file(perf_file_end(&file));
    assert_int_equal(total(recording), 3000000);
    CHECK(has_note(recording, "nothing to do"));
    recording_destroy(recording);
}

TEST(a_sample_that_passes_its_record_is_damaged)
{
    uint64_t const body[] = {0x1010, 7, 9000000, 1000000, 1000};
    put_two_threads();
    perf_file_record(&file, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, body, sizeof(body));
    struct recording *recording = read_file(perf_file_end(&file));
    assert_int_equal(total(recording), 3000000);
    assert_int_equal(recording->quality.damaged_chunks, 1);
    recording_destroy(recording);
}

/* Two counts and, unless `without_time`, the clock that the header has. */
static struct recording *read_events(bool without_time)
{
    perf_file_begin(&file);
    file.type |= PERF_SAMPLE_IDENTIFIER;
    perf_file_event(&file, PERF_COUNT_SW_PAGE_FAULTS, 11);
    perf_file_event(&file, PERF_COUNT_SW_CONTEXT_SWITCHES, 12);
    for (file.id = without_time ? 11 : 10; file.id <= 12; file.id++)
        for (uint64_t i = 9; i < file.id; i++)
            perf_file_sample(&file, 7, 7, 5000000 + i, one);
    return read_file(perf_file_end(&file));
}

TEST(each_event_is_a_metric_with_its_unit)
{
    struct recording *recording = read_events(false);
    assert_int_equal(total(recording), 1000000);
    assert_int_equal(total_of(recording, "page-faults"), 2000000);
    assert_int_equal(total_of(recording, "context-switches"), 3000000);
    assert_string_equal(recording_metric(recording, "page-faults")->unit, "faults");
    assert_string_equal(recording_metric(recording, "context-switches")->unit, "switches");
    assert_int_equal(recording->timing.samples, 1);
    assert_int_equal(recording->quality.events, 6);
    CHECK(recording_is_of_time(recording) && recording->shown_metric == STRING_EMPTY);
    CHECK(has_note(recording, "3 events: cpu-clock (1 samples, cpu.on), page-faults (2 samples), "
                              "context-switches (3 samples)"));
    recording_destroy(recording);
}

TEST(what_is_no_time_is_not_shown_as_time)
{
    struct recording *recording = read_events(true);
    CHECK(!recording_is_of_time(recording) && recording_is_of_counts(recording));
    assert_int_equal(total(recording), 0);
    assert_int_equal(total_of(recording, "page-faults"), 2000000);
    assert_string_equal(recording_text(recording, recording->shown_metric), "page-faults");
    assert_int_equal(recording->timing.samples, 0);
    recording_destroy(recording);
}

TEST(the_first_of_the_file_is_shown_not_the_first_sampled)
{
    perf_file_begin(&file);
    file.type |= PERF_SAMPLE_IDENTIFIER;
    perf_file_event(&file, PERF_COUNT_SW_PAGE_FAULTS, 11);
    perf_file_event(&file, PERF_COUNT_SW_CONTEXT_SWITCHES, 12);
    for (file.id = 12; file.id >= 11; file.id--)
        perf_file_sample(&file, 7, 7, 5000000 - file.id, one);
    struct recording *recording = read_file(perf_file_end(&file));
    assert_string_equal(recording_text(recording, recording->shown_metric), "page-faults");
    recording_destroy(recording);
}

TEST(what_was_asked_for_twice_is_two_metrics)
{
    perf_file_begin(&file);
    file.type |= PERF_SAMPLE_IDENTIFIER;
    perf_file_event(&file, PERF_COUNT_SW_CPU_CLOCK, 11);
    perf_file_event(&file, PERF_COUNT_SW_PAGE_FAULTS, 12);
    perf_file_event(&file, PERF_COUNT_SW_PAGE_FAULTS, 13);
    for (file.id = PERF_FILE_ID; file.id <= 13; file.id++)
        for (uint64_t i = 9; i < file.id; i++)
            perf_file_sample(&file, 7, 7, 5000000 + i, one);
    struct recording *recording = read_file(perf_file_end(&file));
    assert_int_equal(total(recording), 1000000);
    assert_int_equal(total_of(recording, "cpu-clock.1"), 2000000);
    assert_int_equal(total_of(recording, "page-faults"), 3000000);
    assert_int_equal(total_of(recording, "page-faults.1"), 4000000);
    CHECK(has_note(recording, "cpu-clock (1 samples, cpu.on), cpu-clock.1 (2 samples), "
                              "page-faults (3 samples), page-faults.1 (4 samples)"));
    recording_destroy(recording);
}

TEST(more_events_than_there_is_room_for_are_counted)
{
    perf_file_begin(&file);
    file.type |= PERF_SAMPLE_IDENTIFIER;
    for (uint64_t i = 0; i < OWN_METRICS_MAX + 2; i++) {
        perf_file_event(&file, 100 + i, 100 + i);
        file.id = 100 + i;
        perf_file_sample(&file, 7, 7, 5000000 + i, one);
    }
    struct recording *recording = read_file(perf_file_end(&file));
    assert_int_equal(recording->own_metric_count, OWN_METRICS_MAX);
    CHECK(has_note(recording, "2 samples of 2 events are left out"));
    recording_destroy(recording);
}

/* perf record -e '{cpu-clock,page-faults}:S': faults have no samples of their own, their counter
 * is in those of the clock. */
TEST(what_a_group_counts_is_in_the_samples_of_its_first_event)
{
    perf_file_begin(&file);
    file.type |= PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_READ;
    perf_file_event(&file, PERF_COUNT_SW_PAGE_FAULTS, 11);
    file.id = 10; /* of the clock that the header has */
    for (uint64_t i = 0; i < 4; i++) {
        uint64_t const counters[2][2] = {{1100000 * (i + 1), 10}, {i < 3 ? 100 * i : 200, 11}};
        memcpy(file.counters, counters, sizeof(counters));
        perf_file_sample(&file, 7, 7, 5000000 + i, one);
    }
    struct recording *recording = read_file(perf_file_end(&file));
    assert_int_equal(total(recording), 4400000); /* as counted, though each has a period of 1 ms */
    assert_int_equal(total_of(recording, "page-faults"), 200);
    assert_int_equal(recording->timing.samples, 4);
    CHECK(has_note(recording, "2 events: cpu-clock (4 samples, cpu.on), page-faults (2 samples)"));
    recording_destroy(recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_time_by_stack_thread_and_both),
        cmocka_unit_test(only_several_processes_are_frames),
        cmocka_unit_test(records_are_booked_in_order_of_time),
        cmocka_unit_test(a_file_that_was_never_ended_is_read_as_far_as_it_makes_sense),
        cmocka_unit_test(a_file_that_is_cut_off_tells_how_much),
        cmocka_unit_test(other_formats_are_refused_with_a_sentence),
        cmocka_unit_test(packed_records_are_unpacked_across_blocks),
        cmocka_unit_test(a_damaged_block_is_counted),
        cmocka_unit_test(processors_with_nothing_to_do_are_left_out),
        cmocka_unit_test(a_sample_that_passes_its_record_is_damaged),
        cmocka_unit_test(each_event_is_a_metric_with_its_unit),
        cmocka_unit_test(what_is_no_time_is_not_shown_as_time),
        cmocka_unit_test(what_a_group_counts_is_in_the_samples_of_its_first_event),
        cmocka_unit_test(the_first_of_the_file_is_shown_not_the_first_sampled),
        cmocka_unit_test(what_was_asked_for_twice_is_two_metrics),
        cmocka_unit_test(more_events_than_there_is_room_for_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
