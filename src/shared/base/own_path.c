/* SPDX-License-Identifier: Apache-2.0 */
#include "base/own_path.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#define LINKS_MAX 40 /* as the kernel */

static bool is_trusted(uid_t owner)
{
    return owner == geteuid() || owner == 0;
}

/* The folder that the last part of `path` is in. */
static int folder_of(const char *path, char folder[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    int const length = !slash ? snprintf(folder, PATH_MAX, ".")
                       : slash == path
                           ? snprintf(folder, PATH_MAX, "/")
                           : snprintf(folder, PATH_MAX, "%.*s", (int)(slash - path), path);
    return length < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* Links of /proc lead to open files: /dev/stdout. */
static bool is_of_proc(const char *folder)
{
    struct statfs about;
    return statfs(folder, &about) == 0 && about.f_type == PROC_SUPER_MAGIC;
}

static int follow(char place[PATH_MAX], const char *folder)
{
    char target[PATH_MAX], next[PATH_MAX];
    ssize_t const size = readlink(place, target, sizeof(target) - 1);
    if (size < 0)
        return -errno;
    target[size] = '\0';
    if (snprintf(next, sizeof(next), "%s%s%s", target[0] == '/' ? "" : folder,
                 target[0] == '/' ? "" : "/", target) >= PATH_MAX)
        return -ENAMETOOLONG;
    memcpy(place, next, sizeof(next));
    return 0;
}

static int refuse(struct fault *fault, const char *path, const char *what, uid_t owner)
{
    return fault_set(fault, -EPERM,
                     "%s is a %s of another user (%u), who could choose what is overwritten; name "
                     "another place with -o",
                     path, what, (unsigned)owner);
}

static int check_end(const char *path, const char *folder, const struct stat *there,
                     struct fault *fault)
{
    struct stat about;
    if (stat(folder, &about) < 0 || !(about.st_mode & S_IWOTH) || there->st_uid == geteuid() ||
        S_ISCHR(there->st_mode) || S_ISBLK(there->st_mode))
        return 0; /* a device is its driver's, whoever made the name */
    return refuse(fault, path, S_ISREG(there->st_mode) ? "file" : "pipe or a socket",
                  there->st_uid);
}

int own_path_resolve(const char *path, char place[PATH_MAX], struct fault *fault)
{
    char folder[PATH_MAX];
    struct stat there;
    int err = snprintf(place, PATH_MAX, "%s", path) < PATH_MAX ? 0 : -ENAMETOOLONG;
    for (unsigned links = 0; !err; links++) {
        err = folder_of(place, folder);
        if (err || lstat(place, &there) < 0)
            break; /* nothing is there: who makes it finds out */
        if (!S_ISLNK(there.st_mode))
            return S_ISDIR(there.st_mode) ? 0 : check_end(path, folder, &there, fault);
        if (is_of_proc(folder))
            break;
        if (!is_trusted(there.st_uid))
            return refuse(fault, place, "link", there.st_uid);
        err = links < LINKS_MAX ? follow(place, folder) : -ELOOP;
    }
    return err ? fault_set(fault, err, "cannot write %s: %s", path, strerror(-err)) : 0;
}

int own_path_open(const char *path, struct fault *fault)
{
    char place[PATH_MAX];
    struct stat there;
    int err = own_path_resolve(path, place, fault);
    if (err)
        return err;
    bool const exists = lstat(place, &there) == 0;
    int const of_proc = exists && S_ISLNK(there.st_mode); /* nothing else is a link by now */
    int const fd = open(place,
                        O_WRONLY | O_CLOEXEC | O_NOCTTY | (of_proc ? 0 : O_NOFOLLOW) |
                            (exists ? O_TRUNC : O_CREAT | O_EXCL),
                        0600);
    return fd >= 0 ? fd : fault_set(fault, -errno, "cannot write %s: %s", path, strerror(errno));
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
