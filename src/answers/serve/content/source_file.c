/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/content/source_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "serve/content/source_path.h"

#define STEP_FLAGS (O_PATH | O_NOFOLLOW | O_CLOEXEC)

/* One step down, as a descriptor that nothing can be read from yet.  `right`: what everybody
 * needs on it; 0: nothing. */
static int step_down(int folder, const char *part, bool is_last, mode_t right, struct stat *facts)
{
    int const fd = openat(folder, part, STEP_FLAGS | (is_last ? 0 : O_DIRECTORY));
    int err = fd < 0 ? -errno : fstat(fd, facts) < 0 ? -errno : 0;
    if (err == -ENOTDIR || err == -ELOOP)
        err = -EACCES; /* a link, or a file where a folder should be */
    if (!err && is_last && !S_ISREG(facts->st_mode))
        err = -EACCES;
    if (!err && (facts->st_mode & right) != right)
        err = -EACCES;
    if (!err)
        return fd;
    if (fd >= 0)
        close(fd);
    return err;
}

/* The parts from `first` on beneath `folder`, which stays open.  A descriptor of a regular file
 * that cannot be read yet, or -errno. */
static int walk_down(int folder, const struct source_path *path, size_t first, bool for_everybody,
                     struct stat *facts)
{
    int at = folder;
    for (size_t i = first; i < path->count; i++) {
        bool const is_last = i + 1 == path->count;
        mode_t const right = !for_everybody ? 0 : is_last ? S_IROTH : S_IXOTH;
        int const next = step_down(at, source_path_part(path, i), is_last, right, facts);
        if (at != folder)
            close(at);
        if (next < 0)
            return next;
        at = next;
    }
    return at;
}

static bool is_text(const char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        unsigned char const c = (unsigned char)text[at];
        size_t const length = utf8_length(text + at, size - at);
        if (length == 0 || c == 0x7f || (c < 0x20 && !(c >= '\t' && c <= '\r')))
            return false;
        at += length;
    }
    return true;
}

static int read_all(int fd, struct source_text *source)
{
    size_t used = 0;
    source->text = malloc(SOURCE_BYTES_MOST + 2);
    if (!source->text)
        return -ENOMEM;
    for (;;) {
        ssize_t const got = read(fd, source->text + used, SOURCE_BYTES_MOST + 1 - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        used += (size_t)got;
        if (used > SOURCE_BYTES_MOST)
            return -EFBIG;
        if (got == 0)
            break;
    }
    source->text[used] = '\0';
    source->size = used;
    return is_text(source->text, used) ? 0 : -EILSEQ;
}

/* `found` is a regular file that was looked at; only now it is opened, by its descriptor, so it
 * is the same one.  `found` is closed. */
static int open_found(int found, const struct stat *facts)
{
    char name[32];
    int fd = -EFBIG;
    if (facts->st_size <= (off_t)SOURCE_BYTES_MOST) {
        snprintf(name, sizeof(name), "/proc/self/fd/%d", found);
        fd = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        fd = fd < 0 ? -errno : fd;
    }
    close(found);
    return fd;
}

/* `fd`, which may be an -errno, is closed. */
static int read_open(int fd, struct source_text *source)
{
    struct stat facts;
    if (fd < 0)
        return fd;
    int const err = fstat(fd, &facts) < 0 ? -errno : read_all(fd, source);
    close(fd);
    if (err == 0)
        source->changed_unix_ns = timespec_ns(&facts.st_mtim);
    return err;
}

static void note_place(const char *folder, const struct source_path *path, size_t first,
                       struct source_text *source)
{
    size_t used = (size_t)snprintf(source->path, sizeof(source->path), "%s", folder);
    for (size_t i = first; i < path->count && used < sizeof(source->path); i++)
        used += (size_t)snprintf(source->path + used, sizeof(source->path) - used, "%s%s",
                                 used && source->path[used - 1] == '/' ? "" : "/",
                                 source_path_part(path, i));
}

/* The tail from part `first` on beneath one folder.  -ENOENT: it is not there. */
static int try_tail(const char *folder, const struct source_path *path, size_t first,
                    struct source_text *source)
{
    struct stat facts = {0};
    int const at = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (at < 0)
        return -errno;
    int const found = walk_down(at, path, first, false, &facts);
    close(at);
    if (found < 0)
        return found;
    int const err = read_open(open_found(found, &facts), source);
    note_place(folder, path, first, source);
    return err;
}

/* The longest tail that is there counts; one that may not be shown ends the search only if
 * nothing else is found. */
static int read_beneath(const struct source_folders *folders, const struct source_path *path,
                        struct source_text *source)
{
    int said = -ENOENT;
    for (size_t first = 0; first < path->count; first++) {
        if (source_path_is_hidden(path, first)) {
            said = -EPERM;
            continue;
        }
        for (size_t i = 0; i < folders->count; i++) {
            int const err = try_tail(folders->paths[i], path, first, source);
            if (!err)
                return 0;
            source_text_fini(source);
            if (err != -ENOENT && err != -EACCES)
                return err;
            if (err == -EACCES)
                said = err;
        }
    }
    return said;
}

/* Where everybody may read it, by the rights of all folders on its way. */
static int open_for_everybody(const struct source_path *path)
{
    struct stat facts = {0};
    int const root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        return -errno;
    int const err = fstat(root, &facts) == 0 && (facts.st_mode & S_IXOTH) ? 0 : -EACCES;
    int const found = err ? err : walk_down(root, path, 0, true, &facts);
    close(root);
    return found < 0 ? found : open_found(found, &facts);
}

/* By its name it is source code, in a place that the name says all of. */
static bool is_whole(const struct source_path *path)
{
    return path->is_absolute && !path->leads_out;
}

static bool is_code(const struct source_path *path)
{
    return source_path_is_code(path) && !source_path_is_hidden(path, path->count - 1);
}

int source_file_open(const char *named)
{
    struct source_path path;
    if (source_path_parse(named, &path) < 0)
        return -EINVAL;
    return is_whole(&path) && is_code(&path) ? open_for_everybody(&path) : -EACCES;
}

static int (*opener)(const char *named) = source_file_open;

void source_file_open_by(int (*wanted)(const char *named))
{
    opener = wanted ? wanted : source_file_open;
}

static int read_for_everybody(const char *named, const struct source_path *path,
                              struct source_text *source)
{
    int const err = read_open(opener(named), source);
    note_place("", path, 0, source);
    return err;
}

static int explain(int err, bool has_folders, struct fault *fault)
{
    switch (err) {
    case -ENOENT:
        return fault_set(
            fault, err,
            has_folders ? "The source is not in the folders of --sources."
                        : "The source is not on this machine where it was compiled: if you have it "
                          "elsewhere, start memoir serve with --sources DIR.");
    case -EACCES:
        return fault_set(
            fault, err,
            has_folders ? "The source in the folders of --sources is not a regular file, or is "
                          "behind a symbolic link, which memoir does not follow."
                        : "Some users of this machine may not read the source, or it is behind a "
                          "symbolic link: start memoir serve with --sources DIR to show files in "
                          "DIR.");
    case -EPERM:
        return fault_set(
            fault, err,
            "Files and folders whose name begins with a dot are not shown: give the folder "
            "itself with --sources DIR.");
    case -EFBIG:
        return fault_set(fault, err, "The source is larger than 2 MiB, which is too much to show.");
    case -EILSEQ:
        return fault_set(fault, err, "The file is not UTF-8 text, so it is not shown.");
    case -ENOMEM:
        return fault_set(fault, err, "The server is out of memory: ask again later.");
    default:
        return fault_set(fault, err, "The source cannot be read: %s.", strerror(-err));
    }
}

int source_file_read(const struct source_folders *folders, bool is_here, const char *named,
                     struct source_text *source, struct fault *fault)
{
    struct source_path path;
    *source = (struct source_text){.text = NULL};
    if (folders->count == 0 && !is_here)
        return fault_set(fault, -EACCES,
                         "Other machines see only sources in the folders of memoir serve --sources "
                         "DIR.");
    if (source_path_parse(named, &path) < 0)
        return fault_set(fault, -EINVAL,
                         "The name of the source in the recording is not a path of a file.");
    if (folders->count == 0 && !is_whole(&path))
        return fault_set(fault, -EACCES,
                         "The recording does not say in which folder the source is: start memoir "
                         "serve with --sources DIR.");
    if (folders->count == 0 && !is_code(&path))
        return fault_set(fault, -EACCES,
                         "The file name does not end like source code, so the file is not shown: "
                         "if it is source code, start memoir serve with --sources DIR.");
    int const err = folders->count ? read_beneath(folders, &path, source)
                                   : read_for_everybody(named, &path, source);
    if (!err)
        return 0;
    source_text_fini(source);
    return explain(err, folders->count > 0, fault);
}

void source_text_fini(struct source_text *source)
{
    free(source->text);
    source->text = NULL;
    source->size = 0;
}
