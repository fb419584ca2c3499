/* SPDX-License-Identifier: Apache-2.0 */
/* route_targets.c - what this server serves. */
#include "base/json_out.h"
#include "serve/routes.h"
#include "serve/target_list.h"

static bool is_recorded(const struct recording *recording, const struct running *running,
                        const struct metric *metric)
{
    if (metric->kind == METRIC_PINNED)
        return recording_pin(recording, metric_is_of_pools(metric) ? PIN_POOL_PEAK : PIN_PEAK) !=
               NULL;
    if (metric->plus >= COL_RESIDENT_0 && metric->plus < COL_PAGES_0)
        return recording->residency.looks > 0;
    return running_has(running, metric);
}

static void write_recording(struct json_out *json, const struct target *target,
                            const struct recording *recording, const struct running *running)
{
    json_text_field(json, "file", target_file(target));
    json_text_field(json, "program", recording_text(recording, recording->program));
    json_uint_field(json, "start_unix_ns", recording->start_unix_ns);
    json_uint_field(json, "time_ns", running_time(running));
    json_key(json, "metrics");
    json_array_begin(json);
    for (const struct metric *metric = metrics; metric->name; metric++)
        if (is_recorded(recording, running, metric))
            json_text(json, metric->name);
    json_array_end(json);
}

static void write_target(struct json_out *json, struct target *target, size_t place)
{
    char id[24];
    const struct running *running;
    struct memory_status memory;
    const struct recording *recording = target_recording(target, &running, NULL);
    snprintf(id, sizeof(id), "%zu", place + 1);
    json_object_begin(json);
    json_text_field(json, "id", id);
    json_text_field(json, "kind", target_pid(target) ? "process" : "recording");
    json_uint_field(json, "pid", target_known_pid(target));
    json_bool_field(json, "running", target_known_memory(target, &memory) == 0);
    json_text_field(json, "recording",
                    !recording                 ? "none"
                    : recording->being_written ? "being written"
                                               : "ended");
    if (recording)
        write_recording(json, target, recording, running);
    json_object_end(json);
}

void route_targets(struct target *target, struct request *request, struct answer *answer)
{
    FILE *out = answer_begin(answer);
    (void)target;
    if (out) {
        struct json_out json;
        json_init(&json, out, false);
        json_object_begin(&json);
        json_key(&json, "targets");
        json_array_begin(&json);
        for (size_t i = 0; i < request->served->items.count; i++)
            write_target(&json, request->served->items.items[i], i);
        json_array_end(&json);
        json_object_end(&json);
        json_finish(&json);
    }
    answer_finish(answer, out, TYPE_JSON);
}
