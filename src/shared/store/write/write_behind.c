/* SPDX-License-Identifier: Apache-2.0 */
#include "store/write/write_behind.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"
#include "store/write/whole_write.h"

#define WAITING_MAX (32u << 20) /* bytes of all files */

struct write_piece {
    struct write_piece *next;
    struct late_file *file;
    uint64_t offset;
    size_t size;
    char bytes[];
};

struct late_file {
    struct write_behind *behind;
    int fd;
    uint64_t reserved; /* the thread's: see whole_write.h */
    size_t waiting;    /* pieces */
    int err;           /* of the first of them; 0: it was not tried, or another one was before it */
    bool is_patient;
};

struct write_behind {
    pthread_t thread;
    /* of all that follows, and of files; pieces are the thread's while it writes them */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct write_piece *first, **last;
    size_t bytes;
    struct late_file *writing; /* whose first piece the thread is at */
    bool may_retry, stop;
};

/* Takes a piece out; `link` leads to it. */
static void drop(struct write_behind *behind, struct write_piece **link)
{
    struct write_piece *piece = *link;
    INVARIANT(behind->bytes >= piece->size && piece->file->waiting > 0);
    *link = piece->next;
    if (behind->last == &piece->next)
        behind->last = link;
    behind->bytes -= piece->size;
    piece->file->waiting--;
    free(piece);
}

static void *write_all(void *context)
{
    struct write_behind *behind = context;
    pthread_mutex_lock(&behind->lock);
    while (!behind->stop) {
        struct write_piece *piece = behind->first;
        if (!piece || (piece->file->err && !behind->may_retry)) {
            pthread_cond_wait(&behind->changed, &behind->lock);
            continue;
        }
        struct late_file *file = piece->file;
        behind->may_retry = false;
        behind->writing = file;
        pthread_mutex_unlock(&behind->lock);
        int const err =
            whole_write(file->fd, piece->bytes, piece->size, piece->offset, &file->reserved);
        pthread_mutex_lock(&behind->lock);
        behind->writing = NULL;
        file->err = err;
        INVARIANT(behind->first == piece); /* others only append, or drop what is not written */
        if (err == 0)
            drop(behind, &behind->first);
        pthread_cond_broadcast(&behind->changed);
    }
    pthread_mutex_unlock(&behind->lock);
    return NULL;
}

struct write_behind *write_behind_create(void)
{
    struct write_behind *behind = calloc(1, sizeof(*behind));
    sigset_t all, before;
    if (!behind)
        return NULL;
    behind->last = &behind->first;
    pthread_mutex_init(&behind->lock, NULL);
    pthread_cond_init(&behind->changed, NULL);
    sigfillset(&all); /* signals are for others */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int const err = pthread_create(&behind->thread, NULL, write_all, behind);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (err == 0)
        return behind;
    free(behind);
    return NULL;
}

void write_behind_destroy(struct write_behind *behind)
{
    if (!behind)
        return;
    pthread_mutex_lock(&behind->lock);
    behind->stop = true;
    pthread_cond_broadcast(&behind->changed);
    pthread_mutex_unlock(&behind->lock);
    pthread_join(behind->thread, NULL);
    INVARIANT(!behind->first && behind->bytes == 0); /* all files are closed */
    pthread_cond_destroy(&behind->changed);
    pthread_mutex_destroy(&behind->lock);
    free(behind);
}

struct late_file *late_file_open(struct write_behind *behind, int fd)
{
    struct late_file *file = calloc(1, sizeof(*file));
    if (file) {
        file->behind = behind;
        file->fd = fd;
    }
    return file;
}

void late_file_be_patient(struct late_file *file)
{
    file->is_patient = true;
}

static bool has_room(const struct write_behind *behind, size_t size)
{
    return behind->bytes == 0 || behind->bytes + size <= WAITING_MAX;
}

/* What stands at the front because its disk is full makes no room: nobody waits for that. */
static void wait_for_room(struct write_behind *behind, size_t size)
{
    behind->may_retry = true;
    pthread_cond_broadcast(&behind->changed);
    while (!has_room(behind, size) &&
           (behind->writing || behind->may_retry || !behind->first->file->err))
        pthread_cond_wait(&behind->changed, &behind->lock);
}

int late_file_put(struct late_file *file, const void *data, size_t size, uint64_t offset)
{
    struct write_behind *behind = file->behind;
    struct write_piece *piece = malloc(sizeof(*piece) + size);
    if (!piece)
        return -ENOMEM;
    *piece = (struct write_piece){.file = file, .offset = offset, .size = size};
    memcpy(piece->bytes, data, size);
    pthread_mutex_lock(&behind->lock);
    if (file->is_patient && !file->err)
        wait_for_room(behind, size);
    int err = file->err;
    if (err == 0 && !file->is_patient && !has_room(behind, size))
        err = -EBUSY;
    if (err == 0) {
        INVARIANT(*behind->last == NULL);
        *behind->last = piece;
        behind->last = &piece->next;
        behind->bytes += size;
        file->waiting++;
    }
    behind->may_retry = true;
    pthread_cond_broadcast(&behind->changed);
    pthread_mutex_unlock(&behind->lock);
    if (err < 0)
        free(piece);
    return err; /* NOLINT(clang-analyzer-unix.Malloc): *last has it */
}

bool late_file_is_behind(struct late_file *file)
{
    pthread_mutex_lock(&file->behind->lock);
    bool const behind = file->waiting > 0;
    pthread_mutex_unlock(&file->behind->lock);
    return behind;
}

/* Gives up what waits of a file, when the thread is not at it.  Where that begins. */
static void give_up(struct late_file *file, uint64_t *lost_from)
{
    INVARIANT(file->behind->writing != file);
    struct write_behind *behind = file->behind;
    bool first = true;
    for (struct write_piece **link = &behind->first; *link;) {
        if ((*link)->file != file) {
            link = &(*link)->next;
            continue;
        }
        if (first)
            *lost_from = (*link)->offset;
        first = false;
        drop(behind, link);
    }
    file->err = 0;
    INVARIANT(file->waiting == 0);
}

int late_file_settle(struct late_file *file, uint64_t *lost_from)
{
    struct write_behind *behind = file->behind;
    pthread_mutex_lock(&behind->lock);
    file->err = 0; /* once more */
    pthread_cond_broadcast(&behind->changed);
    while (file->waiting > 0 && (file->err == 0 || behind->writing == file))
        pthread_cond_wait(&behind->changed, &behind->lock);
    int const err = file->waiting > 0 ? file->err : 0;
    if (err < 0)
        give_up(file, lost_from);
    pthread_mutex_unlock(&behind->lock);
    return err;
}

void late_file_close(struct late_file *file)
{
    uint64_t lost_from;
    if (!file)
        return;
    (void)late_file_settle(file, &lost_from);
    free(file);
}
