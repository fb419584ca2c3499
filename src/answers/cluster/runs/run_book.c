/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/runs/run_book.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BOOK_VERSION     1
#define BOOK_APPLICATION 0x6d656d72 /* "memr" */
#define PATIENCE_MS      5000

struct run_book {
    sqlite3 *db;
    const struct run *run;
    VEC(int64_t) ids; /* by file of the run */
    bool is_read_only;
};

static const char tables[] =
    "CREATE TABLE IF NOT EXISTS node(id INTEGER PRIMARY KEY, nick TEXT UNIQUE NOT NULL, name TEXT, "
    "role TEXT, class TEXT);"
    "CREATE TABLE IF NOT EXISTS file(id INTEGER PRIMARY KEY AUTOINCREMENT, node INTEGER NOT NULL "
    "REFERENCES node ON DELETE "
    "CASCADE, kind TEXT NOT NULL, stamp_us INTEGER NOT NULL, begin_us INTEGER, end_us INTEGER, "
    "bytes INTEGER NOT NULL, name "
    "TEXT UNIQUE NOT NULL);"
    "CREATE INDEX IF NOT EXISTS file_of_node ON file(node, kind, stamp_us);"
    "CREATE VIEW IF NOT EXISTS capture AS SELECT node.name AS node, node.role, file.kind, "
    "strftime('%Y-%m-%d %H:%M:%f', "
    "file.stamp_us / 1e6, 'unixepoch') AS time, file.bytes, file.name AS file FROM file JOIN node "
    "ON node.id = file.node;";

static int book_fault(const struct run_book *book, const char *what, struct fault *fault)
{
    int const code = sqlite3_errcode(book->db) & 0xff;
    int const err = code == SQLITE_NOMEM                              ? -ENOMEM
                    : code == SQLITE_BUSY || code == SQLITE_LOCKED    ? -EBUSY
                    : code == SQLITE_READONLY || code == SQLITE_PERM  ? -EROFS
                    : code == SQLITE_CORRUPT || code == SQLITE_NOTADB ? -EBADMSG
                                                                      : -EIO;
    return fault_set(fault, err, "cannot %s %s/run.db: %s", what, book->run->path,
                     sqlite3_errmsg(book->db));
}

static int execute(struct run_book *book, const char *sql, const char *what, struct fault *fault)
{
    if (sqlite3_exec(book->db, sql, NULL, NULL, NULL) == SQLITE_OK)
        return 0;
    int const err = book_fault(book, what, fault);
    if (!sqlite3_get_autocommit(book->db))
        sqlite3_exec(book->db, "ROLLBACK", NULL, NULL, NULL);
    return err;
}

static int64_t read_number(struct run_book *book, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    int64_t number = -1;
    if (sqlite3_prepare_v2(book->db, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement); /* whose failure stays the error of the connection */
    return number;
}

/* Whether the file is a book of this version; -1: it cannot be read as one. */
static int is_ours(struct run_book *book)
{
    int64_t const application = read_number(book, "PRAGMA application_id");
    if (application < 0)
        return -1;
    return application == BOOK_APPLICATION &&
           read_number(book, "PRAGMA user_version") == BOOK_VERSION &&
           read_number(book, "SELECT count(*) FROM sqlite_schema WHERE name IN ('node', 'file')") ==
               2;
}

static int make_tables(struct run_book *book, struct fault *fault)
{
    char sql[2048];
    snprintf(sql, sizeof(sql),
             "BEGIN IMMEDIATE; %s PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT",
             tables, BOOK_APPLICATION, BOOK_VERSION);
    return execute(book, sql, "make", fault);
}

static int enter_nodes(struct run_book *book)
{
    sqlite3_stmt *put = NULL;
    int code = sqlite3_prepare_v2(
        book->db,
        "INSERT INTO node(nick, name, role, class) VALUES(?, ?, ?, ?) ON CONFLICT(nick) DO UPDATE "
        "SET name = excluded.name, role = excluded.role, class = excluded.class WHERE name IS NOT "
        "excluded.name OR role IS NOT excluded.role OR class IS NOT excluded.class",
        -1, &put, NULL);
    for (size_t i = 0; code == SQLITE_OK && i < book->run->nodes.count; i++) {
        const struct run_node *node = &book->run->nodes.items[i];
        const char *const texts[] = {node->nick, node->name, node->role, node->class_name};
        for (int at = 0; at < 4; at++)
            sqlite3_bind_text(put, at + 1, texts[at], -1, SQLITE_STATIC);
        code = sqlite3_step(put) == SQLITE_DONE ? sqlite3_reset(put) : SQLITE_ERROR;
    }
    sqlite3_finalize(put);
    return code == SQLITE_OK ? 0 : -EIO;
}

static int by_name(const void *left, const void *right)
{
    const struct run_file *const *a = left, *const *b = right;
    return strcmp((*a)->name, (*b)->name);
}

struct file_list {
    const struct run *run;
    VEC(const struct run_file *) by_name;
};

static int list_files(struct file_list *list)
{
    vec_each (file, &list->run->files)
        if (!vec_push(&list->by_name, file))
            return -ENOMEM;
    if (list->by_name.count)
        qsort(list->by_name.items, list->by_name.count, sizeof(list->by_name.items[0]), by_name);
    return 0;
}

static const struct run_file *find_file(const struct file_list *list, const char *name)
{
    struct run_file const wanted = {.name = (char *)name};
    const struct run_file *key = &wanted;
    const struct run_file **found = list->by_name.count
                                        ? bsearch(&key, list->by_name.items, list->by_name.count,
                                                  sizeof(list->by_name.items[0]), by_name)
                                        : NULL;
    return found ? *found : NULL;
}

/* The ids of the files that are in the book as they are; those that are gone or have changed are
 * counted. */
static int find_ids(struct run_book *book, const struct file_list *list, uint64_t *stale)
{
    sqlite3_stmt *get = NULL;
    *stale = 0;
    memset(book->ids.items, 0, book->ids.count * sizeof(book->ids.items[0]));
    int code = sqlite3_prepare_v2(book->db, "SELECT id, name, bytes FROM file", -1, &get, NULL);
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(get);
        if (code != SQLITE_ROW)
            break;
        const struct run_file *file = find_file(list, (const char *)sqlite3_column_text(get, 1));
        if (file && (uint64_t)sqlite3_column_int64(get, 2) == file->bytes)
            book->ids.items[file - book->run->files.items] = sqlite3_column_int64(get, 0);
        else
            ++*stale;
    }
    sqlite3_finalize(get);
    return code == SQLITE_DONE ? 0 : -EIO;
}

/* Takes out what is no longer there as it was. */
static int drop_stale(struct run_book *book, const struct file_list *list)
{
    sqlite3_stmt *get = NULL, *drop = NULL;
    VEC(int64_t) stale = {0};
    int code = sqlite3_prepare_v2(book->db, "SELECT id, name, bytes FROM file", -1, &get, NULL);
    while ((code == SQLITE_OK || code == SQLITE_ROW) && (code = sqlite3_step(get)) == SQLITE_ROW) {
        const struct run_file *file = find_file(list, (const char *)sqlite3_column_text(get, 1));
        if (!(file && (uint64_t)sqlite3_column_int64(get, 2) == file->bytes) &&
            !vec_push(&stale, sqlite3_column_int64(get, 0)))
            code = SQLITE_NOMEM;
    }
    sqlite3_finalize(get);
    if (code == SQLITE_DONE)
        code = sqlite3_prepare_v2(book->db, "DELETE FROM file WHERE id = ?", -1, &drop, NULL);
    for (size_t i = 0; code == SQLITE_OK && i < stale.count; i++) {
        sqlite3_bind_int64(drop, 1, stale.items[i]);
        code = sqlite3_step(drop) == SQLITE_DONE ? sqlite3_reset(drop) : SQLITE_ERROR;
    }
    sqlite3_finalize(drop);
    vec_free(&stale);
    return code == SQLITE_OK ? 0 : -EIO;
}

static int enter_files(struct run_book *book)
{
    sqlite3_stmt *put = NULL;
    int code = sqlite3_prepare_v2(
        book->db,
        "INSERT INTO file(node, kind, stamp_us, begin_us, end_us, bytes, name) SELECT id, ?2, ?3, "
        "nullif(?4, 0), nullif(?5, 0), ?6, ?7 FROM node WHERE nick = ?1",
        -1, &put, NULL);
    for (size_t i = 0; code == SQLITE_OK && i < book->run->files.count; i++) {
        const struct run_file *file = &book->run->files.items[i];
        if (book->ids.items[i])
            continue;
        sqlite3_bind_text(put, 1, book->run->nodes.items[file->node].nick, -1, SQLITE_STATIC);
        sqlite3_bind_text(put, 2, run_kind_suffix(file->kind), -1, SQLITE_STATIC);
        sqlite3_bind_int64(put, 3, file->stamp_us);
        sqlite3_bind_int64(put, 4, file->begin_us);
        sqlite3_bind_int64(put, 5, file->end_us);
        sqlite3_bind_int64(put, 6, (int64_t)file->bytes);
        sqlite3_bind_text(put, 7, file->name, -1, SQLITE_STATIC);
        code = sqlite3_step(put) == SQLITE_DONE ? sqlite3_reset(put) : SQLITE_ERROR;
        book->ids.items[i] = sqlite3_last_insert_rowid(book->db);
    }
    sqlite3_finalize(put);
    return code == SQLITE_OK ? 0 : -EIO;
}

/* Brings nodes and files up to date, if they are not. */
static int bring_up_to_date(struct run_book *book, const struct file_list *list,
                            struct fault *fault)
{
    uint64_t stale, missing = 0;
    if (find_ids(book, list, &stale) < 0)
        return book_fault(book, "read", fault);
    vec_each (id, &book->ids)
        missing += *id == 0;
    if (book->is_read_only || (stale == 0 && missing == 0))
        return 0;
    int err = run_book_begin(book, fault);
    if (err)
        return err;
    if (drop_stale(book, list) < 0 || find_ids(book, list, &stale) < 0 || enter_nodes(book) < 0 ||
        enter_files(book) < 0) {
        err = book_fault(book, "write", fault);
        sqlite3_exec(book->db, "ROLLBACK", NULL, NULL, NULL);
        return err;
    }
    return run_book_commit(book, fault);
}

static int open_db(struct run_book *book, const char *path, struct fault *fault)
{
    int code = SQLITE_CANTOPEN;
    if (access(book->run->path, W_OK) == 0)
        code =
            sqlite3_open_v2(path, &book->db,
                            SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
    if (code != SQLITE_OK) {
        sqlite3_close(book->db);
        book->is_read_only = true;
        code = sqlite3_open_v2(path, &book->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);
    }
    if (code != SQLITE_OK)
        return fault_set(fault, -EROFS, "cannot keep %s: %s", path, sqlite3_errmsg(book->db));
    sqlite3_busy_timeout(book->db, PATIENCE_MS);
    sqlite3_db_config(book->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(book->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    /* What a power cut damages is made anew. */
    sqlite3_exec(book->db, "PRAGMA foreign_keys = ON; PRAGMA synchronous = OFF", NULL, NULL, NULL);
    return 0;
}

/* A book of this version, whatever was there. */
static int open_book(struct run_book *book, const char *path, struct fault *fault)
{
    int err = open_db(book, path, fault);
    int const ours = err ? 0 : is_ours(book);
    if (err || ours == 1)
        return err;
    int const code = sqlite3_errcode(book->db) & 0xff;
    if (ours < 0 && code != SQLITE_NOTADB && code != SQLITE_CORRUPT)
        return book_fault(book, "read", fault);
    if (book->is_read_only)
        return fault_set(fault, -EROFS, "%s is a cache of another version, and cannot be replaced",
                         path);
    bool const is_empty = ours == 0 && read_number(book, "SELECT count(*) FROM sqlite_schema") == 0;
    if (!is_empty) {
        sqlite3_close(book->db);
        book->db = NULL;
        if (unlink(path) < 0 && errno != ENOENT)
            return fault_set(fault, -errno, "cannot replace %s: %s", path, strerror(errno));
        err = open_db(book, path, fault);
    }
    return err ? err : make_tables(book, fault);
}

struct run_book *run_book_open(const struct run *run, struct fault *fault)
{
    char path[PATH_MAX];
    struct run_book *book = calloc(1, sizeof(*book));
    struct file_list list = {.run = run};
    int err = book ? 0 : -ENOMEM;
    if (!err && (size_t)snprintf(path, sizeof(path), "%s/run.db", run->path) >= sizeof(path))
        err = -ENAMETOOLONG;
    if (!err &&
        ((run->files.count && !vec_reserve(&book->ids, run->files.count)) || list_files(&list) < 0))
        err = -ENOMEM;
    if (err) {
        fault_set(fault, err, "cannot open run.db: %s", strerror(-err));
        vec_free(&list.by_name);
        run_book_close(book);
        return NULL;
    }
    book->run = run;
    book->ids.count = run->files.count;
    err = open_book(book, path, fault);
    if (!err)
        err = bring_up_to_date(book, &list, fault);
    vec_free(&list.by_name);
    if (!err)
        return book;
    run_book_close(book);
    return NULL;
}

void run_book_close(struct run_book *book)
{
    if (!book)
        return;
    sqlite3_close_v2(book->db);
    vec_free(&book->ids);
    free(book);
}

bool run_book_is_read_only(const struct run_book *book)
{
    return book->is_read_only;
}

sqlite3 *run_book_db(struct run_book *book)
{
    return book->db;
}

int run_book_table(struct run_book *book, const char *sql, struct fault *fault)
{
    return execute(book, sql, "make a table in", fault);
}

int run_book_begin(struct run_book *book, struct fault *fault)
{
    return execute(book, "BEGIN IMMEDIATE", "write", fault);
}

int run_book_commit(struct run_book *book, struct fault *fault)
{
    return execute(book, "COMMIT", "write", fault);
}

int64_t run_book_file(const struct run_book *book, const struct run_file *file)
{
    size_t const at = (size_t)(file - book->run->files.items);
    return at < book->ids.count ? book->ids.items[at] : 0;
}
