/* SPDX-License-Identifier: Apache-2.0 */
/* perf_data_fuzz.c - any bytes as a perf.data.
 *
 * Whatever is read must hold together: no row points outside its table, buckets follow each other, and of each event the samples by
 * stack, by thread and by both are the same number. */
#include "formats/shared/readers.h"
#include "recording_holds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_moments(const struct recording *recording)
{
    uint64_t const stacks = (uint64_t)stack_table_count(recording->stacks) + 1;
    unsigned const own = COL_OWN_0 + recording->own_metric_count;
    uint64_t samples = 0, of_time = 0;
    vec_each (bucket, &recording->buckets)
        for (size_t i = 0; i < bucket->moment_count; i++) {
            const struct moment *moment = &bucket->moments[i];
            bool const is_time = moment->column == COL_CPU_NS;
            check(moment->thread < recording->threads.count && moment->stack < stacks);
            check(moment->after_ns < bucket->end_ns - bucket->begin_ns ||
                  moment->after_ns == MOMENT_TIMELESS);
            check(is_time || (moment->column >= COL_OWN_0 && moment->column < own));
            samples += moment->count;
            of_time += is_time ? moment->count : 0;
        }
    check(samples == recording->quality.events && of_time == recording->timing.samples);
}

/* Of one metric the sums by stack, by thread and by both. */
static void check_sums(const struct recording *recording, enum column column)
{
    uint64_t by_stack = 0, by_thread = 0, by_both = 0;
    vec_each (bucket, &recording->buckets) {
        by_stack += sum_cells(recording, bucket->cells, bucket->cell_count, column);
        by_thread += sum_below(bucket->thread_cells, bucket->thread_cell_count,
                               recording->threads.count, column);
        for (size_t i = 0; i < bucket->moment_count; i++)
            if (bucket->moments[i].column == column)
                by_both += (uint64_t)bucket->moments[i].value;
    }
    check(by_thread == by_stack && by_both == by_stack);
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
    check_moments(recording);
    check_sums(recording, COL_CPU_NS);
    for (unsigned i = 0; i < recording->own_metric_count; i++)
        check_sums(recording, recording->own_metrics[i].plus);
    recording_destroy(recording);
    return 0;
}
