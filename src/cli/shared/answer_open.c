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

/* Where the answer is written: a file without a name beside what is there, if that is a file. */
static int open_answer(const char *path, struct fault *fault)
{
    struct own_place place;
    int const err = own_place_find(path, &place, fault);
    if (err)
        return err;
    bool const may_replace =
        !place.exists || (S_ISREG(place.there.st_mode) &&
                          faccessat(place.folder, place.name, W_OK, AT_SYMLINK_NOFOLLOW) == 0);
    int const fd =
        may_replace ? openat(place.folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600) : -1;
    own_place_close(&place);
    return fd >= 0 ? fd : own_path_open(path, O_WRONLY | O_TRUNC, NULL, fault);
}

FILE *answer_open(const char *path, struct fault *fault)
{
    if (!path || strcmp(path, "-") == 0)
        return stdout;
    if (answer_check_place(path, fault) < 0)
        return NULL;
    int const fd = open_answer(path, fault);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!file && fd >= 0) {
        fault_set(fault, -errno, "cannot write %s: %s", path, strerror(errno));
        close(fd);
    }
    return file;
}
