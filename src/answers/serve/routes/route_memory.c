/* SPDX-License-Identifier: Apache-2.0 */
/* route_memory.c - `memoir map` over HTTP. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "process_map/snapshot.h"
#include "base/human.h"
#include "formats/pprof/breakdown_pprof.h"
#include "report/breakdown/breakdown_parts.h"
#include "report/breakdown/breakdown_report.h"
#include "serve/http/request_text.h"
#include "serve/routes/routes.h"
#include "serve/http/parameter_parse.h"

#define TOP_MOST 100000

enum page_format { PAGE_TEXT, PAGE_JSON, PAGE_CSV, PAGE_PPROF };

/* ?sort, by, unit and min, as the options of memoir map. */
static bool parse_order(const struct request *request, struct breakdown_view *view,
                        struct sort_rules *rules, struct answer *answer)
{
    const char *figures[FIGURES + 1] = {NULL}, *min = request_parameter(request, "min");
    for (int i = 0; i < FIGURES; i++)
        figures[i] = memory_figure_name((enum memory_figure)i);
    int const figure = parameter_parse_word(request, "sort", figures, answer);
    int const by = figure < 0 ? -1 : parameter_parse_word(request, "by", sort_by_names, answer);
    int const unit =
        by < 0 ? -1 : parameter_parse_word(request, "unit", breakdown_unit_names, answer);
    if (unit < 0)
        return false;
    *view = (struct breakdown_view){.figure = (enum memory_figure)figure,
                                    .unit = (enum breakdown_unit)unit};
    *rules = (struct sort_rules){.by = (enum sort_by)by, .figure = view->figure};
    if (!min || human_parse_bytes(min, &view->min_bytes) == 0)
        return true;
    answer_error(answer, request, 400, "min is a size, such as 1M.");
    return false;
}

static bool parse_parameters(const struct request *request, struct breakdown_view *view,
                             struct sort_rules *rules, enum page_format *format,
                             struct answer *answer)
{
    const char *top = request_parameter(request, "top");
    const char *named = request_parameter(request, "format");
    uint64_t number = BREAKDOWN_TOP;
    *format = request->wants_json ? PAGE_JSON : PAGE_TEXT;
    if (top && number_parse(top, 1, TOP_MOST, &number) < 0) {
        answer_error(answer, request, 400, "top is a whole number from 1 to %d.", TOP_MOST);
        return false;
    }
    if (!parse_order(request, view, rules, answer))
        return false;
    if (named && strcmp(named, "json") == 0)
        *format = PAGE_JSON;
    else if (named && strcmp(named, "csv") == 0)
        *format = PAGE_CSV;
    else if (named && strcmp(named, "pprof") == 0)
        *format = PAGE_PPROF;
    else if (named && strcmp(named, "text") != 0) {
        answer_error(answer, request, 400, "format is text, json, csv or pprof.");
        return false;
    }
    view->top = (unsigned)number;
    view->without_addresses = !request->may_see_addresses;
    return true;
}

static const char *type_of(enum page_format format)
{
    return format == PAGE_JSON    ? TYPE_JSON
           : format == PAGE_CSV   ? "text/csv; charset=utf-8"
           : format == PAGE_PPROF ? "application/octet-stream"
                                  : TYPE_TEXT;
}

static void write_page(const struct breakdown *breakdown, const struct breakdown_view *view,
                       enum page_format format, struct answer *answer)
{
    FILE *out = answer_begin(answer);
    if (out && format == PAGE_JSON)
        breakdown_json_write(breakdown, view, out);
    else if (out && format == PAGE_CSV)
        breakdown_csv_write(breakdown, view, out);
    else if (out && format == PAGE_PPROF)
        breakdown_pprof_write(breakdown, breakdown_section_title, out, NULL);
    else if (out)
        breakdown_text_write(breakdown, view, out);
    answer_finish(answer, out, type_of(format));
    answer->name = format == PAGE_PPROF ? "memory" : NULL;
}

void route_memory(struct target *target, struct request *request, struct answer *answer)
{
    struct breakdown_view view;
    struct memory_status memory;
    struct process_snapshot snapshot;
    struct fault fault = {.text = ""};
    enum page_format format = PAGE_TEXT;
    struct process_snapshot_options options = {.top = 0};
    if (!parse_parameters(request, &view, &options.rules, &format, answer))
        return;
    int err = target_memory(target, &memory, &fault); /* the same process still? */
    options.top = view.figure == FIGURE_RSS ? view.top : 0;
    if (!err)
        err = snapshot_read(&snapshot, target_pid(target), &options, &fault);
    if (err) {
        answer_error(answer, request, err == -EPERM || err == -EACCES ? 403 : 404, "%s",
                     fault.text);
        return;
    }
    write_page(&snapshot.breakdown, &view, format, answer);
    snapshot_fini(&snapshot);
}
