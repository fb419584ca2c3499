/* SPDX-License-Identifier: Apache-2.0 */
/* pprof_reader_fuzz.c - any bytes as a profile of pprof or one of the older forms, into a
 * recording; and twice, as two profiles of one node.
 *
 * Whatever is read must hold together. */
#include "formats/pprof/pprof_series.h"
#include "formats/shared/readers.h"
#include "recording_holds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_recording(const struct recording *recording)
{
    check_tables(recording);
    check_buckets(recording);
    vec_each (bucket, &recording->buckets)
        sink += sum_cells(recording, bucket->cells, bucket->cell_count, COL_HEAP_BYTES) +
                sum_below(bucket->thread_cells, bucket->thread_cell_count, recording->threads.count,
                          COL_HEAP_BYTES);
    vec_each (pin, &recording->pins)
        sink += sum_cells(recording, pin->cells, pin->cell_count, COL_HEAP_BYTES);
}

static void read_twice(const uint8_t *data, size_t size)
{
    struct recording *recording = recording_create();
    struct pprof_series series;
    struct pprof_profile *profile = pprof_read_bytes(data, size, NULL);
    uint32_t node;
    if (recording && profile && pprof_series_init(&series, recording) == 0) {
        series.is_run = true;
        check(pprof_series_add_node(&series, "node", &node) == 0);
        check(pprof_series_add(&series, node, 1, profile) == 0);
        check(pprof_series_add(&series, node, 1000, profile) == 0);
        check(pprof_series_finish(&series) == 0);
        check_recording(recording);
        pprof_series_fini(&series);
    }
    pprof_destroy(profile);
    recording_destroy(recording);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fault fault = {0};
    pprof_recognise((struct slice){(const char *)data, size < 4096 ? size : 4096});
    struct recording *recording = pprof_recording_read_bytes(data, size, &fault);
    if (!recording) {
        check(fault.text[0] != '\0');
        return 0;
    }
    check_recording(recording);
    recording_destroy(recording);
    read_twice(data, size);
    return 0;
}
