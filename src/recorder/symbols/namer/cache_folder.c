/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/namer/cache_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own_path.h"

/* Makes the last part of `path` if it is missing, in a folder of ours: root that has the HOME of
 * somebody else leaves nothing there. */
static int make_folder(char *path)
{
    struct stat about;
    char *slash = strrchr(path, '/');
    if (lstat(path, &about) == 0)
        return 0;
    *slash = '\0';
    bool const is_ours =
        path[0] && own_path_stays(path) && lstat(path, &about) == 0 && about.st_uid == geteuid();
    *slash = '/';
    if (!is_ours)
        return -EPERM;
    return mkdir(path, 0700) < 0 && errno != EEXIST ? -errno : 0;
}

static int open_folder(const char *path)
{
    struct stat about;
    int const fd =
        own_path_stays(path) ? open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    if (fd >= 0 && fstat(fd, &about) == 0 && about.st_uid == geteuid() &&
        !(about.st_mode & (S_IRWXG | S_IRWXO)))
        return fd;
    if (fd >= 0)
        close(fd);
    return -EPERM;
}

int cache_folder_open(void)
{
    static const char *const parts[] = {"", "/memoir", "/memoir/names"};
    const char *above = getenv("XDG_CACHE_HOME"), *after = "";
    char given[PATH_MAX], base[PATH_MAX], path[PATH_MAX];
    if (!above || above[0] != '/') {
        above = getenv("HOME");
        after = "/.cache";
    }
    if (!above || above[0] != '/' ||
        snprintf(given, sizeof(given), "%s%s", above, after) >= (int)sizeof(given))
        return -ENOENT;
    int err = own_path_resolve(given, base, NULL);
    for (size_t i = 0; !err && i < sizeof(parts) / sizeof(parts[0]); i++)
        err = snprintf(path, sizeof(path), "%s%s", base, parts[i]) < (int)sizeof(path)
                  ? make_folder(path)
                  : -ENAMETOOLONG;
    return err ? err : open_folder(path);
}

static bool read_whole(int fd, char *bytes, size_t size)
{
    size_t at = 0;
    while (at < size) {
        ssize_t const got = read(fd, bytes + at, size - at);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        at += got > 0 ? (size_t)got : 0;
    }
    return true;
}

static bool is_ours_alone(const struct stat *about)
{
    return S_ISREG(about->st_mode) && about->st_uid == geteuid() && about->st_nlink == 1 &&
           !(about->st_mode & (S_IRWXG | S_IRWXO));
}

char *cache_folder_read(int folder, const char *name, size_t most, size_t *size)
{
    struct stat about;
    char *bytes = NULL;
    int const fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    if (fstat(fd, &about) == 0 && is_ours_alone(&about) && about.st_size > 0 &&
        (uint64_t)about.st_size <= most) {
        *size = (size_t)about.st_size;
        bytes = malloc(*size);
        if (bytes && !read_whole(fd, bytes, *size)) {
            free(bytes);
            bytes = NULL;
        }
    }
    close(fd);
    return bytes;
}

/* Removes the oldest while there are too many. */
static void make_room(int folder)
{
    for (;;) {
        char oldest[CACHE_NAME_BYTES + 1] = "";
        struct timespec least = {0};
        unsigned count = 0;
        int const fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        DIR *list = fd < 0 ? NULL : fdopendir(fd);
        if (!list) {
            if (fd >= 0)
                close(fd);
            return;
        }
        for (struct dirent *entry; (entry = readdir(list));) {
            struct stat about;
            if (strlen(entry->d_name) != CACHE_NAME_BYTES ||
                fstatat(folder, entry->d_name, &about, AT_SYMLINK_NOFOLLOW) < 0)
                continue;
            if (count++ == 0 || timespec_ns(&about.st_mtim) < timespec_ns(&least)) {
                least = about.st_mtim;
                memcpy(oldest, entry->d_name, sizeof(oldest));
            }
        }
        closedir(list);
        if (count < CACHE_FILES_MAX || unlinkat(folder, oldest, 0) < 0)
            return;
    }
}

static bool write_whole(int fd, const char *bytes, size_t size)
{
    size_t at = 0;
    while (at < size) {
        ssize_t const put = write(fd, bytes + at, size - at);
        if (put < 0 && errno != EINTR)
            return false;
        at += put > 0 ? (size_t)put : 0;
    }
    return true;
}

void cache_folder_write(int folder, const char *name, const char *bytes, size_t size)
{
    char beside[CACHE_NAME_BYTES + 24];
    snprintf(beside, sizeof(beside), "new.%d", (int)getpid());
    make_room(folder);
    (void)unlinkat(folder, beside, 0); /* of one that was killed */
    int const fd = openat(folder, beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                          S_IRUSR | S_IWUSR);
    if (fd < 0)
        return;
    bool const is_whole = write_whole(fd, bytes, size);
    close(fd);
    if (!is_whole || renameat(folder, beside, folder, name) < 0)
        (void)unlinkat(folder, beside, 0);
}
