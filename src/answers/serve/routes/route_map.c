/* SPDX-License-Identifier: Apache-2.0 */
/* route_map.c - the address space of a process, for programs that draw it. */
#include <errno.h>

#include "analyze/memory/recorded_map.h"
#include "process_map/walk_region.h"
#include "report/json/map_json.h"
#include "serve/targets/map_look.h"
#include "serve/routes/routes.h"
#include "serve/http/parameter_parse.h"

#define ROWS       1000
#define ROWS_LEAST 3
#define ROWS_MOST  4000
#define CELLS      1024

struct map_wish {
    struct sort_rules rules;
    uint64_t rows, first, count;
    uint64_t region, cells;
    bool wants_cells; /* of `region` */
};

static bool parse_wish(const struct request *request, struct map_wish *wish, struct answer *answer)
{
    const char *figures[FIGURES + 1] = {NULL};
    for (int i = 0; i < FIGURES; i++)
        figures[i] = memory_figure_name((enum memory_figure)i);
    int const figure = parameter_parse_word(request, "sort", figures, answer);
    int const by = figure < 0 ? -1 : parameter_parse_word(request, "by", sort_by_names, answer);
    if (by < 0)
        return false;
    wish->rules = (struct sort_rules){.by = (enum sort_by)by, .figure = (enum memory_figure)figure};
    wish->wants_cells = request_parameter(request, "region") != NULL;
    struct number_limits const place = {0, 0, UINT32_MAX}, many = {UINT32_MAX, 1, UINT32_MAX};
    struct number_limits const rows = {ROWS, ROWS_LEAST, ROWS_MOST};
    struct number_limits const cells = {CELLS, 1, REGION_CELLS_MOST};
    return parameter_parse_number(request, "rows", rows, &wish->rows, answer) &&
           parameter_parse_number(request, "first", place, &wish->first, answer) &&
           parameter_parse_number(request, "count", many, &wish->count, answer) &&
           parameter_parse_number(request, "region", place, &wish->region, answer) &&
           parameter_parse_number(request, "cells", cells, &wish->cells, answer);
}

static void answer_map(const struct map_report *about, const struct map_wish *wish,
                       const struct request *request, struct answer *answer)
{
    struct map_rows rows;
    struct region_cells cells;
    struct fault fault = {.text = ""};
    struct map_report report = *about;
    const struct breakdown *breakdown = report.breakdown;
    if (map_rows_make(breakdown, wish->first, wish->count, wish->rows, &rows) < 0) {
        answer_error(answer, request, 503, "The server is out of memory: ask again later.");
        return;
    }
    report.rows = &rows;
    report.without_addresses = !request->may_see_addresses;
    if (wish->wants_cells && wish->region < breakdown->regions.count) {
        const struct memory_region *region = &breakdown->regions.items[wish->region];
        report.region = (uint32_t)wish->region;
        if (breakdown->source == BREAKDOWN_RECORDING)
            report.cells_trouble = "the process has ended, and which pages were resident is not "
                                   "recorded one by one";
        else if (walk_region(breakdown->pid, region->start, region->end, wish->cells, &cells,
                             &fault) == 0)
            report.cells = &cells;
        else
            report.cells_trouble = fault.text;
    } else if (wish->wants_cells) {
        report.region = (uint32_t)wish->region;
        report.cells_trouble = "there is no such mapping any more";
    }
    FILE *out = answer_begin(answer);
    if (out)
        map_json_write(&report, out);
    answer_finish(answer, out, TYPE_JSON);
    if (report.cells)
        region_cells_fini(&cells);
    map_rows_fini(&rows);
}

/* As of the last look that the recording kept, of a process that is no more. */
static void answer_recorded(const struct map_report *about, const struct map_wish *wish,
                            const struct request *request, struct answer *answer)
{
    struct map_report report = *about;
    struct breakdown breakdown;
    struct fault fault = {.text = "the process has ended"};
    int const err = report.recording
                        ? recorded_map_make(report.recording, &wish->rules, &breakdown, &fault)
                        : -ENODATA;
    if (err) {
        answer_error(answer, request, err == -ENOMEM ? 503 : 404, "%s", fault.text);
        return;
    }
    report.breakdown = &breakdown;
    answer_map(&report, wish, request, answer);
    breakdown_fini(&breakdown);
}

void route_map(struct target *target, struct request *request, struct answer *answer)
{
    struct map_wish wish;
    struct memory_status memory;
    struct fault fault = {.text = ""};
    int err = 0;
    if (!parse_wish(request, &wish, answer))
        return;
    struct map_report report = {.recording = target_recording(target, NULL, NULL)};
    if (target_known_memory(target, &memory) < 0) {
        answer_recorded(&report, &wish, request, answer);
        return;
    }
    report.breakdown = map_look_refresh(target_map_look(target), target_known_pid(target),
                                        &wish.rules, &err, &fault);
    if (report.breakdown)
        answer_map(&report, &wish, request, answer);
    else
        answer_error(answer, request,
                     err == -ENOMEM                    ? 503
                     : err == -EPERM || err == -EACCES ? 403
                                                       : 404,
                     "%s", fault.text);
}
