/* SPDX-License-Identifier: Apache-2.0 */
#include "keeper/keeper_outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENDING ".memoir"

static void note(struct keeper_outputs *outputs, const char *path, int fd);

void keeper_outputs_init(struct keeper_outputs *outputs, const char *output, const char *folder,
                         int claim)
{
    *outputs = (struct keeper_outputs){.output = output, .folder = folder};
    if (output && claim >= 0)
        note(outputs, output, claim);
}

bool keeper_outputs_may_be(const struct keeper_outputs *outputs, const char *path)
{
    if (outputs->output && strcmp(path, outputs->output) == 0)
        return true;
    size_t const folder = strlen(outputs->folder);
    const char *name = path;
    if (folder > 0) {
        if (strncmp(path, outputs->folder, folder) != 0 || path[folder] != '/')
            return false;
        name = path + folder + 1;
    }
    size_t const size = strlen(name), ending = strlen(ENDING);
    return size > ending && name[0] != '.' && !strchr(name, '/') &&
           strcmp(name + size - ending, ENDING) == 0;
}

static struct kept_output *find(const struct keeper_outputs *outputs, const char *path)
{
    vec_each (one, &outputs->made)
        if (strcmp(one->path, path) == 0)
            return one;
    return NULL;
}

/* What is there under this name now is what we made. */
static bool is_as_made(const struct kept_output *one, struct stat *about)
{
    return one && lstat(one->place, about) == 0 && S_ISREG(about->st_mode) &&
           about->st_dev == one->device && about->st_ino == one->inode;
}

static void remember(struct kept_output *one, int fd)
{
    struct stat about;
    if (fstat(fd, &about) < 0)
        return;
    one->device = about.st_dev;
    one->inode = about.st_ino;
}

static void note(struct keeper_outputs *outputs, const char *path, int fd)
{
    struct kept_output *one = find(outputs, path);
    if (!one) {
        struct kept_output const fresh = {
            .path = strdup(path), .place = growing_file_place(path), .beside = {.fd = -1}};
        if (!fresh.path || !fresh.place || !vec_push(&outputs->made, fresh)) {
            free(fresh.path);
            free(fresh.place);
            return;
        }
        one = &outputs->made.items[outputs->made.count - 1];
    }
    remember(one, fd);
}

/* The one that was asked for may be there; a name that somebody chose later must be new. */
static bool may_take(const struct keeper_outputs *outputs, const char *path)
{
    struct stat about;
    return keeper_outputs_may_be(outputs, path) && outputs->made.count < OUTPUTS_MOST &&
           ((outputs->output && strcmp(path, outputs->output) == 0) || lstat(path, &about) < 0);
}

int keeper_outputs_take(struct keeper_outputs *outputs, const char *path, int claim)
{
    struct growing_file file;
    char *place = may_take(outputs, path) ? growing_file_place(path) : NULL;
    if (!place)
        return -EACCES;
    int const own = claim < 0 ? -1 : fcntl(claim, F_DUPFD_CLOEXEC, 3);
    int const err = growing_file_take(&file, place, own);
    free(place);
    if (err < 0)
        return err;
    note(outputs, path, file.fd);
    return file.fd;
}

int keeper_outputs_beside(struct keeper_outputs *outputs, const char *path)
{
    struct kept_output *one = find(outputs, path);
    if (!one || one->beside.fd >= 0)
        return one ? -EBUSY : -EACCES;
    int const err = growing_file_create_beside(&one->beside, one->place);
    if (err < 0) {
        one->beside.fd = -1;
        return err;
    }
    int const fd = fcntl(one->beside.fd, F_DUPFD_CLOEXEC, 3);
    return fd < 0 ? -errno : fd;
}

int keeper_outputs_replace(struct keeper_outputs *outputs, const char *path)
{
    struct kept_output *one = find(outputs, path);
    struct stat about;
    if (!one || one->beside.fd < 0)
        return -EACCES;
    if (lstat(one->place, &about) == 0 && !is_as_made(one, &about))
        return -EEXIST;
    int const err = growing_file_put_in_place(&one->beside, one->place);
    if (err < 0)
        return err;
    remember(one, one->beside.fd);
    close(one->beside.fd); /* it grows on elsewhere */
    one->beside.fd = -1;
    return 0;
}

int keeper_outputs_discard(struct keeper_outputs *outputs, const char *path)
{
    struct kept_output *one = find(outputs, path);
    if (!one || one->beside.fd < 0)
        return -EACCES;
    growing_file_discard(&one->beside);
    return 0;
}

int keeper_outputs_remove(struct keeper_outputs *outputs, const char *path, bool only_empty)
{
    struct stat about;
    const struct kept_output *one = find(outputs, path);
    if (!is_as_made(one, &about) || (only_empty && about.st_size > 0))
        return -EACCES;
    return unlink(one->place) < 0 ? -errno : 0;
}

int keeper_outputs_look(const struct keeper_outputs *outputs, const char *path, int64_t *bytes)
{
    struct stat about;
    if (!keeper_outputs_may_be(outputs, path))
        return -EACCES;
    if (stat(path, &about) < 0)
        return -errno;
    *bytes = about.st_size;
    return 0;
}
