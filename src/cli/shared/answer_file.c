/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/shared/answer_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define INPUTS_MAX 64u

static bool is_standard(const char *path)
{
    return !path || strcmp(path, "-") == 0;
}

/* Files that are read, by what they are and not by what they are called. */
static struct {
    dev_t device;
    ino_t inode;
} inputs[INPUTS_MAX];
static unsigned input_count;

void answer_protect(const char *path)
{
    struct stat about;
    if (input_count >= INPUTS_MAX || stat(path, &about) < 0)
        return;
    inputs[input_count].device = about.st_dev;
    inputs[input_count++].inode = about.st_ino;
}

static bool is_input(const struct stat *about)
{
    for (unsigned i = 0; i < input_count; i++)
        if (inputs[i].device == about->st_dev && inputs[i].inode == about->st_ino)
            return true;
    return false;
}

/* A file without a name, in the folder of `path`; -1 where that cannot be. */
static int open_beside(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    int const fd = folder ? open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600) : -1;
    free(folder);
    return fd;
}

/* Where the answer is written: beside what is there, if that is a file. */
static int open_answer(const char *path)
{
    struct stat about;
    bool const exists = stat(path, &about) == 0;
    int const fd = exists && !S_ISREG(about.st_mode) ? -1 : open_beside(path);
    return fd >= 0 ? fd : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

FILE *answer_open(const char *path, struct fault *fault)
{
    struct stat about;
    if (is_standard(path))
        return stdout;
    if (stat(path, &about) == 0 && is_input(&about)) {
        fault_set(fault, -EEXIST,
                  "%s is what is read, and would be overwritten; choose another name with -o",
                  path);
        return NULL;
    }
    if (access(path, F_OK) == 0 && access(path, W_OK) < 0) {
        fault_set(fault, -errno, "cannot write %s: %s", path, strerror(errno));
        return NULL;
    }
    int const fd = open_answer(path);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!file) {
        fault_set(fault, -errno, "cannot write %s: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
    }
    return file;
}

/* Gives a file without a name its own, in place of what has it now. */
static int replace_file(FILE *file, const char *path)
{
    char way[64], part[PATH_MAX];
    struct stat about, before;
    char *real = realpath(path, NULL); /* a link stays one */
    const char *place = real ? real : path;
    int err = 0;
    if (fstat(fileno(file), &about) < 0 || !S_ISREG(about.st_mode) || about.st_nlink > 0)
        goto end; /* it has one, or needs none */
    snprintf(way, sizeof(way), "/proc/self/fd/%d", fileno(file));
    snprintf(part, sizeof(part), "%s.part%d", place, (int)getpid());
    if (stat(place, &before) == 0)
        (void)!fchmod(fileno(file), before.st_mode & 0777);
    if (linkat(AT_FDCWD, way, AT_FDCWD, part, AT_SYMLINK_FOLLOW) < 0) {
        err = errno;
    } else if (rename(part, place) < 0) {
        err = errno;
        unlink(part);
    }
end:
    free(real);
    return err;
}

void answer_discard(FILE *file, const char *path)
{
    struct stat about;
    bool const has_name = fstat(fileno(file), &about) == 0 && about.st_nlink > 0;
    if (is_standard(path)) {
        fflush(file);
        return;
    }
    fclose(file);
    if (has_name && S_ISREG(about.st_mode)) /* half a file helps nobody */
        unlink(path);
}

/* Whether nobody reads the pipe any more: the error of an early write is forgotten by the end. */
static bool reader_left(FILE *file)
{
    struct pollfd end = {.fd = fileno(file), .events = POLLOUT};
    return poll(&end, 1, 0) == 1 && (end.revents & POLLERR);
}

int answer_close(FILE *file, const char *path, struct fault *fault)
{
    errno = 0;
    bool failed = fflush(file) != 0;
    int code = errno;
    failed = ferror(file) || failed;
    if (failed && code == 0 && reader_left(file))
        code = EPIPE;
    if (!failed && !is_standard(path) && (code = replace_file(file, path)) != 0)
        failed = true;
    if (!is_standard(path) && fclose(file) != 0 && !failed) {
        failed = true;
        code = errno;
    }
    if (!failed || code == EPIPE)
        return 0;
    return fault_set(fault, code ? -code : -EIO, "cannot write %s: %s",
                     is_standard(path) ? "the answer" : path, strerror(code ? code : EIO));
}

bool answer_wants_color(FILE *file, bool no_color)
{
    const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");
    if (no_color || (refused && *refused))
        return false;
    return isatty(fileno(file)) && terminal && strcmp(terminal, "dumb") != 0;
}

unsigned answer_width(FILE *file)
{
    struct winsize size;
    if (!isatty(fileno(file)))
        return 0;
    if (ioctl(fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 80;
}
