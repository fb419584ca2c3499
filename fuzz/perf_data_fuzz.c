/* SPDX-License-Identifier: Apache-2.0 */
/* perf_data_fuzz.c - any bytes as a perf.data.
 *
 * Whatever is read must hold together: no row points outside its table, buckets follow each other, and samples by stack, by
 * thread and by both are the same number. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sink; /* whatever was read must have been readable */

static void check(bool holds)
{
    if (!holds)
        abort();
}

static void check_tables(const struct recording *recording)
{
    for (stack_id id = 1; id <= stack_table_count(recording->stacks); id++) {
        struct stack_link link = stack_table_innermost(recording->stacks, id);
        check(link.caller < id && link.frame < recording->frames.count);
    }
    vec_each (frame, &recording->frames) {
        check(frame->module == MODULE_NONE || frame->module < recording->modules.count);
        check((uint64_t)frame->first_location + frame->location_count <=
                  recording->locations.count ||
              frame->location_count == 0);
    }
    vec_each (location, &recording->locations)
        sink += strlen(recording_text(recording, location->function)) + location->line;
    vec_each (note, &recording->notes)
        check(*recording_text(recording, *note) != '\0');
}

static uint64_t sum_cells(const struct cell *cells, size_t count, uint64_t limit)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        check(cells[i].key < limit);
        if (cells[i].column == COL_CPU_SAMPLES)
            sum += (uint64_t)cells[i].value;
    }
    return sum;
}

static void check_sums(const struct recording *recording)
{
    uint64_t const stacks = (uint64_t)stack_table_count(recording->stacks) + 1;
    uint64_t by_stack = 0, by_thread = 0, by_both = 0, end = 0;
    vec_each (bucket, &recording->buckets) {
        check(bucket->begin_ns == end && bucket->end_ns > bucket->begin_ns);
        end = bucket->end_ns;
        by_stack += sum_cells(bucket->cells, bucket->cell_count, stacks);
        by_thread +=
            sum_cells(bucket->thread_cells, bucket->thread_cell_count, recording->threads.count);
        for (size_t i = 0; i < bucket->moment_count; i++) {
            const struct moment *moment = &bucket->moments[i];
            check(moment->thread < recording->threads.count && moment->stack < stacks);
            check(moment->after_ns < bucket->end_ns - bucket->begin_ns ||
                  moment->after_ns == MOMENT_TIMELESS);
            by_both += moment->count;
        }
    }
    check(end == recording->duration_ns);
    check(by_stack == recording->timing.samples && by_thread == by_stack && by_both == by_stack);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fault fault = {0};
    struct recording *recording = perf_data_read_bytes(data, size, &fault);
    if (!recording) {
        check(fault.text[0] != '\0');
        return 0;
    }
    check_tables(recording);
    check_sums(recording);
    recording_destroy(recording);
    return 0;
}
