/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <time.h>

#include "store/history/history_parts.h"

#define WHAT       "add to"
#define TIDY_EVERY 64u

/* Steps a statement that returns one id; -1 with *code set when it fails. */
static int64_t read_id(sqlite3_stmt *statement, int *code)
{
    int64_t id = -1;
    *code = sqlite3_step(statement);
    if (*code == SQLITE_ROW) {
        id = sqlite3_column_int64(statement, 0);
        *code = sqlite3_step(statement);
    }
    if (*code == SQLITE_DONE)
        *code = SQLITE_OK;
    sqlite3_reset(statement);
    return id;
}

static void bind_text(sqlite3_stmt *statement, int place, const char *text)
{
    sqlite3_bind_text(statement, place, text ? text : "", -1, SQLITE_STATIC);
}

static int64_t service_of(struct history *history, const struct history_snapshot *snapshot,
                          int *code)
{
    static const char sql[] = "INSERT INTO service (name, host) VALUES (?1, ?2)"
                              " ON CONFLICT (name, host) DO UPDATE SET name = name RETURNING id";
    sqlite3_stmt *statement;
    *code = sqlite3_prepare_v2(history->db, sql, -1, &statement, NULL);
    if (*code != SQLITE_OK)
        return -1;
    bind_text(statement, 1, snapshot->service);
    bind_text(statement, 2, snapshot->host);
    int64_t const id = read_id(statement, code);
    sqlite3_finalize(statement);
    return id;
}

static int64_t run_of(struct history *history, int64_t service,
                      const struct history_snapshot *snapshot, int *code)
{
    static const char sql[] =
        "INSERT INTO run (service, pid, begin_ms, last_ms, program, source, limit_bytes, snapshots)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 1) ON CONFLICT (service, begin_ms, pid) DO UPDATE SET"
        " last_ms = max(last_ms, excluded.last_ms), snapshots = snapshots + 1,"
        " limit_bytes = excluded.limit_bytes RETURNING id";
    sqlite3_stmt *statement;
    *code = sqlite3_prepare_v2(history->db, sql, -1, &statement, NULL);
    if (*code != SQLITE_OK)
        return -1;
    sqlite3_bind_int64(statement, 1, service);
    sqlite3_bind_int64(statement, 2, snapshot->pid);
    sqlite3_bind_int64(statement, 3, (int64_t)snapshot->begin_ms);
    sqlite3_bind_int64(statement, 4, (int64_t)snapshot->time_ms);
    bind_text(statement, 5, snapshot->program);
    bind_text(statement, 6, snapshot->source);
    sqlite3_bind_int64(statement, 7, snapshot->limit_bytes);
    int64_t const id = read_id(statement, code);
    sqlite3_finalize(statement);
    return id;
}

struct history_place {
    sqlite3_stmt *series, *point;
    int64_t service, run;
    uint64_t time_ms;
};

static int add_value(const struct history_place *place, const struct history_value *value)
{
    int code;
    sqlite3_bind_int64(place->series, 1, place->service);
    sqlite3_bind_int64(place->series, 2, value->kind);
    bind_text(place->series, 3, value->name);
    sqlite3_bind_int64(place->series, 4, (int64_t)place->time_ms);
    int64_t const series = read_id(place->series, &code);
    if (code != SQLITE_OK)
        return code;
    sqlite3_bind_int64(place->point, 1, series);
    sqlite3_bind_int64(place->point, 2, (int64_t)place->time_ms);
    sqlite3_bind_int64(place->point, 3, place->run);
    sqlite3_bind_int64(place->point, 4, value->value);
    code = sqlite3_step(place->point);
    sqlite3_reset(place->point);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int add_values(struct history *history, struct history_place *place,
                      const struct history_snapshot *snapshot)
{
    static const char series[] =
        "INSERT INTO series (service, kind, name, last_ms) VALUES (?1, ?2, ?3, ?4)"
        " ON CONFLICT (service, kind, name) DO UPDATE SET last_ms = max(last_ms, excluded.last_ms)"
        " RETURNING id";
    static const char point[] =
        "INSERT INTO point (series, time_ms, run, span_ms, low, high, last)"
        " VALUES (?1, ?2, ?3, 0, ?4, ?4, ?4) ON CONFLICT (series, time_ms, run) DO UPDATE SET"
        " low = min(low, excluded.low), high = max(high, excluded.high), last = excluded.last";
    int code = sqlite3_prepare_v2(history->db, series, -1, &place->series, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_prepare_v2(history->db, point, -1, &place->point, NULL);
    for (size_t i = 0; i < snapshot->count && code == SQLITE_OK; i++)
        code = add_value(place, &snapshot->values[i]);
    sqlite3_finalize(place->series);
    sqlite3_finalize(place->point);
    return code;
}

int history_add(struct history *history, const struct history_snapshot *snapshot,
                struct fault *fault)
{
    int code = SQLITE_OK;
    struct history_place place = {.time_ms = snapshot->time_ms};
    int err = history_begin(history, WHAT, fault);
    if (err)
        return err;
    place.service = service_of(history, snapshot, &code);
    if (code == SQLITE_OK)
        place.run = run_of(history, place.service, snapshot, &code);
    if (code == SQLITE_OK)
        code = add_values(history, &place, snapshot);
    err = history_fault(history, code, WHAT, fault);
    err = history_end(history, err, WHAT, fault);
    if (!err && ++history->added % TIDY_EVERY == 1)
        err = history_tidy(history, snapshot->time_ms, HISTORY_BYTES_MAX, fault);
    return err;
}
