/* SPDX-License-Identifier: Apache-2.0 */
#include "base/csv_out.h"
#include "cli/history/history_command.h"

static void write_series(struct csv_out *csv, const struct history_service *service,
                         const struct history_series *series)
{
    vec_each (point, &series->points) {
        csv_uint(csv, point->time_ms);
        csv_uint(csv, point->span_ms);
        csv_text(csv, service->name);
        csv_text(csv, service->host);
        csv_uint(csv, service->runs.items[point->run].pid);
        csv_text(csv, history_kind_name(series->kind));
        csv_text(csv, series->name);
        csv_int(csv, point->low);
        csv_int(csv, point->high);
        csv_int(csv, point->last);
        csv_end_row(csv);
    }
}

void history_csv_write(const struct history_question *question,
                       const struct history_content *content, FILE *out)
{
    struct csv_out csv;
    csv_init(&csv, out);
    csv_head(&csv, "time_ms,span_ms,process,host,pid,kind,name,low,high,last");
    vec_each (service, &content->services)
        vec_each (series, &service->series)
            if (history_is_asked(question, series))
                write_series(&csv, service, series);
}
