/* SPDX-License-Identifier: Apache-2.0 */
/* massif_reader_fuzz.c - any bytes as a massif.out, plain or packed.
 *
 * Whatever is read must hold together; the cells up to each snapshot add up to what it says, and
 * so does the peak. */
#include "formats/shared/readers.h"
#include "recording_holds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_sums(const struct recording *recording)
{
    uint64_t live = 0;
    vec_each (bucket, &recording->buckets) {
        live += sum_cells(recording, bucket->cells, bucket->cell_count, COL_HEAP_BYTES) -
                sum_cells(recording, bucket->cells, bucket->cell_count, COL_HEAP_FREED);
        check(live == (uint64_t)bucket->gauges.heap_live_end);
    }
    vec_each (pin, &recording->pins)
        check(sum_cells(recording, pin->cells, pin->cell_count, COL_HEAP_BYTES) ==
              recording->heap.peak_bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fault fault = {0};
    massif_recognise((struct slice){(const char *)data, size < 4096 ? size : 4096});
    struct recording *recording = massif_read_bytes(data, size, &fault);
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
