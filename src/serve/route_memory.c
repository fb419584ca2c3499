/* SPDX-License-Identifier: Apache-2.0 */
/* route_memory.c - `memoir map` over HTTP. */
#include <errno.h>
#include <string.h>

#include "anatomy/snapshot.h"
#include "formats/breakdown_pprof.h"
#include "report/breakdown_parts.h"
#include "report/breakdown_report.h"
#include "serve/request_text.h"
#include "serve/routes.h"

#define TOP_MOST 100000

enum page_format { PAGE_TEXT, PAGE_JSON, PAGE_CSV, PAGE_PPROF };

/* false with an answer when a parameter makes no sense. */
static bool take_parameters(const struct request *request, struct breakdown_view *view,
                            enum page_format *format, struct answer *answer)
{
    const char *top = request_parameter(request, "top");
    const char *named = request_parameter(request, "format");
    uint64_t number = BREAKDOWN_TOP;
    *format = request->wants_json ? PAGE_JSON : PAGE_TEXT;
    if (top && number_parse(top, 1, TOP_MOST, &number) < 0) {
        answer_error(answer, request, 400, "top is a whole number from 1 to %d.", TOP_MOST);
        return false;
    }
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
    *view = (struct breakdown_view){.top = (unsigned)number,
                                    .without_addresses = !request->may_see_addresses};
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
    struct snapshot snapshot;
    struct fault fault = {.text = ""};
    enum page_format format = PAGE_TEXT;
    if (!take_parameters(request, &view, &format, answer))
        return;
    int err = target_memory(target, &memory, &fault); /* the same process still? */
    if (!err)
        err = snapshot_take(&snapshot, target_pid(target),
                            &(struct snapshot_options){.top = view.top}, &fault);
    if (err) {
        answer_error(answer, request, err == -EPERM || err == -EACCES ? 403 : 404, "%s",
                     fault.text);
        return;
    }
    write_page(&snapshot.breakdown, &view, format, answer);
    snapshot_fini(&snapshot);
}
