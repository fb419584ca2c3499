/* SPDX-License-Identifier: Apache-2.0 */
#include "store/history/history.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own_path.h"
#include "store/history/history_parts.h"

#define APPLICATION_ID 0x6d656d6f /* "memo" */
#define PATIENCE_MS    5000
#define OPEN_TRIES     5
#define OPEN_AGAIN_US  20000

static const char schema[] =
    "PRAGMA auto_vacuum = INCREMENTAL;"
    "BEGIN IMMEDIATE;"
    "PRAGMA application_id = 1835363695;"
    "CREATE TABLE IF NOT EXISTS service (id INTEGER PRIMARY KEY, name TEXT NOT NULL,"
    " host TEXT NOT NULL, UNIQUE (name, host));"
    "CREATE TABLE IF NOT EXISTS run (id INTEGER PRIMARY KEY, service INTEGER NOT NULL,"
    " pid INTEGER NOT NULL, begin_ms INTEGER NOT NULL, last_ms INTEGER NOT NULL,"
    " program TEXT NOT NULL, source TEXT NOT NULL, limit_bytes INTEGER NOT NULL,"
    " snapshots INTEGER NOT NULL, UNIQUE (service, begin_ms, pid));"
    "CREATE TABLE IF NOT EXISTS series (id INTEGER PRIMARY KEY, service INTEGER NOT NULL,"
    " kind INTEGER NOT NULL, name TEXT NOT NULL, last_ms INTEGER NOT NULL,"
    " UNIQUE (service, kind, name));"
    "CREATE TABLE IF NOT EXISTS point (series INTEGER NOT NULL, time_ms INTEGER NOT NULL,"
    " run INTEGER NOT NULL, span_ms INTEGER NOT NULL, low INTEGER NOT NULL,"
    " high INTEGER NOT NULL, last INTEGER NOT NULL,"
    " PRIMARY KEY (series, time_ms, run)) WITHOUT ROWID;"
    "PRAGMA user_version = 1;"
    "COMMIT;";
_Static_assert(APPLICATION_ID == 1835363695 && HISTORY_VERSION == 1, "the numbers above");

const char *history_kind_name(enum history_kind kind)
{
    return kind == HISTORY_TOTAL ? "total" : kind == HISTORY_CATEGORY ? "category" : "site";
}

int history_fault(struct history *history, int code, const char *what, struct fault *fault)
{
    const char *path = history->path;
    switch (code & 0xff) {
    case SQLITE_OK:
    case SQLITE_DONE:
    case SQLITE_ROW:
        return 0;
    case SQLITE_NOTADB:
        return fault_set(fault, -EINVAL,
                         "%s is not a history: it is not a database; choose another file", path);
    case SQLITE_CORRUPT:
        return fault_set(fault, -EIO,
                         "the history %s is damaged; move it away, or try: sqlite3 %s .recover",
                         path, path);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return fault_set(fault, -EBUSY,
                         "cannot %s the history %s: another process has held it for seconds", what,
                         path);
    case SQLITE_FULL:
        return fault_set(fault, -ENOSPC, "cannot %s the history %s: the disk is full", what, path);
    case SQLITE_NOMEM:
        return fault_set(fault, -ENOMEM, "cannot %s the history %s: out of memory", what, path);
    case SQLITE_READONLY:
        return fault_set(fault, -EACCES,
                         "cannot %s the history %s: you may not write the file or its folder", what,
                         path);
    case SQLITE_CANTOPEN:
        return fault_set(fault, -ENOENT, "cannot open the history %s: %s", path,
                         strerror(sqlite3_system_errno(history->db)));
    default:
        return fault_set(fault, -EIO, "cannot %s the history %s: %s", what, path,
                         sqlite3_errmsg(history->db));
    }
}

int history_run(struct history *history, const char *sql, const char *what, struct fault *fault)
{
    return history_fault(history, sqlite3_exec(history->db, sql, NULL, NULL, NULL), what, fault);
}

int history_begin(struct history *history, const char *what, struct fault *fault)
{
    return history_run(history, "BEGIN IMMEDIATE", what, fault);
}

int history_end(struct history *history, int err, const char *what, struct fault *fault)
{
    if (!err)
        err = history_run(history, "COMMIT", what, fault);
    if (err && !sqlite3_get_autocommit(history->db))
        sqlite3_exec(history->db, "ROLLBACK", NULL, NULL, NULL);
    return err;
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

/* Whether it is ours and of a version we know.  1 when there is nothing in it yet. */
static int check(struct history *history, struct fault *fault)
{
    int64_t application = 0, version = 0, tables = 0;
    /* One look: somebody may be making it just now. */
    int code = sqlite3_exec(history->db, "BEGIN", NULL, NULL, NULL);
    if (code == SQLITE_OK)
        code = ask(history, "SELECT count(*) FROM sqlite_schema", &tables);
    if (code == SQLITE_OK)
        code = ask(history, "PRAGMA application_id", &application);
    if (code == SQLITE_OK)
        code = ask(history, "PRAGMA user_version", &version);
    int const err = history_fault(history, code, "read", fault); /* before the words are gone */
    sqlite3_exec(history->db, "ROLLBACK", NULL, NULL, NULL);
    if (err)
        return err;
    if (tables == 0 && (application == 0 || application == APPLICATION_ID))
        return 1;
    if (application != APPLICATION_ID)
        return fault_set(fault, -EINVAL,
                         "%s is not a history: it is a database of another program; choose another "
                         "file",
                         history->path);
    if (version > HISTORY_VERSION)
        return fault_set(fault, -EINVAL,
                         "the history %s was made by a newer memoir (version %lld, this one knows "
                         "%d); use that one",
                         history->path, (long long)version, HISTORY_VERSION);
    return 0;
}

static struct history *connect(const char *path, int flags, struct fault *fault)
{
    struct history *history = calloc(1, sizeof(*history));
    if (history)
        history->path = strdup(path);
    if (!history || !history->path) {
        free(history);
        fault_set(fault, -ENOMEM, "out of memory while opening the history %s", path);
        return NULL;
    }
    int const code = sqlite3_open_v2(path, &history->db, flags | SQLITE_OPEN_NOMUTEX, NULL);
    if (code != SQLITE_OK) {
        history_fault(history, code, "open", fault);
        history_close(history);
        return NULL;
    }
    sqlite3_extended_result_codes(history->db, 1);
    sqlite3_busy_timeout(history->db, PATIENCE_MS);
    sqlite3_db_config(history->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(history->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    return history;
}

/* Others have no business with it, as with a recording. */
static int make_private(const char *path, char place[PATH_MAX], struct fault *fault)
{
    struct stat facts;
    if (own_path_resolve(path, place, fault) < 0)
        return -EPERM;
    int const fd = open(place, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return fault_set(fault, -errno, "cannot write the history %s: %s", path, strerror(errno));
    int const err = fstat(fd, &facts);
    close(fd);
    if (err < 0 || !S_ISREG(facts.st_mode))
        return fault_set(fault, -EINVAL, "%s is not a file, so it cannot be a history", path);
    return 0;
}

static struct history *open_once(const char *path, struct fault *fault)
{
    struct history *history = connect(path, SQLITE_OPEN_READWRITE, fault);
    if (!history)
        return NULL;
    int err = check(history, fault);
    if (err == 1)
        err = history_run(history, schema, "begin", fault);
    /* Another process that opens it at the same time may be the one to change the mode: either
     * will do. */
    if (!err)
        sqlite3_exec(history->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
    if (!err)
        err = history_run(history,
                          "PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 8388608;"
                          "PRAGMA cell_size_check = 1;",
                          "write", fault);
    if (!err)
        return history;
    history_close(history);
    return NULL;
}

/* While others make the file, or change how it is written, SQLite may find it in a state that it
 * has no word for. */
struct history *history_open(const char *path, struct fault *fault)
{
    struct fault why = {.code = 0};
    struct history *history = NULL;
    char place[PATH_MAX];
    if (make_private(path, place, fault) < 0)
        return NULL;
    for (unsigned i = 0; i < OPEN_TRIES && !history; i++) {
        if (i)
            usleep(OPEN_AGAIN_US);
        history = open_once(place, &why);
        if (!history && why.code != -EIO)
            break;
    }
    if (!history && fault)
        *fault = why;
    return history;
}

/* As it is on a disk that cannot be written: without the files beside it that a reader makes. */
static struct history *connect_immutable(const char *path, struct fault *fault)
{
    static const char digits[] = "0123456789abcdef";
    char *uri = malloc(3 * strlen(path) + sizeof("file:?immutable=1"));
    if (!uri)
        return NULL;
    char *at = stpcpy(uri, "file:");
    for (; *path; path++) {
        unsigned char const letter = (unsigned char)*path;
        if (strchr("%?#", letter)) {
            *at++ = '%';
            *at++ = digits[letter >> 4];
            *at++ = digits[letter & 15];
        } else {
            *at++ = (char)letter;
        }
    }
    memcpy(at, "?immutable=1", sizeof("?immutable=1"));
    struct history *history = connect(uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, fault);
    free(uri);
    return history;
}

struct history *history_open_to_read(const char *path, struct fault *fault)
{
    struct stat facts;
    if (stat(path, &facts) < 0) {
        fault_set(fault, -errno, "cannot open the history %s: %s", path, strerror(errno));
        return NULL;
    }
    struct history *history = connect(path, SQLITE_OPEN_READONLY, fault);
    if (!history)
        return NULL;
    int err = check(history, fault);
    if (err == -ENOENT || err == -EACCES) {
        history_close(history);
        history = connect_immutable(path, fault);
        err = history ? check(history, fault) : err;
    }
    if (err == 0)
        return history;
    if (err == 1)
        fault_set(fault, -ENODATA, "the history %s is empty: nothing has been written to it yet",
                  path);
    history_close(history);
    return NULL;
}

void history_set_patience(struct history *history, int milliseconds)
{
    sqlite3_busy_timeout(history->db, milliseconds);
}

void history_close(struct history *history)
{
    if (!history)
        return;
    sqlite3_close(history->db);
    free(history->path);
    free(history);
}
