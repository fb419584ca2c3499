/* SPDX-License-Identifier: Apache-2.0 */
/* route_targets.c - what this server serves. */
#include <sys/stat.h>

#include "base/json_out.h"
#include "serve/routes/routes.h"
#include "serve/targets/served_run.h"
#include "serve/targets/target_list.h"

#define US_NS 1000

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

static void write_recording(struct json_out *json, const struct target *target,
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

static void write_kind(struct json_out *json, const struct target *target, size_t place)
{
    char id[24];
    snprintf(id, sizeof(id), "%zu", place + 1);
    json_text_field(json, "id", id);
    json_text_field(json, "kind", target_kind_name(target_kind(target)));
}

/* When the file or what SQLite keeps beside it was written last tells whether there may be more. */
static void write_history(struct json_out *json, const struct target *target)
{
    char beside[4096];
    struct stat file;
    int64_t changed_ms = 0;
    snprintf(beside, sizeof(beside), "%s-wal", target_history(target));
    const char *const paths[] = {target_history(target), beside};
    for (size_t i = 0; i < 2; i++)
        if (stat(paths[i], &file) == 0) {
            int64_t const ms = file.st_mtim.tv_sec * 1000 + file.st_mtim.tv_nsec / 1000000;
            changed_ms = ms > changed_ms ? ms : changed_ms;
        }
    json_text_field(json, "file", target_file(target));
    json_int_field(json, "version", changed_ms);
}

static void write_target(struct json_out *json, struct target *target, size_t place)
{
    struct memory_status memory;
    const struct recording *recording = target_recording(target, NULL, NULL);
    json_object_begin(json);
    write_kind(json, target, place);
    json_uint_field(json, "pid", target_known_pid(target));
    json_bool_field(json, "running", target_known_memory(target, &memory) == 0);
    json_text_field(json, "recording",
                    !recording                 ? "none"
                    : recording->being_written ? "being written"
                                               : "ended");
    if (recording)
        write_recording(json, target, recording);
    else if (target_history(target))
        write_history(json, target);
    json_object_end(json);
}

static void write_node(struct json_out *json, const struct target *target)
{
    const struct run *content = served_run_content(target_run(target));
    int64_t const place = content ? run_node_of(content, target_nick(target)) : -1;
    const struct run_node *node = place >= 0 ? &content->nodes.items[place] : NULL;
    json_text_field(json, "nick", target_nick(target));
    json_text_field(json, "node", node ? node->name : target_nick(target));
    json_text_field(json, "role", node ? node->role : "");
    json_text_field(json, "class", node ? node->class_name : "");
    json_text_field(json, "profile", target_profile(target));
}

/* How long a run is, before any of it is read. */
static void write_length(struct json_out *json, const struct served_run *run)
{
    int64_t const begin_us = served_run_begin_us(run);
    if (begin_us <= 0)
        return;
    json_int_field(json, "start_unix_ns", begin_us * US_NS);
    json_int_field(json, "time_ns", (served_run_end_us(run) - begin_us) * US_NS);
}

/* Of a run, without opening what nobody has asked for yet. */
static void write_run_target(struct json_out *json, struct target *target, size_t place)
{
    struct served_run *run = target_run(target);
    const struct recording *recording =
        target_is_open(target) ? target_recording(target, NULL, NULL) : NULL;
    json_object_begin(json);
    write_kind(json, target, place);
    json_uint_field(json, "pid", 0);
    json_bool_field(json, "running", served_run_is_written(run));
    json_text_field(json, "recording", served_run_is_written(run) ? "being written" : "ended");
    json_text_field(json, "run", served_run_name(run));
    if (target_nick(target))
        write_node(json, target);
    else
        json_uint_field(json, "version", served_run_version(run));
    json_bool_field(json, "open", recording != NULL);
    if (recording)
        write_recording(json, target, recording);
    else if (!target_nick(target))
        write_length(json, run);
    json_object_end(json);
}

/* ?target=ID opens that one, if it is not yet. */
void route_targets(struct target *target, struct request *request, struct answer *answer)
{
    struct fault fault = {.text = ""};
    if (request_parameter(request, "target") && target_run(target) &&
        !target_recording(target, NULL, &fault)) {
        answer_error(answer, request, 404, "%s", fault.text);
        return;
    }
    FILE *out = answer_begin(answer);
    if (out) {
        struct json_out json;
        json_init(&json, out, false);
        json_object_begin(&json);
        json_key(&json, "targets");
        json_array_begin(&json);
        for (size_t i = 0; i < request->served->items.count; i++)
            if (target_run(request->served->items.items[i]))
                write_run_target(&json, request->served->items.items[i], i);
            else
                write_target(&json, request->served->items.items[i], i);
        json_array_end(&json);
        json_object_end(&json);
        json_finish(&json);
    }
    answer_finish(answer, out, TYPE_JSON);
}
