/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "base/invariant.h"

#include "store/history/history_parts.h"

#define WHAT       "tidy"
#define MINUTE_MS  UINT64_C(60000)
#define HOUR_MS    (60 * MINUTE_MS)
#define DAY_MS     (24 * HOUR_MS)
#define SITES_KEPT "96" /* series of a kind and service: those seen last */
#define CUTS_MAX   16   /* rounds of dropping the oldest until it fits */

const struct history_rung history_ladder[HISTORY_RUNGS] = {
    {0, 2 * HOUR_MS},
    {MINUTE_MS, 2 * DAY_MS},
    {10 * MINUTE_MS, 30 * DAY_MS},
    {2 * HOUR_MS, 730 * DAY_MS},
};

/* A point that several become. */
struct merged {
    int64_t series, time_ms, run, span_ms, low, high, last;
};
struct merging {
    VEC(struct merged) points;
};

static void decode_row(sqlite3_stmt *statement, int64_t step, struct merged *row)
{
    INVARIANT(step > 0);
    row->series = sqlite3_column_int64(statement, 0);
    row->time_ms = sqlite3_column_int64(statement, 1) / step * step;
    row->run = sqlite3_column_int64(statement, 2);
    row->low = sqlite3_column_int64(statement, 3);
    row->high = sqlite3_column_int64(statement, 4);
    row->last = sqlite3_column_int64(statement, 5);
    row->span_ms = step;
}

/* Rows come by series, run and time, so that those of one point follow each other. */
static int collect(struct history *history, int64_t step, int64_t before, struct merging *merging)
{
    static const char sql[] = "SELECT series, time_ms, run, low, high, last FROM point"
                              " WHERE span_ms < ?1 AND time_ms < ?2 ORDER BY series, run, time_ms";
    sqlite3_stmt *statement;
    int code = sqlite3_prepare_v2(history->db, sql, -1, &statement, NULL);
    if (code != SQLITE_OK)
        return code;
    sqlite3_bind_int64(statement, 1, step);
    sqlite3_bind_int64(statement, 2, before);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        struct merged row;
        decode_row(statement, step, &row);
        struct merged *last =
            merging->points.count ? &merging->points.items[merging->points.count - 1] : NULL;
        if (last && last->series == row.series && last->run == row.run &&
            last->time_ms == row.time_ms) {
            last->low = row.low < last->low ? row.low : last->low;
            last->high = row.high > last->high ? row.high : last->high;
            last->last = row.last;
        } else if (!vec_push(&merging->points, row)) {
            code = SQLITE_NOMEM;
            break;
        }
    }
    sqlite3_finalize(statement);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int drop_fine(struct history *history, int64_t step, int64_t before)
{
    sqlite3_stmt *statement;
    int code = sqlite3_prepare_v2(
        history->db, "DELETE FROM point WHERE span_ms < ?1 AND time_ms < ?2", -1, &statement, NULL);
    if (code != SQLITE_OK)
        return code;
    sqlite3_bind_int64(statement, 1, step);
    sqlite3_bind_int64(statement, 2, before);
    code = sqlite3_step(statement);
    sqlite3_finalize(statement);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int put_merged(struct history *history, const struct merging *merging)
{
    static const char sql[] =
        "INSERT INTO point (series, time_ms, run, span_ms, low, high, last)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (series, time_ms, run) DO UPDATE SET"
        " span_ms = max(span_ms, excluded.span_ms), low = min(low, excluded.low),"
        " high = max(high, excluded.high), last = excluded.last";
    sqlite3_stmt *statement;
    int code = sqlite3_prepare_v2(history->db, sql, -1, &statement, NULL);
    if (code != SQLITE_OK)
        return code;
    for (size_t i = 0; i < merging->points.count && code == SQLITE_OK; i++) {
        const struct merged *row = &merging->points.items[i];
        int64_t const values[] = {row->series, row->time_ms, row->run, row->span_ms,
                                  row->low,    row->high,    row->last};
        for (int place = 0; place < 7; place++)
            sqlite3_bind_int64(statement, place + 1, values[place]);
        code = sqlite3_step(statement);
        sqlite3_reset(statement);
        code = code == SQLITE_DONE ? SQLITE_OK : code;
    }
    sqlite3_finalize(statement);
    return code;
}

/* Points older than one rung keeps become those of the next. */
static int merge_rung(struct history *history, unsigned rung, uint64_t now_ms)
{
    INVARIANT(rung + 1 < HISTORY_RUNGS);
    struct merging merging = {0};
    int64_t const step = (int64_t)history_ladder[rung + 1].step_ms;
    int64_t const keep = (int64_t)history_ladder[rung].keep_ms;
    INVARIANT(step > (int64_t)history_ladder[rung].step_ms); /* rungs get coarser */
    int64_t const before = ((int64_t)now_ms - keep) / step * step;
    if (before <= 0)
        return SQLITE_OK;
    int code = collect(history, step, before, &merging);
    if (code == SQLITE_OK && merging.points.count > 0)
        code = drop_fine(history, step, before);
    if (code == SQLITE_OK)
        code = put_merged(history, &merging);
    vec_free(&merging.points);
    return code;
}

static int drop_before(struct history *history, int64_t before, struct fault *fault)
{
    char sql[128];
    sqlite3_snprintf(sizeof(sql), sql, "DELETE FROM point WHERE time_ms < %lld", (long long)before);
    return history_run(history, sql, WHAT, fault);
}

/* Series that were long not among the largest, and what nothing belongs to any more. */
static int drop_stale(struct history *history, struct fault *fault)
{
    return history_run(
        history,
        "DELETE FROM series WHERE id IN (SELECT id FROM (SELECT id, row_number() OVER"
        " (PARTITION BY service, kind ORDER BY last_ms DESC, id DESC) AS place FROM series)"
        " WHERE place > " SITES_KEPT ");"
        "DELETE FROM point WHERE series NOT IN (SELECT id FROM series);"
        "DELETE FROM series WHERE NOT EXISTS (SELECT 1 FROM point WHERE series = series.id);"
        "DELETE FROM run WHERE id NOT IN (SELECT run FROM point);"
        "DELETE FROM service WHERE NOT EXISTS (SELECT 1 FROM run WHERE service = service.id);",
        WHAT, fault);
}

static int64_t number(struct history *history, const char *sql)
{
    sqlite3_stmt *statement;
    int64_t value = 0;
    if (sqlite3_prepare_v2(history->db, sql, -1, &statement, NULL) != SQLITE_OK)
        return 0;
    if (sqlite3_step(statement) == SQLITE_ROW)
        value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

static int64_t used_bytes(struct history *history)
{
    return (number(history, "PRAGMA page_count") - number(history, "PRAGMA freelist_count")) *
           number(history, "PRAGMA page_size");
}

/* The oldest quarter of the time goes until it fits. */
static int fit(struct history *history, int64_t max_bytes, struct fault *fault)
{
    int err = 0;
    for (unsigned cut = 0; cut < CUTS_MAX && !err && used_bytes(history) > max_bytes; cut++) {
        int64_t const first = number(history, "SELECT min(time_ms) FROM point");
        int64_t const last = number(history, "SELECT max(time_ms) FROM point");
        err = drop_before(history, first + (last - first) / 4 + 1, fault);
    }
    return err;
}

int history_tidy(struct history *history, uint64_t now_ms, int64_t max_bytes, struct fault *fault)
{
    int err = history_begin(history, WHAT, fault);
    if (err)
        return err;
    for (unsigned rung = 0; rung + 1 < HISTORY_RUNGS && !err; rung++)
        err = history_fault(history, merge_rung(history, rung, now_ms), WHAT, fault);
    int64_t const oldest = (int64_t)now_ms - (int64_t)history_ladder[HISTORY_RUNGS - 1].keep_ms;
    if (!err)
        err = drop_before(history, oldest, fault);
    if (!err)
        err = fit(history, max_bytes, fault);
    if (!err)
        err = drop_stale(history, fault);
    err = history_end(history, err, WHAT, fault);
    return err ? err : history_run(history, "PRAGMA incremental_vacuum", WHAT, fault);
}
