/* SPDX-License-Identifier: Apache-2.0 */
/* target_facts.c - what /api/targets says about the recording of a target. */
#include "serve/targets/target_parts.h"

static bool is_recorded(const struct target *target, const struct recording *recording,
                        const struct metric *metric)
{
    if (metric->kind == METRIC_PINNED)
        return recording_pin(recording, metric_is_of_pools(metric) ? PIN_POOL_PEAK : PIN_PEAK) !=
               NULL;
    if (metric->plus >= COL_RESIDENT_0 && metric->plus < COL_PAGES_0)
        return recording->residency.looks > 0;
    return target_has(target, metric);
}

typedef void write_metric(struct json_out *json, const struct metric *metric);

static void write_name(struct json_out *json, const struct metric *metric)
{
    json_text(json, metric->name);
}

static void write_about(struct json_out *json, const struct metric *metric)
{
    json_object_begin(json);
    json_text_field(json, "name", metric->name);
    json_text_field(json, "unit", metric->unit);
    json_text_field(json, "meaning", metric->help);
    json_bool_field(json, "is_counter", metric->kind == METRIC_COUNTER);
    json_bool_field(json, "is_timeless", metric_is_timeless(metric));
    json_object_end(json);
}

/* Those that every recording may have, then those that this one alone has. */
static void write_metrics(struct json_out *json, const char *key, const struct target *target,
                          const struct recording *recording, write_metric *write)
{
    json_key(json, key);
    json_array_begin(json);
    for (const struct metric *metric = metrics; metric->name; metric++)
        if (is_recorded(target, recording, metric))
            write(json, metric);
    for (unsigned i = 0; i < recording->own_metric_count; i++)
        write(json, &recording->own_metrics[i]);
    json_array_end(json);
}

void target_facts_write(struct json_out *json, const struct target *target,
                        const struct recording *recording)
{
    json_text_field(json, "file", target_file(target));
    json_text_field(json, "program", recording_text(recording, recording->program));
    json_uint_field(json, "start_unix_ns", recording->start_unix_ns);
    json_uint_field(json, "time_ns", target_time(target));
    json_uint_field(json, "bytes", target_bytes(target));
    write_metrics(json, "metrics", target, recording, write_name);
    write_metrics(json, "about", target, recording, write_about);
}
