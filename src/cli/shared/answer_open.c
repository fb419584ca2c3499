/* SPDX-License-Identifier: Apache-2.0 */
/* answer_open.c - opening the place of an answer (answer_file.h).  The agent, which reads no
 * recordings, does not link this file. */
#include "cli/shared/answer_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own_path.h"
#include "store/read/recording_reader.h"

/* Whether `path` holds a recording.  A pipe or a device is not opened: that may have effects. */
static bool is_recording(const char *path, const struct stat *about)
{
    char head[16];
    int const fd = S_ISREG(about->st_mode) ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (fd < 0)
        return false;
    ssize_t const size = pread(fd, head, sizeof(head), 0);
    close(fd);
    return size == (ssize_t)sizeof(head) && recording_recognise(head, sizeof(head));
}

int answer_check_place(const char *path, struct fault *fault)
{
    struct stat about;
    if (stat(path, &about) < 0)
        return 0;
    if (answer_is_protected(&about))
        return fault_set(fault, -EEXIST,
                         "%s is the input and would be overwritten; choose another name with -o",
                         path);
    if (is_recording(path, &about))
        return fault_set(fault, -EEXIST,
                         "%s is a recording, and would be overwritten by this answer; choose "
                         "another name with -o, or remove the recording first",
                         path);
    return 0;
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
static int open_answer(const char *path, struct fault *fault)
{
    struct stat about;
    char place[PATH_MAX];
    int const err = own_path_resolve(path, place, fault);
    if (err)
        return err;
    bool const exists = lstat(place, &about) == 0;
    int const fd = exists && !S_ISREG(about.st_mode) ? -1 : open_beside(place);
    return fd >= 0 ? fd : own_path_open(place, fault);
}

FILE *answer_open(const char *path, struct fault *fault)
{
    if (!path || strcmp(path, "-") == 0)
        return stdout;
    if (answer_check_place(path, fault) < 0)
        return NULL;
    if (access(path, F_OK) == 0 && access(path, W_OK) < 0) {
        fault_set(fault, -errno, "cannot write %s: %s", path, strerror(errno));
        return NULL;
    }
    int const fd = open_answer(path, fault);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!file && fd >= 0) {
        fault_set(fault, -errno, "cannot write %s: %s", path, strerror(errno));
        close(fd);
    }
    return file;
}
