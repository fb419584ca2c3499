/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/metrics/metrics_book.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_out.h"
#include "cluster/metrics/series.h"

static const char tables[] = "CREATE TABLE IF NOT EXISTS series(id INTEGER PRIMARY KEY, node "
                             "INTEGER NOT NULL REFERENCES node ON DELETE CASCADE, "
                             "name TEXT NOT NULL, labels TEXT NOT NULL, type TEXT, cumulative "
                             "INTEGER, UNIQUE(name, labels, node));"
                             "CREATE TABLE IF NOT EXISTS chunk(series INTEGER NOT NULL REFERENCES "
                             "series ON DELETE CASCADE, points TEXT NOT NULL);"
                             "CREATE INDEX IF NOT EXISTS chunk_of_series ON chunk(series);"
                             "CREATE TABLE IF NOT EXISTS metrics_file(file INTEGER PRIMARY KEY "
                             "REFERENCES file ON DELETE CASCADE);"
                             "CREATE VIEW IF NOT EXISTS metric AS SELECT strftime('%Y-%m-%d "
                             "%H:%M:%f', coalesce((file.begin_us + file.end_us) / 2, "
                             "file.stamp_us) / 1e6, 'unixepoch') AS time, node.name AS node, "
                             "node.role, series.name, series.labels, "
                             "json_extract(point.value, '$[1]') AS value FROM series JOIN node ON "
                             "node.id = series.node JOIN chunk ON chunk.series = "
                             "series.id, json_each(chunk.points) AS point JOIN file ON file.id = "
                             "json_extract(point.value, '$[0]');"
                             "CREATE VIEW IF NOT EXISTS metric_name AS SELECT name, type, count(*) "
                             "AS series FROM series GROUP BY name, type;";

struct updating {
    struct run_book *book;
    const struct series_set *set;
    sqlite3_stmt *find, *put_series, *put_chunk, *put_file;
    char *text; /* a chunk, or labels */
    size_t text_size;
    FILE *out;
};

static bool is_known(struct run_book *book, int64_t file)
{
    sqlite3_stmt *get = NULL;
    bool known = false;
    if (sqlite3_prepare_v2(run_book_db(book), "SELECT 1 FROM metrics_file WHERE file = ?", -1, &get,
                           NULL) == SQLITE_OK) {
        sqlite3_bind_int64(get, 1, file);
        known = sqlite3_step(get) == SQLITE_ROW;
    }
    sqlite3_finalize(get);
    return known;
}

static void begin_text(struct updating *updating)
{
    rewind(updating->out);
}

/* What was written since, for SQLite; valid until the next begin_text. */
static int bind_text(struct updating *updating, sqlite3_stmt *statement, int place)
{
    long const size = ftell(updating->out);
    if (size < 0 || fflush(updating->out) != 0)
        return SQLITE_NOMEM;
    return sqlite3_bind_text(statement, place, updating->text, (int)size, SQLITE_TRANSIENT);
}

static void write_labels(struct updating *updating, const struct exposition_series *series)
{
    struct json_out json;
    json_init(&json, updating->out, false);
    json_object_begin(&json);
    for (uint32_t i = 0; i < series->label_count; i++)
        json_text_field(&json, series->labels[i].name, series->labels[i].value);
    json_object_end(&json);
}

static int64_t series_id(struct updating *updating, const struct series *series)
{
    const char *nick = updating->set->run->nodes.items[series->node].nick;
    sqlite3_stmt *const statements[] = {updating->find, updating->put_series};
    begin_text(updating);
    write_labels(updating, series->is);
    for (int i = 0; i < 2; i++) {
        sqlite3_stmt *statement = statements[i];
        sqlite3_reset(statement);
        sqlite3_bind_text(statement, 1, nick, -1, SQLITE_STATIC);
        sqlite3_bind_text(statement, 2, series->is->name, -1, SQLITE_STATIC);
        if (bind_text(updating, statement, 3) != SQLITE_OK)
            return -1;
        if (i == 1) {
            sqlite3_bind_text(statement, 4, exposition_type_name(series->family->type), -1,
                              SQLITE_STATIC);
            sqlite3_bind_int(statement, 5, series->is_cumulative);
        }
        int const code = sqlite3_step(statement);
        if (i == 0 && code == SQLITE_ROW)
            return sqlite3_column_int64(statement, 0);
        if (i == 1 && code != SQLITE_DONE)
            return -1;
    }
    return sqlite3_last_insert_rowid(run_book_db(updating->book));
}

/* What JSON has no number for is a text. */
static void write_value(struct json_out *json, struct series_point point)
{
    double const value = series_value(point);
    char text[40];
    if (point.is_whole && point.whole <= INT64_MAX)
        json_uint(json, point.whole);
    else if (isfinite(value))
        json_raw(json, text, (size_t)snprintf(text, sizeof(text), "%.17g", value));
    else
        json_text(json, isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf");
}

static void write_point(struct json_out *json, const struct updating *updating,
                        struct series_point point)
{
    const struct run_file *file = updating->set->scrapes.items[point.scrape].file;
    json_array_begin(json);
    json_int(json, run_book_file(updating->book, file));
    write_value(json, point);
    json_array_end(json);
}

/* The points of files that are not in the book yet. */
static int add_points(struct updating *updating, const struct series *series, const bool *is_new)
{
    struct json_out json;
    int64_t id = 0;
    vec_each (point, &series->points) {
        if (!is_new[point->scrape])
            continue;
        if (!id) {
            id = series_id(updating, series);
            if (id < 0)
                return -EIO;
            begin_text(updating);
            json_init(&json, updating->out, false);
            json_array_begin(&json);
        }
        write_point(&json, updating, *point);
    }
    if (!id)
        return 0;
    json_array_end(&json);
    sqlite3_reset(updating->put_chunk);
    sqlite3_bind_int64(updating->put_chunk, 1, id);
    if (bind_text(updating, updating->put_chunk, 2) != SQLITE_OK)
        return -ENOMEM;
    return sqlite3_step(updating->put_chunk) == SQLITE_DONE ? 0 : -EIO;
}

static int add_all(struct updating *updating, const bool *is_new, uint64_t *added)
{
    int err = 0;
    for (size_t i = 0; !err && i < updating->set->series.count; i++)
        err = add_points(updating, &updating->set->series.items[i], is_new);
    for (size_t i = 0; !err && i < updating->set->scrapes.count; i++) {
        if (!is_new[i])
            continue;
        sqlite3_reset(updating->put_file);
        sqlite3_bind_int64(updating->put_file, 1,
                           run_book_file(updating->book, updating->set->scrapes.items[i].file));
        err = sqlite3_step(updating->put_file) == SQLITE_DONE ? 0 : -EIO;
        ++*added;
    }
    return err;
}

static int prepare(struct updating *updating)
{
    sqlite3 *db = run_book_db(updating->book);
    const struct {
        const char *sql;
        sqlite3_stmt **statement;
    } all[] = {
        {"SELECT series.id FROM series JOIN node ON node.id = series.node WHERE node.nick = ? AND "
         "series.name = ? AND series.labels = ?",
         &updating->find},
        {"INSERT INTO series(node, name, labels, type, cumulative) SELECT id, ?2, ?3, ?4, ?5 FROM "
         "node WHERE nick = ?1",
         &updating->put_series},
        {"INSERT INTO chunk(series, points) VALUES(?, ?)", &updating->put_chunk},
        {"INSERT OR IGNORE INTO metrics_file(file) VALUES(?)", &updating->put_file}};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (sqlite3_prepare_v2(db, all[i].sql, -1, all[i].statement, NULL) != SQLITE_OK)
            return -EIO;
    updating->out = open_memstream(&updating->text, &updating->text_size);
    return updating->out ? 0 : -ENOMEM;
}

static void updating_fini(struct updating *updating)
{
    sqlite3_finalize(updating->find);
    sqlite3_finalize(updating->put_series);
    sqlite3_finalize(updating->put_chunk);
    sqlite3_finalize(updating->put_file);
    if (updating->out)
        fclose(updating->out);
    free(updating->text);
}

static int update(struct run_book *book, const struct series_set *set, uint64_t *added,
                  struct fault *fault)
{
    struct updating updating = {.book = book, .set = set};
    bool *is_new = calloc(set->scrapes.count + 1, sizeof(*is_new));
    int err = is_new ? run_book_begin(book, fault) : fault_set(fault, -ENOMEM, "out of memory");
    if (err) {
        free(is_new);
        return err;
    }
    for (size_t i = 0; i < set->scrapes.count; i++) {
        int64_t const id = run_book_file(book, set->scrapes.items[i].file);
        is_new[i] = id > 0 && !is_known(book, id);
    }
    err = prepare(&updating);
    if (!err)
        err = add_all(&updating, is_new, added);
    if (err)
        fault_set(fault, err, "cannot write the metrics into run.db: %s",
                  sqlite3_errmsg(run_book_db(book)));
    updating_fini(&updating);
    free(is_new);
    if (!err)
        return run_book_commit(book, fault);
    sqlite3_exec(run_book_db(book), "ROLLBACK", NULL, NULL, NULL);
    return err;
}

int metrics_book_update(struct run_book *book, const struct run *run, uint64_t *added,
                        struct fault *fault)
{
    struct series_set set;
    *added = 0;
    if (run_book_is_read_only(book))
        return fault_set(fault, -EROFS, "%s/run.db cannot be written", run->path);
    int err = run_book_table(book, tables, fault);
    if (err)
        return err;
    err = series_read(&set, run, NULL, NULL, fault);
    if (err)
        return err;
    err = update(book, &set, added, fault);
    series_fini(&set);
    return err;
}
