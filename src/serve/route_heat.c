/* SPDX-License-Identifier: Apache-2.0 */
/* route_heat.c - when within each second it happened: cells for a map, with the sums of `memoir report`. */
#include <errno.h>
#include <stdlib.h>

#include "analyze/heat_grid.h"
#include "analyze/stack_match.h"
#include "base/json_out.h"
#include "serve/ask.h"
#include "serve/routes.h"

static void write_sum(struct json_out *json, const char *key, int64_t value, int64_t count)
{
    json_key(json, key);
    json_object_begin(json);
    json_int_field(json, "value", value);
    json_int_field(json, "count", count);
    json_object_end(json);
}

static void write_cells(struct json_out *json, const struct heat_grid *grid)
{
    json_key(json, "slots");
    json_array_begin(json);
    vec_each (cell, &grid->cells)
        json_uint(json, cell->slot);
    json_array_end(json);
    json_key(json, "values");
    json_array_begin(json);
    vec_each (cell, &grid->cells)
        json_int(json, cell->value);
    json_array_end(json);
    json_key(json, "counts");
    json_array_begin(json);
    vec_each (cell, &grid->cells)
        json_int(json, cell->count);
    json_array_end(json);
    json_key(json, "from_ns");
    json_array_begin(json);
    vec_each (stretch, &grid->stretches)
        json_uint(json, stretch->from_ns);
    json_array_end(json);
    json_key(json, "to_ns");
    json_array_begin(json);
    vec_each (stretch, &grid->stretches)
        json_uint(json, stretch->to_ns);
    json_array_end(json);
}

static void write_grid(const struct weights *weights, const struct heat_grid *grid, FILE *out)
{
    struct json_out json;
    json_init(&json, out, false);
    json_object_begin(&json);
    json_text_field(&json, "metric", weights->metric->name);
    json_text_field(&json, "unit", weights->metric->unit);
    json_key(&json, "range");
    json_object_begin(&json);
    json_uint_field(&json, "from_ns", weights->used.from_ns);
    json_uint_field(&json, "to_ns", weights->used.to_ns);
    json_object_end(&json);
    write_sum(&json, "total", weights->total_value, weights->total_count);
    json_text_field(&json, "kind", grid->is_by_bucket ? "buckets" : "instants");
    json_uint_field(&json, "resolution_ns", grid->resolution_ns);
    json_uint_field(&json, "begin_ns", grid->begin_ns);
    json_uint_field(&json, "column_ns", grid->column_ns);
    json_uint_field(&json, "columns", grid->columns);
    json_uint_field(&json, "rows", grid->rows);
    write_sum(&json, "timeless",
              (int64_t)((uint64_t)weights->total_value - (uint64_t)grid->placed_value),
              (int64_t)((uint64_t)weights->total_count - (uint64_t)grid->placed_count));
    write_cells(&json, grid);
    json_object_end(&json);
    json_finish(&json);
}

static int make_grid(const struct ask *ask, struct heat_grid *grid, struct fault *fault)
{
    const struct selection *selection = &ask->selection;
    uint32_t *codes = NULL;
    int err =
        selection->filter ? stack_match_regex(ask->recording, &selection->filter_regex, &codes) : 0;
    if (!err)
        err = heat_grid_build(ask->recording, selection->metric, ask->range, codes, grid, fault);
    free(codes);
    return err;
}

void route_heat(struct target *target, struct request *request, struct answer *answer)
{
    struct ask ask;
    struct weights weights;
    struct heat_grid grid;
    struct fault fault = {.text = ""};
    if (!ask_begin(&ask, false, target, request, answer))
        return;
    int err = selection_weigh(&ask.selection, ask.recording, &weights, &fault);
    if (!err) {
        err = make_grid(&ask, &grid, &fault);
        if (!err) {
            FILE *out = answer_begin(answer);
            if (out)
                write_grid(&weights, &grid, out);
            answer_finish(answer, out, TYPE_JSON);
            heat_grid_fini(&grid);
        }
        weights_fini(&weights);
    }
    if (err)
        ask_refuse(err, &fault, request, answer);
    ask_end(&ask);
}
