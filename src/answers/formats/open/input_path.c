/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/open/input_path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/shared/spool.h"

#define KEPT_MAX 8u

/* What was read from pipes: by the name it was asked for. */
static struct {
    const char *name; /* of main's arguments, which stay */
    int fd;
} kept[KEPT_MAX];
static unsigned kept_count;

static bool is_standard(const char *path)
{
    return strcmp(path, "-") == 0;
}

const char *input_name(const char *path)
{
    return is_standard(path) ? "standard input" : path;
}

static const char *path_of(int fd, char room[INPUT_PATH_MAX])
{
    snprintf(room, INPUT_PATH_MAX, "/proc/self/fd/%d", fd);
    return room;
}

/* The descriptor of what was read from it before; -1: nothing was. */
static int find_kept(const char *path)
{
    for (unsigned i = 0; i < kept_count; i++)
        if (strcmp(kept[i].name, path) == 0)
            return kept[i].fd;
    return -1;
}

static int keep(const char *path, struct fault *fault)
{
    int const from = is_standard(path) ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (from < 0)
        return fault_set(fault, -errno, "cannot open %s: %s", path, strerror(errno));
    int const fd = kept_count == KEPT_MAX
                       ? fault_set(fault, -E2BIG, "cannot read %s: there are too many pipes", path)
                       : spool_stream(from, input_name(path), fault);
    if (from != STDIN_FILENO)
        close(from);
    if (fd >= 0) {
        kept[kept_count].name = path;
        kept[kept_count++].fd = fd;
    }
    return fd;
}

const char *input_path(const char *path, char room[INPUT_PATH_MAX], struct fault *fault)
{
    struct stat status;
    int fd = find_kept(path);
    if (fd >= 0)
        return path_of(fd, room);
    int const found = is_standard(path) ? fstat(STDIN_FILENO, &status) : stat(path, &status);
    if (found == 0 && is_standard(path) && isatty(STDIN_FILENO)) {
        fault_set(fault, -EINVAL,
                  "standard input is a terminal: name a file, or pipe a file into memoir");
        return NULL;
    }
    if (found == 0 && is_standard(path) && S_ISREG(status.st_mode))
        return path_of(STDIN_FILENO, room);
    if (!is_standard(path) &&
        (found < 0 || (!S_ISFIFO(status.st_mode) && !S_ISSOCK(status.st_mode))))
        return path; /* whoever opens it says what is wrong with it */
    fd = keep(path, fault);
    return fd < 0 ? NULL : path_of(fd, room);
}

int input_unpack(const char *path, char room[INPUT_PATH_MAX], struct fault *fault)
{
    int const fd = spool_unpacked(path, fault);
    if (fd >= 0)
        path_of(fd, room);
    return fd;
}

void input_path_rename(struct fault *fault, const char *found, const char *path)
{
    char text[FAULT_TEXT_MAX];
    char *at = fault && found != path ? strstr(fault->text, found) : NULL;
    if (!at)
        return;
    snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - fault->text), fault->text, input_name(path),
             at + strlen(found));
    memcpy(fault->text, text, sizeof(text));
}
