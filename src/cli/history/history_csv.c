/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "cli/history/history_command.h"
#include "report/rows/csv_field.h"

static void write_series(const struct history_service *service, const struct history_series *series,
                         FILE *out)
{
    vec_each (point, &series->points) {
        fprintf(out, "%" PRIu64 ",%" PRIu64 ",", point->time_ms, point->span_ms);
        csv_field_write(out, service->name);
        putc(',', out);
        csv_field_write(out, service->host);
        fprintf(out, ",%u,%s,", service->runs.items[point->run].pid,
                history_kind_name(series->kind));
        csv_field_write(out, series->name);
        fprintf(out, ",%" PRId64 ",%" PRId64 ",%" PRId64 "\n", point->low, point->high,
                point->last);
    }
}

void history_csv_write(const struct history_question *question,
                       const struct history_content *content, FILE *out)
{
    fputs("time_ms,span_ms,process,host,pid,kind,name,low,high,last\n", out);
    vec_each (service, &content->services)
        vec_each (series, &service->series)
            if (history_is_asked(question, series))
                write_series(service, series, out);
}
