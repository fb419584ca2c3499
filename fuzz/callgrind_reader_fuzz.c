/* SPDX-License-Identifier: Apache-2.0 */
/* callgrind_reader_fuzz.c - any bytes as a callgrind.out, plain or packed.
 *
 * Whatever is read must hold together; no stack has a function twice but for its lines, and
 * levels are not below 0. */
#include "formats/shared/readers.h"
#include "recording_holds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fault fault = {0};
    callgrind_recognise((struct slice){(const char *)data, size < 4096 ? size : 4096});
    struct recording *recording = callgrind_read_bytes(data, size, &fault);
    if (!recording) {
        check(fault.text[0] != '\0');
        return 0;
    }
    check_tables(recording);
    check_buckets(recording);
    vec_each (bucket, &recording->buckets)
        check(sum_cells(recording, bucket->cells, bucket->cell_count, COL_HEAP_BYTES) ==
              recording->heap.bytes);
    vec_each (pin, &recording->pins)
        check(sum_cells(recording, pin->cells, pin->cell_count, COL_HEAP_BYTES) ==
              recording->heap.peak_bytes);
    recording_destroy(recording);
    return 0;
}
