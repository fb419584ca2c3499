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

/* Under another name first: a name that is taken is only replaced by a rename. */
static int put_in_place(FILE *file, const struct own_place *place)
{
    char way[64], part[NAME_MAX + 1];
    uint64_t number = 0;
    (void)!getrandom(&number, sizeof(number), 0);
    snprintf(way, sizeof(way), "/proc/self/fd/%d", fileno(file));
    if (snprintf(part, sizeof(part), "%s.part%016llx", place->name, (unsigned long long)number) >=
        (int)sizeof(part))
        snprintf(part, sizeof(part), ".part%016llx", (unsigned long long)number);
    if (place->exists)
        (void)!fchmod(fileno(file), place->there.st_mode & 0777);
    if (linkat(AT_FDCWD, way, place->folder, part, AT_SYMLINK_FOLLOW) < 0)
        return errno;
    int const err = renameat(place->folder, part, place->folder, place->name) < 0 ? errno : 0;
    if (err)
        unlinkat(place->folder, part, 0);
    return err;
}

/* Gives a file without a name its own, in place of what has it now; a link of ours stays one. */
static int replace_file(FILE *file, const char *path)
{
    struct own_place place;
    struct stat about;
    if (fstat(fileno(file), &about) < 0 || !S_ISREG(about.st_mode) || about.st_nlink > 0)
        return 0; /* it has one, or needs none */
    int err = own_place_find(path, &place, NULL);
    if (err)
        return -err;
    err = put_in_place(file, &place);
    own_place_close(&place);
    return err;
}

/* Half a file helps nobody: takes its name away, if it is there. */
static void remove_half(const struct stat *half, const char *path)
{
    struct own_place place;
    if (!S_ISREG(half->st_mode) || half->st_nlink == 0 || own_place_find(path, &place, NULL) < 0)
        return;
    if (place.exists && place.there.st_dev == half->st_dev && place.there.st_ino == half->st_ino)
        unlinkat(place.folder, place.name, 0);
    own_place_close(&place);
}

void answer_discard(FILE *file, const char *path)
{
    struct stat about;
    if (is_standard(path)) {
        fflush(file);
        return;
    }
    bool const is_known = fstat(fileno(file), &about) == 0;
    fclose(file);
    if (is_known)
        remove_half(&about, path);
}

/* Whether nobody reads the pipe any more: the error of an early write is forgotten by the end. */
static bool reader_left(FILE *file)
{
    struct pollfd end = {.fd = fileno(file), .events = POLLOUT};
    return poll(&end, 1, 0) == 1 && (end.revents & POLLERR);
}

/* Why an early write failed is forgotten by the end, too: another one fails likewise. */
static int ask_again(FILE *file)
{
    clearerr(file);
    errno = 0;
    return fputc('\n', file) == EOF || fflush(file) != 0 ? errno : 0;
}

int answer_close(FILE *file, const char *path, struct fault *fault)
{
    errno = 0;
    bool failed = fflush(file) != 0;
    int code = errno;
    failed = ferror(file) || failed;
    if (failed && code == 0 && reader_left(file))
        code = EPIPE;
    if (failed && code == 0)
        code = ask_again(file);
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
