/* SPDX-License-Identifier: Apache-2.0 */
/* node_rows_recordings.c - recordings side by side; time counts from the beginning of each. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/growth/recording_growth.h"
#include "serve/targets/node_rows.h"

enum { COLUMN_RSS, COLUMN_HEAP, COLUMNS };
static const char *const column_names[COLUMNS] = {"rss", "heap"};

static int64_t value_of(const struct bucket *bucket, int column)
{
    int64_t const value =
        column == COLUMN_RSS ? bucket->gauges.rss_bytes : bucket->gauges.heap_live_end;
    return value >= 0 ? value : RAM_NONE;
}

static void write_curve(struct json_out *json, const struct node_question *question,
                        const struct recording *recording, int column)
{
    struct node_curve curve = {column_names[column], 0, RAM_NONE, RAM_NONE, RAM_NONE, {0}};
    vec_each (bucket, &recording->buckets) {
        int64_t const value = value_of(bucket, column);
        if (value == RAM_NONE || bucket->end_ns < question->from_ns ||
            bucket->end_ns > question->to_ns)
            continue;
        curve.first = curve.points++ ? curve.first : value;
        curve.last = value;
        curve.max = value > curve.max ? value : curve.max;
    }
    recording_growth_between(recording, column == COLUMN_HEAP, question->from_ns, question->to_ns,
                             &curve.growth);
    node_curve_write(json, &curve);
}

static int write_values(struct json_out *json, const struct node_question *question,
                        const struct recording *recording, int column)
{
    size_t const count = recording->buckets.count;
    size_t const step = node_step(count, question->points);
    int64_t *times_ns = calloc(count + 1, sizeof(*times_ns));
    int64_t *values = calloc(count + 1, sizeof(*values));
    if (times_ns && values) {
        for (size_t i = 0; i < count; i++) {
            times_ns[i] = (int64_t)recording->buckets.items[i].end_ns;
            values[i] = value_of(&recording->buckets.items[i], column);
        }
        node_times_write(json, times_ns, count, step);
        node_values_write(json, values, count, step);
    }
    bool const is_made = times_ns && values;
    free(times_ns);
    free(values);
    return is_made ? 0 : -ENOMEM;
}

static int write_node(struct json_out *json, const struct node_question *question,
                      struct target *target, size_t place, int column)
{
    const struct recording *recording = target_recording(target, NULL, NULL);
    struct memory_status memory;
    char id[24];
    snprintf(id, sizeof(id), "%zu", place + 1);
    json_object_begin(json);
    json_text_field(json, "name",
                    recording ? recording_text(recording, recording->program) : "process");
    json_text_field(json, "nick", target_file(target));
    json_text_field(json, "role", "");
    json_text_field(json, "class", target_kind_name(target));
    json_uint_field(json, "gaps", 0);
    json_bool_field(json, "up", target_known_memory(target, &memory) == 0);
    json_uint_field_if(json, "last_ns", recording, recording ? recording->duration_ns : 0);
    json_uint_field(json, "missing", 0);
    json_key(json, "height");
    json_null(json);
    json_key(json, "lag");
    json_null(json);
    json_key(json, "targets");
    json_array_begin(json);
    json_object_begin(json);
    json_text_field(json, "id", id);
    json_text_field(json, "profile", "");
    json_object_end(json);
    json_array_end(json);
    json_key(json, "summary");
    json_object_begin(json);
    for (int i = 0; recording && i < COLUMNS; i++)
        write_curve(json, question, recording, i);
    json_object_end(json);
    int const err = recording ? write_values(json, question, recording, column) : 0;
    json_object_end(json);
    return err;
}

static int find_column(const char *name)
{
    for (int i = 0; i < COLUMNS; i++)
        if (strcmp(column_names[i], name) == 0)
            return i;
    return -1;
}

int node_rows_write_recordings(struct json_out *json, const struct node_question *question,
                               const struct target_list *served, struct fault *fault)
{
    int const column = question->column ? find_column(question->column) : COLUMN_RSS;
    uint64_t longest_ns = 0;
    bool is_written = false;
    int err = 0;
    if (column < 0)
        return fault_set(fault, -EINVAL, "There is no column \"%.80s\" here: rss and heap are.",
                         question->column);
    json_key(json, "nodes");
    json_array_begin(json);
    for (size_t i = 0; i < served->items.count && !err; i++) {
        struct target *target = served->items.items[i];
        if (!target_has_row(target))
            continue;
        err = write_node(json, question, target, i, column);
        const struct recording *recording = target_recording(target, NULL, NULL);
        if (recording && recording->duration_ns > longest_ns)
            longest_ns = recording->duration_ns;
        is_written |= recording && recording->being_written;
    }
    json_array_end(json);
    json_text_field(json, "run", NULL);
    json_bool_field(json, "being_written", is_written);
    json_uint_field(json, "start_unix_ns", 0);
    json_uint_field(json, "time_ns", longest_ns);
    json_key(json, "columns");
    json_array_begin_inline(json);
    for (int i = 0; i < COLUMNS; i++)
        json_text(json, column_names[i]);
    json_array_end(json);
    json_text_field(json, "column", column_names[column]);
    json_uint_field(json, "step", 1);
    json_uint_field(json, "unread_profiles", 0);
    json_key(json, "times_ns");
    json_null(json);
    return err;
}
