/* SPDX-License-Identifier: Apache-2.0 */
#include "base/own_path.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#define LINKS_MAX  40 /* as the kernel */
#define TRIES      20 /* of others who change it meanwhile */
#define O_FOUND    (O_PATH | O_NOFOLLOW | O_CLOEXEC)
#define O_A_FOLDER (O_PATH | O_DIRECTORY | O_CLOEXEC)

struct walk {
    const char *path; /* for sentences */
    char rest[PATH_MAX];
    int folder;
    unsigned links;
    struct own_place *place;
    struct fault *fault;
};

static bool is_trusted(uid_t owner)
{
    return owner == geteuid() || owner == 0;
}

static int refuse(const struct walk *walk, const char *what, uid_t owner)
{
    return fault_set(walk->fault, -EPERM,
                     "%s is a %s of another user (%u), who could choose what is overwritten; name "
                     "another place with -o",
                     walk->path, what, (unsigned)owner);
}

static int stand_in(struct walk *walk, int folder)
{
    if (folder < 0)
        return -errno;
    if (walk->folder >= 0)
        close(walk->folder);
    walk->folder = folder;
    return 0;
}

/* Takes the next part off the rest; whether it is the last one.  After a slash at the end, that is
 * ".": a folder. */
static bool take_part(struct walk *walk, char part[NAME_MAX + 1])
{
    char *rest = walk->rest;
    size_t const size = strcspn(rest, "/");
    size_t const next = size + strspn(rest + size, "/");
    bool const is_last = rest[size] == '\0';
    snprintf(part, NAME_MAX + 1, "%.*s", size ? (int)size : 1, size ? rest : ".");
    memmove(rest, rest + next, strlen(rest + next) + 1);
    return is_last;
}

/* What a link says comes before the rest. */
static int follow(struct walk *walk, int link, bool is_last)
{
    char target[PATH_MAX], rest[PATH_MAX];
    ssize_t const size = readlinkat(link, "", target, sizeof(target) - 1);
    if (size <= 0)
        return size < 0 ? -errno : -ENOENT;
    target[size] = '\0';
    if (walk->links++ >= LINKS_MAX)
        return -ELOOP;
    if (snprintf(rest, sizeof(rest), "%s%s%s", target, is_last ? "" : "/", walk->rest) >= PATH_MAX)
        return -ENAMETOOLONG;
    size_t const root = strspn(rest, "/");
    memmove(walk->rest, rest + root, strlen(rest + root) + 1);
    return root > 0 ? stand_in(walk, open("/", O_A_FOLDER)) : 0;
}

static bool is_of_proc(int folder)
{
    struct statfs about;
    return fstatfs(folder, &about) == 0 && about.f_type == PROC_SUPER_MAGIC;
}

/* The walk is at its end, in the folder of the place. */
static int arrive(struct walk *walk, const char *part, const struct stat *there)
{
    struct own_place *place = walk->place;
    struct stat folder;
    place->exists = there != NULL;
    snprintf(place->name, sizeof(place->name), "%s", part);
    if (!there)
        return 0;
    place->there = *there;
    if (place->is_of_proc || S_ISDIR(there->st_mode) || S_ISCHR(there->st_mode) ||
        S_ISBLK(there->st_mode) || there->st_uid == geteuid())
        return 0; /* a device is its driver's, whoever made the name */
    if (fstat(walk->folder, &folder) < 0)
        return -errno;
    return folder.st_mode & S_IWOTH
               ? refuse(walk, S_ISREG(there->st_mode) ? "file" : "pipe or a socket", there->st_uid)
               : 0;
}

/* One part that is there, as `found`.  1: the walk is at its end. */
static int judge(struct walk *walk, const char *part, int found, bool is_last)
{
    struct stat there;
    if (fstat(found, &there) < 0)
        return -errno;
    bool const is_link = S_ISLNK(there.st_mode), by_proc = is_link && is_of_proc(walk->folder);
    if (is_link && !by_proc)
        return is_trusted(there.st_uid) ? follow(walk, found, is_last)
                                        : refuse(walk, "link", there.st_uid);
    if (!is_last)
        return stand_in(walk,
                        openat(by_proc ? walk->folder : found, by_proc ? part : ".", O_A_FOLDER));
    walk->place->is_of_proc = by_proc;
    int const err = arrive(walk, part, &there);
    return err ? err : 1;
}

static int step(struct walk *walk)
{
    char part[NAME_MAX + 1];
    if (strcspn(walk->rest, "/") > NAME_MAX)
        return -ENAMETOOLONG;
    bool const is_last = take_part(walk, part);
    int const found = openat(walk->folder, part, O_FOUND);
    if (found < 0 && errno == ENOENT && is_last) {
        int const err = arrive(walk, part, NULL);
        return err ? err : 1;
    }
    if (found < 0)
        return -errno;
    int const err = judge(walk, part, found, is_last);
    close(found);
    return err;
}

int own_place_find(const char *path, struct own_place *place, struct fault *fault)
{
    struct walk walk = {.path = path, .folder = -1, .place = place, .fault = fault};
    struct fault why = {.code = 0};
    *place = (struct own_place){.folder = -1};
    size_t const root = strspn(path, "/");
    int err = !*path ? -ENOENT : strlen(path) >= PATH_MAX ? -ENAMETOOLONG : 0;
    walk.fault = &why;
    if (!err) {
        strcpy(walk.rest, path + root);
        err = stand_in(&walk, open(root ? "/" : ".", O_A_FOLDER));
    }
    while (!err)
        err = step(&walk);
    if (err > 0) {
        place->folder = walk.folder;
        return 0;
    }
    if (walk.folder >= 0)
        close(walk.folder);
    return why.code ? fault_set(fault, err, "%s", why.text)
                    : fault_set(fault, err, "cannot write %s: %s", path, strerror(-err));
}

void own_place_close(struct own_place *place)
{
    if (place->folder >= 0)
        close(place->folder);
    place->folder = -1;
}

/* What is there belongs to whoever was judged, or it is not touched. */
static int open_there(const struct own_place *place, int flags)
{
    struct stat opened;
    int const fd = openat(place->folder, place->name,
                          (flags & ~O_TRUNC) | (place->is_of_proc ? 0 : O_NOFOLLOW));
    if (fd < 0)
        return errno == ENOENT || errno == ELOOP ? -EAGAIN : -errno;
    int err = fstat(fd, &opened) < 0 ? -errno : 0;
    if (!err && !place->is_of_proc &&
        (opened.st_dev != place->there.st_dev || opened.st_ino != place->there.st_ino))
        err = -EAGAIN;
    if (!err && (flags & O_TRUNC) && S_ISREG(opened.st_mode) && ftruncate(fd, 0) < 0)
        err = -errno;
    if (err)
        close(fd);
    return err ? err : fd;
}

int own_place_open(const struct own_place *place, int flags)
{
    flags |= O_CLOEXEC | O_NOCTTY;
    if (place->exists)
        return open_there(place, flags);
    int const fd = openat(place->folder, place->name, flags | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
    return fd >= 0 ? fd : errno == EEXIST ? -EAGAIN : -errno;
}

int own_path_open(const char *path, int flags, struct own_place *place, struct fault *fault)
{
    struct own_place own;
    int fd = -EAGAIN;
    for (unsigned i = 0; i < TRIES && fd == -EAGAIN; i++) {
        int const err = own_place_find(path, &own, fault);
        if (err)
            return err;
        fd = own_place_open(&own, flags);
        if (fd >= 0 && place)
            *place = own;
        else
            own_place_close(&own);
    }
    return fd >= 0 ? fd : fault_set(fault, fd, "cannot write %s: %s", path, strerror(-fd));
}

int own_path_resolve(const char *path, char place[PATH_MAX], struct fault *fault)
{
    char link[64], folder[PATH_MAX];
    struct own_place own;
    int const err = own_place_find(path, &own, fault);
    if (err)
        return err;
    snprintf(link, sizeof(link), "/proc/self/fd/%d", own.folder);
    ssize_t const size = readlink(link, folder, sizeof(folder) - 1);
    own_place_close(&own);
    folder[size > 0 ? size : 0] = '\0';
    if (folder[0] != '/' ||
        snprintf(place, PATH_MAX, "%s/%s", folder[1] ? folder : "", own.name) >= PATH_MAX)
        return fault_set(fault, -ENAMETOOLONG, "cannot write %s: its folder has no name here",
                         path);
    return 0;
}

/* Whether others may put something else under the name of what is in this folder. */
static bool is_open_to_others(const struct stat *folder, const struct stat *inside)
{
    bool const writes =
        (folder->st_mode & S_IWOTH) || ((folder->st_mode & S_IWGRP) && folder->st_gid != getegid());
    return !is_trusted(folder->st_uid) ||
           (writes && !((folder->st_mode & S_ISVTX) && is_trusted(inside->st_uid)));
}

bool own_path_stays(const char *path)
{
    char part[PATH_MAX];
    struct stat folder, inside;
    if (path[0] != '/' || strlen(path) >= PATH_MAX || lstat("/", &folder) < 0)
        return false;
    for (size_t at = 1; path[at]; at += strspn(path + at, "/")) {
        at += strcspn(path + at, "/");
        snprintf(part, sizeof(part), "%.*s", (int)at, path);
        if (lstat(part, &inside) < 0 || is_open_to_others(&folder, &inside))
            return false;
        folder = inside;
    }
    return !S_ISLNK(folder.st_mode);
}

int own_folder_check(const char *path, struct fault *fault)
{
    struct stat about;
    if (stat(path, &about) < 0 || (is_trusted(about.st_uid) && !(about.st_mode & S_IWOTH)))
        return 0;
    return fault_set(fault, -EPERM,
                     "other users may write to the folder %s, and its files decide what is run; "
                     "name a new folder",
                     path);
}
