/* SPDX-License-Identifier: Apache-2.0 */
/* node_rows_run.c - the nodes of a run, with the numbers of memoir ram. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/ram/ram_report.h"
#include "serve/targets/node_rows.h"
#include "serve/targets/served_run.h"

#define US_NS 1000

struct run_rows {
    const struct node_question *question;
    const struct run *run;
    const struct ram *ram; /* NULL: nothing is known of its memory */
    const struct target_list *served;
    uint32_t *first, *next; /* targets of each node, and the next one of the same; plus one */
    int64_t *times_ns;      /* of the stamps, since the run began */
    size_t from, to;        /* places of stamps in the time asked for */
    int64_t column;         /* whose values are wanted; -1: there is none */
    size_t step;
    int64_t height; /* the highest of all */
};

/* Which targets each node has, in one pass over them. */
static int link_targets(struct run_rows *rows, const struct served_run *run)
{
    size_t const count = rows->served->items.count;
    rows->first = calloc(rows->run->nodes.count + 1, sizeof(*rows->first));
    rows->next = calloc(count + 1, sizeof(*rows->next));
    if (!rows->first || !rows->next)
        return -ENOMEM;
    for (size_t i = count; i-- > 0;) {
        const struct target *target = rows->served->items.items[i];
        int64_t const node = target_run(target) == run && target_nick(target)
                                 ? run_node_of(rows->run, target_nick(target))
                                 : -1;
        if (node < 0)
            continue;
        rows->next[i] = rows->first[node];
        rows->first[node] = (uint32_t)i + 1;
    }
    return 0;
}

static int choose_column(struct run_rows *rows, struct fault *fault)
{
    static const char *const usual[] = {"rss", "pprof_inuse_space", "inuse", "total"};
    const char *wanted = rows->question->column;
    rows->column = -1;
    if (wanted) {
        rows->column = rows->ram ? ram_column(rows->ram, wanted) : -1;
        return rows->column >= 0 ? 0
                                 : fault_set(fault, -EINVAL,
                                             "There is no column \"%.80s\" here: \"columns\" of "
                                             "/api/nodes lists all columns.",
                                             wanted);
    }
    for (size_t i = 0; rows->ram && i < sizeof(usual) / sizeof(usual[0]); i++) {
        struct ram_summary summary = {0};
        int64_t const column = ram_column(rows->ram, usual[i]);
        for (size_t node = 0; column >= 0 && !summary.points && node < rows->ram->nodes.count;
             node++)
            ram_summarize(rows->ram, node, column, &summary);
        if (summary.points) {
            rows->column = column;
            return 0;
        }
    }
    return 0;
}

static int prepare(struct run_rows *rows, int64_t begin_us)
{
    size_t const count = rows->ram ? rows->ram->stamps.count : 0;
    rows->times_ns = calloc(count + 1, sizeof(*rows->times_ns));
    rows->height = RAM_NONE;
    if (!rows->times_ns)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        rows->times_ns[i] = (rows->ram->stamps.items[i] - begin_us) * US_NS;
        int64_t const time_ns = rows->times_ns[i] > 0 ? rows->times_ns[i] : 0;
        rows->from += (uint64_t)time_ns < rows->question->from_ns;
        rows->to += (uint64_t)time_ns <= rows->question->to_ns;
        int64_t const height = ram_round_of_all(rows->ram, i);
        rows->height = height > rows->height ? height : rows->height;
    }
    rows->step = node_step(count, rows->question->points);
    return 0;
}

static bool is_there(const struct ram *ram, size_t node, size_t stamp)
{
    if (ram_round(ram, node, stamp) != RAM_NONE)
        return true;
    for (size_t column = 0; column < ram->columns.count; column++)
        if (ram_value(ram, node, column, stamp) != RAM_NONE)
            return true;
    return false;
}

/* When it answered last, and how many snapshots it has missed since it first did.  What is being
 * written right now may lack some who will still answer. */
static void write_presence(struct json_out *json, const struct run_rows *rows, size_t node)
{
    size_t const count = rows->ram ? rows->ram->stamps.count : 0;
    size_t seen = 0, missing = 0, last = 0;
    for (size_t i = 0; i < count; i++) {
        bool const now = is_there(rows->ram, node, i);
        missing += !now && seen;
        seen += now;
        last = now ? i : last;
    }
    json_bool_field(json, "up", seen && last + 2 >= count);
    json_int_field_if(json, "last_ns", seen, seen ? rows->times_ns[last] : 0);
    json_uint_field(json, "missing", missing);
}

static void write_height(struct json_out *json, const struct run_rows *rows, size_t node)
{
    int64_t height = RAM_NONE;
    for (size_t i = rows->ram ? rows->ram->stamps.count : 0; i-- > 0 && height == RAM_NONE;)
        height = ram_round(rows->ram, node, i);
    bool const is_known = height != RAM_NONE;
    json_int_field_if(json, "height", is_known, height);
    json_int_field_if(json, "lag", is_known, is_known ? rows->height - height : 0);
}

static void write_targets(struct json_out *json, const struct run_rows *rows, size_t node)
{
    json_key(json, "targets");
    json_array_begin(json);
    for (uint32_t at = rows->first[node]; at; at = rows->next[at - 1]) {
        char id[24];
        snprintf(id, sizeof(id), "%u", at);
        json_object_begin(json);
        json_text_field(json, "id", id);
        json_text_field(json, "profile", target_profile(rows->served->items.items[at - 1]));
        json_object_end(json);
    }
    json_array_end(json);
}

static void write_curves(struct json_out *json, const struct run_rows *rows, size_t node)
{
    const struct ram *ram = rows->ram;
    json_key(json, "summary");
    json_object_begin(json);
    for (size_t column = 0; ram && column < ram->columns.count; column++) {
        struct ram_summary summary;
        ram_summarize_between(ram, node, column, rows->from, rows->to, &summary);
        struct node_curve const curve = {ram->columns.items[column],
                                         summary.points,
                                         summary.first,
                                         summary.last,
                                         summary.max,
                                         summary.growth};
        node_curve_write(json, &curve);
    }
    json_object_end(json);
}

static void write_node(struct json_out *json, const struct run_rows *rows, size_t node)
{
    json_object_begin(json);
    run_node_write(json, &rows->run->nodes.items[node]);
    write_presence(json, rows, node);
    write_height(json, rows, node);
    write_targets(json, rows, node);
    write_curves(json, rows, node);
    if (rows->column >= 0)
        node_values_write(
            json,
            &rows->ram->values[(node * rows->ram->columns.count + (size_t)rows->column) *
                               rows->ram->stamps.count],
            rows->ram->stamps.count, rows->step);
    json_object_end(json);
}

static void write_head(struct json_out *json, const struct run_rows *rows,
                       const struct served_run *run)
{
    int64_t const begin_us = served_run_begin_us(run), end_us = served_run_end_us(run);
    json_text_field(json, "run", served_run_name(run));
    json_bool_field(json, "being_written", served_run_is_written(run));
    json_int_field(json, "start_unix_ns", begin_us * US_NS);
    json_int_field(json, "time_ns", (end_us - begin_us) * US_NS);
    json_key(json, "columns");
    json_array_begin_inline(json);
    for (size_t i = 0; rows->ram && i < rows->ram->columns.count; i++)
        json_text(json, rows->ram->columns.items[i]);
    json_array_end(json);
    json_text_field(json, "column",
                    rows->column < 0 ? NULL : rows->ram->columns.items[rows->column]);
    json_uint_field(json, "step", rows->step);
    json_uint_field(json, "unread_profiles", rows->ram ? rows->ram->unread : 0);
    node_times_write(json, rows->times_ns, rows->ram ? rows->ram->stamps.count : 0, rows->step);
}

int node_rows_write_run(struct json_out *json, const struct node_question *question,
                        struct served_run *run, const struct target_list *served,
                        struct fault *fault)
{
    struct run_rows rows = {.question = question, .run = served_run_content(run), .served = served};
    struct fault why = {.text = ""};
    if (!rows.run)
        return fault_set(fault, -ENOENT, "This run is empty: its first snapshot is being taken.");
    rows.ram = served_run_ram(run, &why);
    int err = rows.ram || why.code == -ENODATA ? link_targets(&rows, run)
              : why.code                       ? why.code
                                               : -EIO;
    if (!rows.ram && err)
        *fault = why;
    if (!err)
        err = prepare(&rows, served_run_begin_us(run));
    if (!err)
        err = choose_column(&rows, fault);
    if (!err) {
        write_head(json, &rows, run);
        json_key(json, "nodes");
        json_array_begin(json);
        for (size_t node = 0; node < rows.run->nodes.count; node++)
            write_node(json, &rows, node);
        json_array_end(json);
    }
    free(rows.first);
    free(rows.next);
    free(rows.times_ns);
    return err;
}
