/* SPDX-License-Identifier: Apache-2.0 */
#include "store/write/growing_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/invariant.h"
#include "base/own_path.h"
#include "store/write/growing_asked.h"
#include "store/write/place.h"
#include "store/write/whole_write.h"
#include "store/write/write_behind.h"

#define TRIES 100 /* of names, and of files that go while they are looked at */

static const struct growing_asked *asked;

void growing_file_ask_by(const struct growing_asked *wanted)
{
    asked = wanted;
}

/* The lock goes with the open file: also SIGKILL takes it away, and a copy never has it.
 * Without locks readers only know less. 0, or -EBUSY. */
static int mark_open(int fd)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    bool const is_taken =
        fcntl(fd, F_OFD_SETLK, &whole) < 0 && (errno == EAGAIN || errno == EACCES);
    return is_taken ? -EBUSY : 0;
}

bool growing_file_is_open(int fd)
{
    struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* The name that the kernel has for an open file, as a number; to ask for that needs no permission.
 * One that had no name at first has none there.  0: unknown. */
static uint64_t shown_name(int fd)
{
    char link[64], name[PATH_MAX];
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t const size = readlink(link, name, sizeof(name));
    return size > 0 ? hash_bytes(name, (size_t)size) | 1 : 0;
}

int growing_file_look(const struct growing_file *file, const char *path)
{
    struct stat own, named;
    if (file->temporary || fstat(file->fd, &own) < 0)
        return 0;
    if (own.st_nlink == 0)
        return -ESTALE;
    if (stat(path, &named) < 0) /* we may not be permitted to look there */
        return errno == ENOENT || (file->shown && file->shown != shown_name(file->fd)) ? -ESTALE
                                                                                       : 0;
    return is_same(&own, &named) ? 0 : -ESTALE;
}

/* What `path` leads to now, locked; made if there is nothing.  A descriptor; -EAGAIN when it
 * went meanwhile; or another -errno. */
static int open_locked(const char *path, struct stat *opened)
{
    struct stat named;
    if (lstat(path, &named) == 0 && !S_ISREG(named.st_mode))
        return S_ISDIR(named.st_mode) ? -EISDIR : -EEXIST;
    int const fd = own_path_open(path, O_RDWR | O_NONBLOCK, NULL, NULL);
    if (fd < 0)
        return fd;
    int err = mark_open(fd);
    if (!err && (fstat(fd, opened) < 0 || lstat(path, &named) < 0 || !is_same(opened, &named)))
        err = -EAGAIN;
    if (err)
        close(fd);
    return err ? err : fd;
}

int growing_file_claim(const char *path)
{
    struct stat opened;
    int fd = -EAGAIN;
    for (unsigned i = 0; i < TRIES && fd == -EAGAIN; i++)
        fd = open_locked(path, &opened);
    return fd == -EAGAIN ? -EBUSY : fd;
}

/* All that follows is done in the folder that the path leads to then, as own_path.h judges it. */
static int create_new(const char *path)
{
    struct own_place place;
    int err = own_place_find(path, &place, NULL);
    if (err)
        return err;
    err = place.exists ? -EEXIST : own_place_open(&place, O_RDWR);
    own_place_close(&place);
    return err == -EAGAIN ? -EEXIST : err;
}

/* Within that folder. */
static int rename_to(const char *from, const char *path)
{
    struct own_place place;
    const char *slash = strrchr(path, '/');
    int err = own_place_find(from, &place, NULL);
    if (err)
        return err;
    if (renameat(place.folder, place.name, place.folder, slash ? slash + 1 : path) < 0)
        err = -errno;
    own_place_close(&place);
    return err;
}

static int link_to(const char *open_file, const char *path)
{
    struct own_place place;
    int err = own_place_find(path, &place, NULL);
    if (err)
        return err;
    if (linkat(AT_FDCWD, open_file, place.folder, place.name, AT_SYMLINK_FOLLOW) < 0)
        err = -errno;
    own_place_close(&place);
    return err;
}

static void remove_name(const char *path)
{
    struct own_place place;
    if (own_place_find(path, &place, NULL) < 0)
        return;
    unlinkat(place.folder, place.name, 0);
    own_place_close(&place);
}

/* A name beside `path` that nobody can know beforehand. */
static char *make_name(const char *path)
{
    uint64_t number;
    char *name = NULL;
    if (getrandom(&number, sizeof(number), 0) != sizeof(number))
        number = (uint64_t)getpid() << 32 ^ monotonic_ns();
    return asprintf(&name, "%s.%016llx.tmp", path, (unsigned long long)number) < 0 ? NULL : name;
}

static int create_named(struct growing_file *file, const char *path)
{
    *file = (struct growing_file){.fd = -EEXIST};
    for (unsigned i = 0; i < TRIES && file->fd == -EEXIST; i++) {
        free(file->temporary); /* NOLINT(clang-analyzer-unix.Malloc): NULL at first */
        file->temporary = make_name(path);
        if (!file->temporary)
            break;
        file->fd = create_new(file->temporary);
    }
    int const err = file->temporary ? file->fd : -ENOMEM;
    if (err < 0) {
        free(file->temporary); /* NOLINT(clang-analyzer-unix.Malloc): NULL, or its own */
        *file = (struct growing_file){.fd = -1};
        return err;
    }
    return mark_open(file->fd);
}

/* A new file in place of one that is locked by us. */
static int replace_file(struct growing_file *file, const char *path)
{
    int err = create_named(file, path);
    if (!err)
        err = rename_to(file->temporary, path);
    if (err) {
        growing_file_discard(file);
        return err;
    }
    free(file->temporary);
    file->temporary = NULL;
    return 0;
}

/* Whether a claim is still one to `path`. */
static bool is_claim_to(int claim, const char *path, struct stat *opened)
{
    struct stat named;
    return claim >= 0 && fstat(claim, opened) == 0 && lstat(path, &named) == 0 &&
           is_same(opened, &named);
}

char *growing_file_place(const char *path)
{
    char place[PATH_MAX];
    bool const is_own = !asked && own_path_resolve(path, place, NULL) == 0;
    return strdup(is_own ? place : path);
}

static int take_asked(struct growing_file *file, const char *path, int claim)
{
    int const fd = asked->take(path, claim);
    *file = (struct growing_file){.fd = fd < 0 ? -1 : fd, .shown = fd < 0 ? 0 : shown_name(fd)};
    if (claim >= 0)
        close(claim);
    return fd < 0 ? fd : 0;
}

int growing_file_take(struct growing_file *file, const char *path, int claim)
{
    if (asked)
        return take_asked(file, path, claim);
    struct stat opened = {0};
    *file = (struct growing_file){.fd = -1};
    int fd = claim;
    if (!is_claim_to(claim, path, &opened)) {
        if (claim >= 0)
            close(claim);
        fd = -EAGAIN;
    }
    for (unsigned i = 0; i < TRIES && fd == -EAGAIN; i++)
        fd = open_locked(path, &opened);
    if (fd < 0)
        return fd == -EAGAIN ? -EBUSY : fd;
    place_tidy(path);
    bool const is_new = opened.st_size == 0 && opened.st_nlink == 1 && opened.st_uid == geteuid();
    if (is_new && fchmod(fd, 0600) == 0) {
        file->fd = fd;
        return 0;
    }
    int const err = replace_file(file, path);
    close(fd);
    return err;
}

int growing_file_create(struct growing_file *file, const char *path)
{
    return growing_file_take(file, path, -1);
}

void growing_file_write_behind(struct growing_file *file, struct write_behind *behind)
{
    INVARIANT(file->fd >= 0);
    if (behind && !file->late)
        file->late = late_file_open(behind, file->fd);
}

bool growing_file_is_settled(const struct growing_file *file)
{
    return !file->late || !late_file_is_behind(file->late);
}

int growing_file_settle(struct growing_file *file)
{
    return file->late ? late_file_settle(file->late, &file->size) : 0;
}

void growing_file_be_patient(struct growing_file *file)
{
    if (file->late)
        late_file_be_patient(file->late);
}

static int append_behind(struct growing_file *file, const void *data, size_t size)
{
    int const err = late_file_put(file->late, data, size, file->size);
    if (err == 0)
        file->size += size;
    return err;
}

int growing_file_append(struct growing_file *file, const void *data, size_t size)
{
    if (file->late)
        return append_behind(file, data, size);
    int const err =
        whole_write(file->fd, data, size, file->size, file->speaks_last ? NULL : &file->reserved);
    if (err == 0)
        file->size += size;
    return err;
}

void growing_file_speak_last(struct growing_file *file)
{
    (void)growing_file_settle(file);
    late_file_close(file->late);
    file->late = NULL;
    file->speaks_last = true;
}

void growing_file_close(struct growing_file *file)
{
    late_file_close(file->late);
    file->late = NULL;
    if (file->fd >= 0) {
        (void)!ftruncate(file->fd, (off_t)file->size); /* what is reserved behind its end */
        close(file->fd);
    }
    file->fd = -1;
    free(file->temporary); /* NOLINT(clang-analyzer-unix.Malloc): as above */
    file->temporary = NULL;
}

/* The way to a file that is open, and so to one without a name. */
static const char *open_file_path(const struct growing_file *file, char text[64])
{
    snprintf(text, 64, "/proc/self/fd/%d", file->fd);
    return text;
}

static int open_nameless(const char *path)
{
    struct own_place place;
    if (own_place_find(path, &place, NULL) < 0)
        return -1;
    int const fd = openat(place.folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    own_place_close(&place);
    return fd;
}

/* What it replaces is how it is known there. */
static int create_asked(struct growing_file *file, const char *path)
{
    *file = (struct growing_file){.fd = -1, .temporary = strdup(path)};
    int const fd = file->temporary ? asked->beside(path) : -ENOMEM;
    if (fd >= 0) {
        file->fd = fd;
        return 0;
    }
    free(file->temporary);
    file->temporary = NULL;
    return fd;
}

int growing_file_create_beside(struct growing_file *file, const char *path)
{
    if (asked)
        return create_asked(file, path);
    char text[64];
    *file = (struct growing_file){.fd = open_nameless(path)};
    if (file->fd >= 0 && access(open_file_path(file, text), F_OK) == 0)
        return mark_open(file->fd);
    growing_file_close(file); /* no such file system, or no /proc to name it later */
    return create_named(file, path);
}

/* Gives it a name for the moment of the rename. */
static int give_name(struct growing_file *file, const char *path)
{
    char text[64];
    int err = -EEXIST;
    for (unsigned i = 0; i < TRIES && err == -EEXIST; i++) {
        char *name = make_name(path);
        if (!name)
            return -ENOMEM;
        err = link_to(open_file_path(file, text), name);
        if (err)
            free(name);
        else
            file->temporary = name;
    }
    return err;
}

int growing_file_put_in_place(struct growing_file *file, const char *path)
{
    int err = file->temporary ? 0 : give_name(file, path);
    if (!err)
        err = rename_to(file->temporary, path);
    if (err)
        return err;
    free(file->temporary);
    file->temporary = NULL;
    return 0;
}

int growing_file_replace(struct growing_file *file, const char *path,
                         const struct growing_file *old)
{
    struct stat ours, named;
    if (fsync(file->fd) < 0)
        return -errno;
    if (asked) {
        int const refused = asked->replace(path);
        if (refused == 0) {
            free(file->temporary);
            file->temporary = NULL;
            file->shown = shown_name(file->fd);
        }
        return refused;
    }
    if (fstat(old->fd, &ours) == 0 && lstat(path, &named) == 0 && !is_same(&ours, &named))
        return -EEXIST;
    return growing_file_put_in_place(file, path);
}

void growing_file_discard(struct growing_file *file)
{
    if (file->fd >= 0 && file->temporary && asked)
        asked->discard(file->temporary);
    else if (file->fd >= 0 && file->temporary)
        remove_name(file->temporary); /* NOLINT(clang-analyzer-unix.Malloc): as above */
    growing_file_close(file);
}
