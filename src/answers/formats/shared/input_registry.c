/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/shared/input_registry.h"

#include "formats/shared/readers.h"
#include "store/read/recording_reader.h"

static bool knows_recordings(struct slice head)
{
    return recording_recognise(head.data, head.size);
}

const struct input_format input_formats[] = {
    {"heaptrack", heaptrack_recognise, heaptrack_read, true, false, false},
    {"perf", perf_data_recognise, perf_data_read, true, true, false},
    {"massif", massif_recognise, massif_read, false, false, false},
    {"callgrind", callgrind_recognise, callgrind_read, false, false, false},
    {"pprof", pprof_recognise, pprof_recording_read, true, false, false},
    {"memoir", knows_recordings, recording_read, false, true, true},
    {NULL, NULL, recording_read, false, true, true},
};

const struct input_format *input_format_find(struct slice head)
{
    const struct input_format *format = input_formats;
    while (format->name && !format->knows(head))
        format++;
    return format;
}
