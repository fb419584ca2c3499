/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/answer_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool is_standard(const char *path)
{
    return !path || strcmp(path, "-") == 0;
}

FILE *answer_open(const char *path, struct fault *fault)
{
    if (is_standard(path))
        return stdout;
    int const fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) {
        fault_set(fault, -errno, "cannot write %s: %s", path, strerror(errno));
        return NULL;
    }
    FILE *file = fdopen(fd, "w");
    if (!file) {
        fault_set(fault, -errno, "cannot write %s: %s", path, strerror(errno));
        close(fd);
    }
    return file;
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
