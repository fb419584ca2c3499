/* SPDX-License-Identifier: Apache-2.0 */
/* history_guard.c - what a file made by a stranger cannot do: have other parts than ours, or keep
 * us busy for longer than its size explains. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "store/history/history_parts.h"

/* As they are made, and as they stand in the file. */
#define SERVICE                                                                                    \
    "service (id INTEGER PRIMARY KEY, name TEXT NOT NULL,"                                         \
    " host TEXT NOT NULL, UNIQUE (name, host))"
#define RUN                                                                                        \
    "run (id INTEGER PRIMARY KEY, service INTEGER NOT NULL,"                                       \
    " pid INTEGER NOT NULL, begin_ms INTEGER NOT NULL, last_ms INTEGER NOT NULL,"                  \
    " program TEXT NOT NULL, source TEXT NOT NULL, limit_bytes INTEGER NOT NULL,"                  \
    " snapshots INTEGER NOT NULL, UNIQUE (service, begin_ms, pid))"
#define SERIES                                                                                     \
    "series (id INTEGER PRIMARY KEY, service INTEGER NOT NULL,"                                    \
    " kind INTEGER NOT NULL, name TEXT NOT NULL, last_ms INTEGER NOT NULL,"                        \
    " UNIQUE (service, kind, name))"
#define POINT                                                                                      \
    "point (series INTEGER NOT NULL, time_ms INTEGER NOT NULL,"                                    \
    " run INTEGER NOT NULL, span_ms INTEGER NOT NULL, low INTEGER NOT NULL,"                       \
    " high INTEGER NOT NULL, last INTEGER NOT NULL,"                                               \
    " PRIMARY KEY (series, time_ms, run)) WITHOUT ROWID"

#define APPLICATION_ID 0x6d656d6f /* "memo" */
_Static_assert(APPLICATION_ID == 1835363695 && HISTORY_VERSION == 1, "the numbers below");

const char history_schema[] = "PRAGMA auto_vacuum = INCREMENTAL;"
                              "BEGIN IMMEDIATE;"
                              "PRAGMA application_id = 1835363695;"
                              "CREATE TABLE IF NOT EXISTS " SERVICE ";"
                              "CREATE TABLE IF NOT EXISTS " RUN ";"
                              "CREATE TABLE IF NOT EXISTS " SERIES ";"
                              "CREATE TABLE IF NOT EXISTS " POINT ";"
                              "PRAGMA user_version = 1;"
                              "COMMIT;";

static const char *const parts[] = {"CREATE TABLE " SERVICE, "CREATE TABLE " RUN,
                                    "CREATE TABLE " SERIES, "CREATE TABLE " POINT};
#define PARTS (sizeof(parts) / sizeof(parts[0]))

#define STEPS_AT_ONCE  100000
#define STEPS_FREE     (UINT64_C(1) << 24) /* a file of any size may take so many */
#define STEPS_PER_BYTE 64u                 /* the least that a point takes is some 20 bytes */

/* Pages that lead to each other many times over are as good as an endless table. */
static int count_steps(void *context)
{
    struct history *history = context;
    history->steps += STEPS_AT_ONCE;
    return history->steps > history->steps_max;
}

static uint64_t size_of(const char *path, const char *ending)
{
    char name[PATH_MAX + 8];
    struct stat about;
    snprintf(name, sizeof(name), "%s%s", path, ending);
    return stat(name, &about) == 0 && S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0;
}

void history_guard_begin(struct history *history)
{
    history->steps = 0;
    history->steps_max =
        STEPS_FREE + STEPS_PER_BYTE * (size_of(history->path, "") + size_of(history->path, "-wal"));
}

void history_guard(struct history *history)
{
    static const struct {
        int id, value;
    } limits[] = {
        {SQLITE_LIMIT_LENGTH, 1 << 20},
        {SQLITE_LIMIT_SQL_LENGTH, 1 << 16},
        {SQLITE_LIMIT_COLUMN, 32},
        {SQLITE_LIMIT_EXPR_DEPTH, 64},
        {SQLITE_LIMIT_COMPOUND_SELECT, 8},
        {SQLITE_LIMIT_ATTACHED, 0},
        {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 0},
        {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
        {SQLITE_LIMIT_WORKER_THREADS, 0},
    };
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
        sqlite3_limit(history->db, limits[i].id, limits[i].value);
    sqlite3_db_config(history->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(history->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(history->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(history->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    history_guard_begin(history);
    sqlite3_progress_handler(history->db, STEPS_AT_ONCE, count_steps, history);
    sqlite3_exec(history->db, "PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = 1", NULL, NULL,
                 NULL);
}

/* The number a pragma answers. */
static int ask(struct history *history, const char *pragma, int64_t *number)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(history->db, pragma, -1, &statement, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        *number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return code == SQLITE_ROW ? SQLITE_OK : code;
}

static bool is_part(const char *sql)
{
    for (size_t i = 0; i < PARTS; i++) {
        if (strcmp(sql, parts[i]) == 0)
            return true;
    }
    return false;
}

/* How many parts the file has, and whether one of them is not ours: whatever SQLite makes of a file
 * it makes of these texts. */
static int count_parts(struct history *history, unsigned *count, bool *has_others)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(
        history->db, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL", -1, &statement, NULL);
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(statement);
        const char *sql =
            code == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
        *count += code == SQLITE_ROW;
        *has_others |= code == SQLITE_ROW && (!sql || !is_part(sql));
    }
    sqlite3_finalize(statement);
    return code;
}

struct facts {
    int64_t application, version;
    unsigned parts;
    bool has_others;
};

static int judge(struct history *history, const struct facts *facts, struct fault *fault)
{
    if (facts->parts == 0 && (facts->application == 0 || facts->application == APPLICATION_ID))
        return 1;
    if (facts->application != APPLICATION_ID)
        return fault_set(fault, -EINVAL,
                         "%s is not a history: it is a database of another program; choose another "
                         "file",
                         history->path);
    if (facts->version > HISTORY_VERSION)
        return fault_set(fault, -EINVAL,
                         "the history %s was made by a newer memoir (version %lld, this one knows "
                         "%d); use that one",
                         history->path, (long long)facts->version, HISTORY_VERSION);
    if (facts->has_others || facts->parts != PARTS)
        return fault_set(fault, -EBADMSG,
                         "%s is not a history as memoir makes it: it has other tables, views or "
                         "indexes; choose another file",
                         history->path);
    return 0;
}

int history_check(struct history *history, struct fault *fault)
{
    struct facts facts = {0};
    history_guard_begin(history);
    /* One look: somebody may be making it just now. */
    int code = sqlite3_exec(history->db, "BEGIN", NULL, NULL, NULL);
    if (code == SQLITE_OK)
        code = count_parts(history, &facts.parts, &facts.has_others);
    if (code == SQLITE_DONE)
        code = ask(history, "PRAGMA application_id", &facts.application);
    if (code == SQLITE_OK)
        code = ask(history, "PRAGMA user_version", &facts.version);
    int const err = history_fault(history, code, "read", fault); /* before the words are gone */
    sqlite3_exec(history->db, "ROLLBACK", NULL, NULL, NULL);
    return err ? err : judge(history, &facts, fault);
}
