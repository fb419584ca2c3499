/* SPDX-License-Identifier: Apache-2.0 */
#include "store/history/history.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own_path.h"
#include "store/history/history_parts.h"

#define PATIENCE_MS   5000
#define OPEN_TRIES    5
#define OPEN_AGAIN_US 20000

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
    case SQLITE_INTERRUPT:
        return fault_set(fault, -EBADMSG,
                         "the history %s is damaged: it has fewer bytes than it says; move it away",
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
    history_guard_begin(history);
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

static struct history *make_handle(const char *path, struct fault *fault)
{
    struct history *history = calloc(1, sizeof(*history));
    if (history)
        history->path = strdup(path);
    if (history && history->path) {
        history->folder = -1;
        return history;
    }
    free(history);
    fault_set(fault, -ENOMEM, "out of memory while opening the history %s", path);
    return NULL;
}

/* The history that is called `path`, by the way that leads there. */
static struct history *connect(const char *path, const char *way, int flags, const char *system,
                               struct fault *fault)
{
    struct history *history = make_handle(path, fault);
    if (!history)
        return NULL;
    int const code = sqlite3_open_v2(way, &history->db, flags | SQLITE_OPEN_NOMUTEX, system);
    if (code != SQLITE_OK) {
        history_fault(history, code, "open", fault);
        history_close(history);
        return NULL;
    }
    sqlite3_extended_result_codes(history->db, 1);
    sqlite3_busy_timeout(history->db, PATIENCE_MS);
    history_guard(history);
    return history;
}

/* Others have no business with it, as with a recording. */
static int make_private(const char *path, struct own_place *place, struct fault *fault)
{
    struct stat facts;
    int const fd = own_path_open(path, O_RDWR, place, fault);
    if (fd < 0)
        return fd;
    int const err = fstat(fd, &facts);
    close(fd);
    if (err == 0 && S_ISREG(facts.st_mode))
        return 0;
    own_place_close(place);
    return fault_set(fault, -EINVAL, "%s is not a file, so it cannot be a history", path);
}

static struct history *open_once(const char *path, const struct own_place *place,
                                 struct fault *fault)
{
    char way[64 + NAME_MAX];
    snprintf(way, sizeof(way), "/proc/self/fd/%d/%s", place->folder, place->name);
    struct history *history =
        connect(path, way, SQLITE_OPEN_READWRITE, history_own_system(), fault);
    if (!history)
        return NULL;
    int err = history_check(history, fault);
    if (err == 1)
        err = history_run(history, history_schema, "begin", fault);
    /* Another process that opens it at the same time may be the one to change the mode: either
     * will do. */
    if (!err)
        sqlite3_exec(history->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
    if (!err)
        err = history_run(history,
                          "PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 8388608;",
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
    struct own_place place;
    if (make_private(path, &place, fault) < 0)
        return NULL;
    for (unsigned i = 0; i < OPEN_TRIES && !history; i++) {
        if (i)
            usleep(OPEN_AGAIN_US);
        history = open_once(path, &place, &why);
        if (!history && why.code != -EIO)
            break;
    }
    if (history)
        history->folder = place.folder; /* by which the files beside it are opened later */
    else
        own_place_close(&place);
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
    for (const char *from = path; *from; from++) {
        unsigned char const letter = (unsigned char)*from;
        if (strchr("%?#", letter)) {
            *at++ = '%';
            *at++ = digits[letter >> 4];
            *at++ = digits[letter & 15];
        } else {
            *at++ = (char)letter;
        }
    }
    memcpy(at, "?immutable=1", sizeof("?immutable=1"));
    struct history *history =
        connect(path, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL, fault);
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
    struct history *history = connect(path, path, SQLITE_OPEN_READONLY, NULL, fault);
    if (!history)
        return NULL;
    int err = history_check(history, fault);
    if (err == -ENOENT || err == -EACCES) {
        history_close(history);
        history = connect_immutable(path, fault);
        err = history ? history_check(history, fault) : err;
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
    if (history->folder >= 0)
        close(history->folder);
    free(history->path);
    free(history);
}
