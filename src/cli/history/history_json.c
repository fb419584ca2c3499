/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_out.h"
#include "cli/history/history_command.h"
#include "report/text/growth_text.h"

static void write_runs(struct json_out *json, const struct history_service *service)
{
    json_key(json, "runs");
    json_array_begin(json);
    vec_each (run, &service->runs) {
        json_object_begin_inline(json);
        json_uint_field(json, "pid", run->pid);
        json_uint_field(json, "begin_ms", run->begin_ms);
        json_uint_field(json, "last_ms", run->last_ms);
        json_uint_field(json, "snapshots", run->snapshots);
        json_int_field(json, "limit_bytes", run->limit_bytes);
        json_text_field(json, "program", run->program);
        json_text_field(json, "source", run->source);
        json_object_end(json);
    }
    json_array_end(json);
}

static void write_points(struct json_out *json, const struct history_series *series)
{
    json_key(json, "points");
    json_array_begin(json);
    vec_each (point, &series->points) {
        json_object_begin_inline(json);
        json_uint_field(json, "time_ms", point->time_ms);
        json_uint_field(json, "span_ms", point->span_ms);
        json_uint_field(json, "run", point->run);
        json_int_field(json, "low", point->low);
        json_int_field(json, "high", point->high);
        json_int_field(json, "last", point->last);
        json_object_end(json);
    }
    json_array_end(json);
}

static void write_trend(struct json_out *json, const struct history_question *question,
                        const struct history_trend *trend)
{
    json_object_begin(json);
    json_text_field(json, "kind", history_kind_name(trend->series->kind));
    json_text_field(json, "name", trend->series->name);
    json_int_field(json, "now", trend->now);
    json_bool_field(json, "current", !trend->is_gone);
    json_int_field(json, "low", trend->low);
    json_int_field(json, "high", trend->high);
    json_key(json, "growth");
    json_object_begin(json);
    growth_json_write(json, &trend->growth);
    json_object_end(json);
    if (question->with_points)
        write_points(json, trend->series);
    json_object_end(json);
}

static int write_service(struct json_out *json, const struct history_question *question,
                         const struct history_service *service)
{
    struct history_trends trends;
    int const err = history_trends_make(question, service, &trends);
    if (!err && trends.rows.count > 0) {
        json_object_begin(json);
        json_text_field(json, "name", service->name);
        json_text_field(json, "host", service->host);
        json_int_field(json, "limit_bytes", trends.limit_bytes);
        write_runs(json, service);
        json_key(json, "series");
        json_array_begin(json);
        vec_each (trend, &trends.rows)
            write_trend(json, question, trend);
        json_array_end(json);
        json_object_end(json);
    }
    history_trends_fini(&trends);
    return err;
}

int history_json_write(const struct history_question *question,
                       const struct history_content *content, FILE *out)
{
    struct json_out json;
    int err = 0;
    json_init(&json, out, true);
    json_object_begin(&json);
    json_text_field(&json, "history", question->path);
    json_uint_field(&json, "version", HISTORY_VERSION);
    json_key(&json, "services");
    json_array_begin(&json);
    for (size_t i = 0; i < content->services.count && !err; i++)
        err = write_service(&json, question, &content->services.items[i]);
    json_array_end(&json);
    json_object_end(&json);
    (void)json_finish(&json); /* its error is the file's, and found at the close */
    return err;
}
