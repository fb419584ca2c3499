/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/history/history_parts.h"

#define WHAT           "read"
#define VALUE_MAX      (1ll << 60)
#define TIME_MAX_MS    4102444800000ll /* 2100 */
#define NAME_MAX_BYTES 4096            /* of a text in the file: more is cut */

static char *copy_text(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return strndup(text ? text : "", NAME_MAX_BYTES);
}

struct history_reading {
    struct history *history;
    struct history_content *content;
    const char *service; /* NULL: all */
    uint64_t since_ms;
    /* what is being filled */
    struct history_service *into;
    struct history_series *series;
    struct fault *fault;
};

/* Calls `handle` with each row; a negative answer ends it. */
static int each_row(struct history_reading *reading, const char *sql,
                    int (*handle)(struct history_reading *reading, sqlite3_stmt *statement),
                    int64_t id)
{
    sqlite3_stmt *statement;
    int err = 0;
    int code = sqlite3_prepare_v2(reading->history->db, sql, -1, &statement, NULL);
    if (code != SQLITE_OK)
        return history_fault(reading->history, code, WHAT, reading->fault);
    sqlite3_bind_int64(statement, 1, id);
    sqlite3_bind_int64(statement, 2, (int64_t)reading->since_ms);
    while (err == 0 && (code = sqlite3_step(statement)) == SQLITE_ROW)
        err = handle(reading, statement);
    sqlite3_finalize(statement);
    if (err == -ENOMEM)
        return fault_set(reading->fault, err, "out of memory while reading the history %s",
                         reading->history->path);
    if (err < 0)
        return err; /* it has its sentence */
    return code == SQLITE_ROW ? 0 : history_fault(reading->history, code, WHAT, reading->fault);
}

/* No memory is below nothing or above 2^60: what a damaged file says must not overflow what is
 * made of it. */
static int64_t value_at(sqlite3_stmt *statement, int column)
{
    int64_t const value = sqlite3_column_int64(statement, column);
    return value < 0 ? 0 : value > VALUE_MAX ? VALUE_MAX : value;
}

static uint64_t time_at(sqlite3_stmt *statement, int column)
{
    int64_t const time_ms = value_at(statement, column);
    return (uint64_t)(time_ms < TIME_MAX_MS ? time_ms : TIME_MAX_MS);
}

static int add_run(struct history_reading *reading, sqlite3_stmt *statement)
{
    struct history_run const run = {.id = sqlite3_column_int64(statement, 0),
                                    .pid = (uint32_t)sqlite3_column_int64(statement, 1),
                                    .begin_ms = time_at(statement, 2),
                                    .last_ms = time_at(statement, 3),
                                    .program = copy_text(statement, 4),
                                    .source = copy_text(statement, 5),
                                    .limit_bytes = value_at(statement, 6),
                                    .snapshots = (uint64_t)value_at(statement, 7)};
    if (run.program && run.source && vec_push(&reading->into->runs, run))
        return 0;
    free(run.program);
    free(run.source);
    return -ENOMEM;
}

static uint32_t run_index(const struct history_service *service, int64_t id)
{
    for (uint32_t i = 0; i < service->runs.count; i++)
        if (service->runs.items[i].id == id)
            return i;
    return 0;
}

static int add_point(struct history_reading *reading, sqlite3_stmt *statement)
{
    int64_t const run = sqlite3_column_int64(statement, 5);
    const struct history_service *service = reading->into;
    struct history_series *series = reading->series;
    if (service->runs.count == 0)
        return 0; /* damaged: points of no run */
    size_t const count = series->points.count;
    uint32_t const before = count ? series->points.items[count - 1].run : 0;
    bool const same = service->runs.items[before].id == run;
    struct history_point const point = {.time_ms = time_at(statement, 0),
                                        .span_ms = time_at(statement, 1),
                                        .low = value_at(statement, 2),
                                        .high = value_at(statement, 3),
                                        .last = value_at(statement, 4),
                                        .run = same ? before : run_index(service, run)};
    return vec_push(&series->points, point) ? 0 : -ENOMEM;
}

static int add_series(struct history_reading *reading, sqlite3_stmt *statement)
{
    static const char sql[] = "SELECT time_ms, span_ms, low, high, last, run FROM point"
                              " WHERE series = ?1 AND time_ms >= ?2 ORDER BY time_ms";
    struct history_series const series = {.kind =
                                              (enum history_kind)sqlite3_column_int(statement, 1),
                                          .name = copy_text(statement, 2)};
    if (!series.name || !vec_push(&reading->into->series, series)) {
        free(series.name);
        return -ENOMEM;
    }
    reading->series = &reading->into->series.items[reading->into->series.count - 1];
    int const err = each_row(reading, sql, add_point, sqlite3_column_int64(statement, 0));
    return err < 0 ? err : 0;
}

static int add_service(struct history_reading *reading, sqlite3_stmt *statement)
{
    static const char runs[] =
        "SELECT id, pid, begin_ms, last_ms, program, source, limit_bytes, snapshots FROM run"
        " WHERE service = ?1 AND last_ms >= ?2 ORDER BY begin_ms";
    static const char series[] = "SELECT id, kind, name FROM series"
                                 " WHERE service = ?1 AND last_ms >= ?2 ORDER BY kind, name";
    struct history_service const service = {.name = copy_text(statement, 1),
                                            .host = copy_text(statement, 2)};
    if (!service.name || !service.host || !vec_push(&reading->content->services, service)) {
        free(service.name);
        free(service.host);
        return -ENOMEM;
    }
    reading->into = &reading->content->services.items[reading->content->services.count - 1];
    if (reading->service && strcmp(reading->service, service.name) != 0)
        return 0; /* by name only: who asks for another one can be told of it */
    int64_t const id = sqlite3_column_int64(statement, 0);
    int err = each_row(reading, runs, add_run, id);
    if (!err)
        err = each_row(reading, series, add_series, id);
    return err;
}

int history_read(struct history *history, const char *service, uint64_t since_ms,
                 struct history_content *content, struct fault *fault)
{
    struct history_reading reading = {.history = history,
                                      .content = content,
                                      .service = service,
                                      .since_ms = since_ms,
                                      .fault = fault};
    *content = (struct history_content){0};
    history_guard_begin(history);
    int err =
        history_run(history, "BEGIN", WHAT, fault); /* one picture, whoever writes meanwhile */
    if (!err)
        err = each_row(&reading, "SELECT id, name, host FROM service ORDER BY name, host",
                       add_service, 0);
    sqlite3_exec(history->db, "ROLLBACK", NULL, NULL, NULL);
    return err;
}

void history_content_fini(struct history_content *content)
{
    vec_each (service, &content->services) {
        vec_each (run, &service->runs) {
            free(run->program);
            free(run->source);
        }
        vec_each (series, &service->series) {
            free(series->name);
            vec_free(&series->points);
        }
        vec_free(&service->runs);
        vec_free(&service->series);
        free(service->name);
        free(service->host);
    }
    vec_free(&content->services);
}
