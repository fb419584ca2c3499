/* SPDX-License-Identifier: Apache-2.0 */
/* heaptrack_reader_fuzz.c - any bytes as a heaptrack file, plain or packed.
 *
 * Whatever is read must hold together: no row points outside its table, buckets follow each other,
 * and the sums of the cells are the totals. */
#include "formats/shared/readers.h"
#include "recording_holds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_sums(const struct recording *recording)
{
    uint64_t calls = 0, freed = 0;
    vec_each (bucket, &recording->buckets) {
        calls += sum_cells(recording, bucket->cells, bucket->cell_count, COL_HEAP_CALLS);
        freed += sum_cells(recording, bucket->cells, bucket->cell_count, COL_HEAP_FREED);
    }
    check(calls == recording->heap.calls && freed == recording->heap.freed_bytes);
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
    check_buckets(recording);
    check_sums(recording);
    recording_destroy(recording);
    return 0;
}
