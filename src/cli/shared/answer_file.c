/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/shared/answer_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own_path.h"

static bool is_standard(const char *path)
{
    return !path || strcmp(path, "-") == 0;
}

/* Gives a file without a name its own, in place of what has it now. */
static int replace_file(FILE *file, const char *path)
{
    char way[64], place[PATH_MAX], part[PATH_MAX + 32];
    struct stat about, before;
    uint64_t number = 0;
    int err = 0;
    if (fstat(fileno(file), &about) < 0 || !S_ISREG(about.st_mode) || about.st_nlink > 0)
        return 0;                                         /* it has one, or needs none */
    if ((err = own_path_resolve(path, place, NULL)) != 0) /* a link of ours stays one */
        return -err;
    (void)!getrandom(&number, sizeof(number), 0);
    snprintf(way, sizeof(way), "/proc/self/fd/%d", fileno(file));
    snprintf(part, sizeof(part), "%s.part%016llx", place, (unsigned long long)number);
    if (stat(place, &before) == 0)
        (void)!fchmod(fileno(file), before.st_mode & 0777);
    if (linkat(AT_FDCWD, way, AT_FDCWD, part, AT_SYMLINK_FOLLOW) < 0) {
        err = errno;
    } else if (rename(part, place) < 0) {
        err = errno;
        unlink(part);
    }
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
