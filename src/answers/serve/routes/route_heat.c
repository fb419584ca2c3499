/* SPDX-License-Identifier: Apache-2.0 */
/* route_heat.c - sums for each part of each second: the cells of a heat map, with the sums of
 * `memoir report`. */
#include <errno.h>
#include <stdlib.h>

#include "analyze/trees/heat_grid.h"
#include "analyze/trees/stack_match.h"
#include "base/json_list.h"
#include "report/json/json_report.h"
#include "serve/content/ask.h"
#include "serve/routes/routes.h"

static void write_cells(struct json_out *json, const struct heat_grid *grid)
{
    json_list_write(json, "slots", &grid->cells, json_uint, slot);
    json_list_write(json, "values", &grid->cells, json_int, value);
    json_list_write(json, "counts", &grid->cells, json_int, count);
    json_list_write(json, "from_ns", &grid->stretches, json_uint, from_ns);
    json_list_write(json, "to_ns", &grid->stretches, json_uint, to_ns);
}

static void write_grid(const struct weights *weights, const struct heat_grid *grid, FILE *out)
{
    struct json_out json;
    json_init(&json, out, false);
    json_object_begin(&json);
    json_weighed_write(&json, weights);
    json_sum_write(&json, "total", weights->total_value, weights->total_count);
    json_text_field(&json, "kind", grid->is_by_bucket ? "buckets" : "instants");
    json_uint_field(&json, "resolution_ns", grid->resolution_ns);
    json_uint_field(&json, "begin_ns", grid->begin_ns);
    json_uint_field(&json, "column_ns", grid->column_ns);
    json_uint_field(&json, "columns", grid->columns);
    json_uint_field(&json, "rows", grid->rows);
    json_sum_write(&json, "timeless",
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
    int err = selection->filter
                  ? stack_match_pattern(ask->recording, selection->pattern, &codes, fault)
                  : 0;
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
