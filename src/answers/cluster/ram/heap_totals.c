/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/ram/heap_totals.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_map.h"
#include "cluster/runs/parallel.h"
#include "cluster/runs/run_book.h"
#include "cluster/runs/run_recording.h"
#include "formats/pprof/pprof_profile.h"

struct heap_work {
    const struct run *run;
    struct heap_totals *totals;
    VEC(uint32_t) files;  /* to be read: indexes */
    pthread_mutex_t lock; /* of the fault */
};

static int64_t column_total(const struct pprof_profile *profile, const char *name)
{
    int const column = pprof_column(profile, name);
    return column < 0 ? HEAP_UNKNOWN : pprof_total(profile, (unsigned)column);
}

static void note_unread(struct heap_work *work, const char *name, const struct fault *why)
{
    pthread_mutex_lock(&work->lock);
    struct heap_totals *totals = work->totals;
    if (totals->unread++ == 0)
        fault_set(&totals->first_fault, why->code ? why->code : -EIO, "%.150s: %.300s", name,
                  why->text);
    pthread_mutex_unlock(&work->lock);
}

static void read_one(void *context, size_t index)
{
    struct heap_work *work = context;
    uint32_t const at = work->files.items[index];
    const struct run_file *file = &work->run->files.items[at];
    struct heap_total *total = &work->totals->items[at];
    struct fault why = {.text = ""};
    struct pprof_profile *profile = run_profile_read(work->run, file, &why);
    if (!profile) {
        note_unread(work, file->name, &why);
        return;
    }
    total->inuse_bytes = column_total(profile, "inuse_space");
    total->alloc_bytes = column_total(profile, "alloc_space");
    total->inuse_objects = column_total(profile, "inuse_objects");
    if (total->inuse_bytes == HEAP_UNKNOWN) {
        fault_set(&why, -ENODATA, "it is not a heap profile: it has no inuse_space");
        note_unread(work, file->name, &why);
    }
    pprof_destroy(profile);
}

static const char table[] =
    "CREATE TABLE IF NOT EXISTS heap_total(file INTEGER PRIMARY KEY REFERENCES file ON DELETE "
    "CASCADE, inuse_bytes INTEGER NOT NULL, alloc_bytes INTEGER NOT NULL, inuse_objects INTEGER "
    "NOT NULL)";

/* What the book knows, in one question: one for each file would take longer than to read a small
 * profile. */
static void read_kept(struct run_book *book, const struct run *run, struct heap_totals *totals,
                      const bool *is_wanted)
{
    struct number_map files = {0}; /* by id: index, plus one */
    sqlite3_stmt *query = NULL;
    for (uint32_t i = 0; i < run->files.count; i++) {
        const struct run_file *file = &run->files.items[i];
        int64_t const id = file->kind == RUN_HEAP && (!is_wanted || is_wanted[file->node])
                               ? run_book_file(book, file)
                               : 0;
        uint32_t *at = id > 0 ? number_map_at(&files, (uint64_t)id) : NULL;
        if (at)
            *at = i + 1;
    }
    if (sqlite3_prepare_v2(run_book_db(book),
                           "SELECT file, inuse_bytes, alloc_bytes, inuse_objects FROM heap_total",
                           -1, &query, NULL) != SQLITE_OK)
        query = NULL;
    while (query && sqlite3_step(query) == SQLITE_ROW) {
        uint32_t const at = number_map_get(&files, (uint64_t)sqlite3_column_int64(query, 0));
        if (at == 0)
            continue;
        totals->items[at - 1] =
            (struct heap_total){sqlite3_column_int64(query, 1), sqlite3_column_int64(query, 2),
                                sqlite3_column_int64(query, 3)};
        totals->kept++;
    }
    sqlite3_finalize(query);
    number_map_fini(&files);
}

static void keep(struct run_book *book, const struct heap_work *work)
{
    sqlite3_stmt *insert = NULL;
    if (work->files.count == 0 || run_book_is_read_only(book) || run_book_begin(book, NULL) < 0)
        return;
    if (sqlite3_prepare_v2(run_book_db(book),
                           "INSERT OR REPLACE INTO heap_total VALUES(?1, ?2, ?3, ?4)", -1, &insert,
                           NULL) == SQLITE_OK)
        vec_each (at, &work->files) {
            const struct heap_total *total = &work->totals->items[*at];
            int64_t const id = run_book_file(book, &work->run->files.items[*at]);
            if (id == 0 || total->inuse_bytes == HEAP_UNKNOWN)
                continue;
            sqlite3_reset(insert);
            sqlite3_bind_int64(insert, 1, id);
            sqlite3_bind_int64(insert, 2, total->inuse_bytes);
            sqlite3_bind_int64(insert, 3, total->alloc_bytes);
            sqlite3_bind_int64(insert, 4, total->inuse_objects);
            sqlite3_step(insert);
        }
    sqlite3_finalize(insert);
    (void)run_book_commit(book, NULL); /* what is not kept is read again */
}

int heap_totals_read(struct heap_totals *totals, const struct run *run, const bool *is_wanted,
                     struct fault *fault)
{
    struct heap_work work = {.run = run, .totals = totals, .lock = PTHREAD_MUTEX_INITIALIZER};
    size_t const count = run->files.count;
    struct heap_total const unknown = {HEAP_UNKNOWN, HEAP_UNKNOWN, HEAP_UNKNOWN};
    memset(totals, 0, sizeof(*totals));
    totals->items = calloc(count ? count : 1, sizeof(*totals->items));
    if (!totals->items)
        return fault_set(fault, -ENOMEM, "out of memory");
    for (size_t i = 0; i < count; i++)
        totals->items[i] = unknown;
    struct run_book *book = run_book_open(run, NULL);
    if (book && run_book_table(book, table, NULL) < 0) {
        run_book_close(book);
        book = NULL;
    }
    if (book)
        read_kept(book, run, totals, is_wanted);
    int err = 0;
    for (size_t i = 0; i < count && !err; i++) {
        const struct run_file *file = &run->files.items[i];
        if (file->kind == RUN_HEAP && totals->items[i].inuse_bytes == HEAP_UNKNOWN &&
            (!is_wanted || is_wanted[file->node]) && !vec_push(&work.files, (uint32_t)i))
            err = fault_set(fault, -ENOMEM, "out of memory");
    }
    if (!err) {
        parallel_each(work.files.count, read_one, &work);
        totals->read = work.files.count - totals->unread;
        if (book)
            keep(book, &work);
    }
    run_book_close(book);
    vec_free(&work.files);
    return err;
}

void heap_totals_fini(struct heap_totals *totals)
{
    free(totals->items);
    totals->items = NULL;
}
