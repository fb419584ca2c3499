/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/targets/find_recording.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own_path.h"
#include "procfs/process/open_files.h"
#include "store/read/recording_reader.h"

#define RECORDER "memoir-record"

static void name_descriptor(int fd, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "/proc/self/fd/%d", fd);
}

static bool is_recording(int fd)
{
    char head[16];
    return pread(fd, head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
           recording_recognise(head, sizeof(head));
}

/* Whether it is the one that is being made of `pid`, as its recorder numbers it. */
static bool is_of(const struct open_file *file, uint32_t pid)
{
    char way[PATH_MAX];
    if (pid == 0 || !is_recording(file->fd))
        return false;
    name_descriptor(file->fd, way);
    struct recording *recording = recording_read(way, NULL);
    bool const found = recording && recording->pid == pid && recording->being_written;
    recording_destroy(recording);
    return found;
}

/* The file's own name, unless that leads elsewhere from here or may do so later. */
static void name_file(const struct open_file *file, char path[PATH_MAX])
{
    struct stat open_file, named;
    ssize_t const length = readlink(file->path, path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = '\0';
    if (path[0] != '/' || stat(path, &named) < 0 || fstat(file->fd, &open_file) < 0 ||
        named.st_ino != open_file.st_ino || named.st_dev != open_file.st_dev ||
        !own_path_stays(path))
        name_descriptor(file->fd, path);
}

void found_recording_close(struct found_recording *found)
{
    if (found->fd >= 0)
        close(found->fd);
    found->fd = -1;
}

static int say_none(uint32_t pid, uint32_t strangers, struct fault *fault)
{
    if (strangers == 0)
        return fault_set(fault, -ENOENT,
                         "process %u is not being recorded: start the program with memoir run, or "
                         "use memoir attach",
                         pid);
    return fault_set(fault, -ENOENT,
                     "process %u is not being recorded by you or by root with this memoir; other "
                     "recorders are not believed: name the file",
                     pid);
}

int find_recording(uint32_t pid, struct found_recording *found, struct fault *fault)
{
    struct open_files files;
    *found = (struct found_recording){.fd = -1};
    int const err = open_files_find(RECORDER, &files);
    if (err < 0)
        return fault_set(fault, err, "cannot look for recorders in /proc: %s", strerror(-err));
    for (size_t i = 0; i < files.files.count && found->fd < 0; i++) {
        struct open_file *file = &files.files.items[i];
        if (!is_of(file, process_number_for(pid, file->pid)))
            continue;
        name_file(file, found->path);
        found->fd = file->fd;
        file->fd = -1;
    }
    uint32_t const strangers = files.strangers;
    open_files_fini(&files);
    return found->fd >= 0 ? 0 : say_none(pid, strangers, fault);
}
