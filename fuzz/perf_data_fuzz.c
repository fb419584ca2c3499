/* SPDX-License-Identifier: Apache-2.0 */
/* perf_data_fuzz.c - any bytes as a perf.data.
 *
 * Whatever is read must hold together: no row points outside its table, buckets follow each other, and samples by stack, by
 * thread and by both are the same number. */
#include "formats/readers.h"
#include "recording_holds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_sums(const struct recording *recording)
{
    uint64_t const stacks = (uint64_t)stack_table_count(recording->stacks) + 1;
    uint64_t by_stack = 0, by_thread = 0, by_both = 0;
    vec_each (bucket, &recording->buckets) {
        by_stack += sum_cells(recording, bucket->cells, bucket->cell_count, COL_CPU_SAMPLES);
        by_thread += sum_below(bucket->thread_cells, bucket->thread_cell_count,
                               recording->threads.count, COL_CPU_SAMPLES);
        for (size_t i = 0; i < bucket->moment_count; i++) {
            const struct moment *moment = &bucket->moments[i];
            check(moment->thread < recording->threads.count && moment->stack < stacks);
            check(moment->after_ns < bucket->end_ns - bucket->begin_ns ||
                  moment->after_ns == MOMENT_TIMELESS);
            by_both += moment->count;
        }
    }
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
    check_buckets(recording);
    check_sums(recording);
    recording_destroy(recording);
    return 0;
}
