/* SPDX-License-Identifier: Apache-2.0 */
/* heaptrack_reader_fuzz.c - any bytes as a heaptrack file, plain or packed.
 *
 * Whatever is read must hold together: no row points outside its table, buckets follow each other,
 * and the sums of the cells are the totals. */
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

static uint64_t sum_cells(const struct recording *recording, const struct cell *cells, size_t count,
                          enum column column)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        check(cells[i].key <= stack_table_count(recording->stacks));
        if (cells[i].column == column)
            sum += (uint64_t)cells[i].value;
    }
    return sum;
}

static void check_sums(const struct recording *recording)
{
    uint64_t calls = 0, freed = 0, end = 0;
    vec_each (bucket, &recording->buckets) {
        check(bucket->begin_ns == end && bucket->end_ns > bucket->begin_ns);
        end = bucket->end_ns;
        calls += sum_cells(recording, bucket->cells, bucket->cell_count, COL_HEAP_CALLS);
        freed += sum_cells(recording, bucket->cells, bucket->cell_count, COL_HEAP_FREED);
    }
    check(calls == recording->heap.calls && freed == recording->heap.freed_bytes);
    check(end == recording->duration_ns && recording->heap.peak_time_ns <= end);
    vec_each (pin, &recording->pins)
        check(sum_cells(recording, pin->cells, pin->cell_count, COL_HEAP_BYTES) ==
              recording->heap.peak_bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fault fault = {0};
    struct recording *recording = heaptrack_read_bytes(data, size, &fault);
    if (!recording) {
        check(fault.text[0] != '\0');
        return 0;
    }
    check_tables(recording);
    check_sums(recording);
    recording_destroy(recording);
    return 0;
}
