/* SPDX-License-Identifier: Apache-2.0 */
/* perf_data_writer_head.c - writes the sections of a perf.data before and after its records. */
#include "formats/perf/perf_data_events.h"
#include "formats/perf/perf_data_kernel.h"
#include "formats/perf/perf_data_writer.h"

#define SAMPLE_TYPE                                                                                \
    (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |                \
     PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)

static struct perf_event_attr make_attr(const struct perf_writer *writer)
{
    const struct timing *timing = &writer->job->recording->timing;
    bool const is_time = writer->is_time;
    return (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE,
                                    .size = sizeof(struct perf_event_attr),
                                    .config =
                                        is_time ? PERF_COUNT_SW_CPU_CLOCK
                                                : perf_counter_number(writer->weights.metric->name),
                                    .sample_freq = is_time && timing->hz ? timing->hz : 1,
                                    .freq = is_time,
                                    .sample_type = SAMPLE_TYPE,
                                    .read_format = PERF_FORMAT_ID,
                                    .inherit = 1,
                                    .mmap = 1,
                                    .comm = 1,
                                    .task = 1,
                                    .mmap2 = 1,
                                    .comm_exec = 1,
                                    .exclude_guest = 1,
                                    .sample_id_all = 1};
}

/* Name and ids of the event. */
static void put_event(struct perf_writer *writer, struct perf_event_attr attr)
{
    uint32_t const head[] = {1, sizeof(attr)}, ids = 1;
    uint64_t const id = PERF_EVENT_ID;
    perf_sink_put(&writer->sink, head, sizeof(head));
    perf_sink_put(&writer->sink, &attr, sizeof(attr));
    perf_sink_put(&writer->sink, &ids, sizeof(ids));
    perf_sink_feature_text(&writer->sink, writer->weights.metric->name);
    perf_sink_put(&writer->sink, &id, sizeof(id));
}

static void put_build_id(struct perf_writer *writer, uint16_t mode, const char *build_id,
                         const char *path)
{
    uint32_t const pid = PERF_KERNEL_PID;
    uint8_t id[PERF_BUILD_ID_BYTES + 4] = {0};
    size_t const size = perf_writer_unhex(build_id, id);
    if (size == 0)
        return;
    id[PERF_BUILD_ID_BYTES] = (uint8_t)size;
    perf_sink_begin(&writer->sink, 0, (uint16_t)(mode | PERF_BUILD_ID_HAS_SIZE));
    perf_sink_put(&writer->sink, &pid, sizeof(pid));
    perf_sink_put(&writer->sink, id, sizeof(id));
    perf_sink_text(&writer->sink, path);
    perf_sink_end(&writer->sink);
}

static void put_build_ids(struct perf_writer *writer)
{
    const struct recording *recording = writer->job->recording;
    char kernel[PERF_BUILD_ID_HEX] = "";
    if (writer->layout.kernel_start)
        perf_kernel_own_build_id(kernel);
    put_build_id(writer, PERF_RECORD_MISC_KERNEL, kernel, PERF_KERNEL_NAME);
    for (size_t i = 0; i < writer->layout.modules.count; i++) {
        const struct module *module = &recording->modules.items[i];
        if (writer->layout.modules.items[i].segment_count > 0)
            put_build_id(writer, PERF_RECORD_MISC_USER, recording_text(recording, module->build_id),
                         recording_text(recording, module->path));
    }
}

static void put_feature(struct perf_writer *writer, enum perf_feature feature)
{
    const struct recording *recording = writer->job->recording;
    uint64_t const times[] = {PERF_TIME_BASE + writer->first_ns, PERF_TIME_BASE + writer->last_ns};
    uint32_t const words = 1;
    switch (feature) {
    case PERF_FEATURE_BUILD_ID:
        put_build_ids(writer);
        break;
    case PERF_FEATURE_HOSTNAME:
        perf_sink_feature_text(&writer->sink, recording_text(recording, recording->host));
        break;
    case PERF_FEATURE_VERSION: /* readers look for what they can expect of that perf */
        perf_sink_feature_text(&writer->sink, "6.1 (memoir " MEMOIR_VERSION ")");
        break;
    case PERF_FEATURE_ARCH:
        perf_sink_feature_text(&writer->sink, "x86_64");
        break;
    case PERF_FEATURE_CMDLINE:
        perf_sink_put(&writer->sink, &words, sizeof(words));
        perf_sink_feature_text(&writer->sink, recording_text(recording, recording->command_line));
        break;
    case PERF_FEATURE_EVENT_DESC:
        put_event(writer, make_attr(writer));
        break;
    case PERF_FEATURE_SAMPLE_TIME:
        perf_sink_put(&writer->sink, times, sizeof(times));
        break;
    default:
        break;
    }
}

static const enum perf_feature features[] = {
    PERF_FEATURE_BUILD_ID, PERF_FEATURE_HOSTNAME,   PERF_FEATURE_VERSION,    PERF_FEATURE_ARCH,
    PERF_FEATURE_CMDLINE,  PERF_FEATURE_EVENT_DESC, PERF_FEATURE_SAMPLE_TIME};
#define FEATURES (sizeof(features) / sizeof(features[0]))

void perf_writer_header(struct perf_writer *writer, uint64_t data_size)
{
    struct perf_event_attr const attr = make_attr(writer);
    uint64_t const ids_at = PERF_FILE_HEADER_BYTES, attrs_at = ids_at + 8;
    uint64_t const entry = sizeof(attr) + 16;
    uint64_t head[13] = {0,     PERF_FILE_HEADER_BYTES, entry,    attrs_at,
                         entry, attrs_at + entry,       data_size};
    uint64_t const id = PERF_EVENT_ID, ids[] = {ids_at, 8};
    memcpy(head, PERF_FILE_MAGIC, PERF_FILE_MAGIC_BYTES);
    for (size_t i = 0; i < FEATURES; i++)
        head[9] |= UINT64_C(1) << features[i];
    perf_sink_put(&writer->sink, head, sizeof(head));
    perf_sink_put(&writer->sink, &id, sizeof(id));
    perf_sink_put(&writer->sink, &attr, sizeof(attr));
    perf_sink_put(&writer->sink, ids, sizeof(ids));
}

/* A place for each, then each. */
void perf_writer_features(struct perf_writer *writer)
{
    struct output *out = writer->sink.out;
    uint64_t places[FEATURES][2], at = writer->sink.size + sizeof(places);
    for (size_t i = 0; i < FEATURES; i++) { /* into nothing: how long it is */
        uint64_t const before = writer->sink.size;
        writer->sink.out = NULL;
        put_feature(writer, features[i]);
        places[i][0] = at;
        places[i][1] = writer->sink.size - before;
        at += places[i][1];
        writer->sink.size = before;
    }
    writer->sink.out = out;
    perf_sink_put(&writer->sink, places, sizeof(places));
    for (size_t i = 0; i < FEATURES; i++)
        put_feature(writer, features[i]);
}
