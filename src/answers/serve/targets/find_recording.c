/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/targets/find_recording.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "procfs/process/open_files.h"
#include "store/read/recording_reader.h"

#define RECORDER "memoir-record"

static bool is_recording(const char *path)
{
    char head[16];
    int const fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    ssize_t const size = pread(fd, head, sizeof(head), 0);
    close(fd);
    return size == sizeof(head) && recording_recognise(head, sizeof(head));
}

/* Whether it is the one that is being made of `pid`, as its recorder numbers it. */
static bool is_of(const char *path, uint32_t pid)
{
    if (pid == 0 || !is_recording(path))
        return false;
    struct recording *recording = recording_read(path, NULL);
    bool const found = recording && recording->pid == pid && recording->being_written;
    recording_destroy(recording);
    return found;
}

/* The file's own name, unless that leads elsewhere from here. */
static void name_file(const char *link, char *path)
{
    char target[PATH_MAX];
    struct stat open_file, named;
    ssize_t const length = readlink(link, target, sizeof(target) - 1);
    target[length > 0 ? length : 0] = '\0';
    bool const leads_there = stat(target, &named) == 0 && stat(link, &open_file) == 0 &&
                             named.st_ino == open_file.st_ino && named.st_dev == open_file.st_dev;
    snprintf(path, PATH_MAX, "%s", leads_there ? target : link);
}

int find_recording(uint32_t pid, char path[PATH_MAX], struct fault *fault)
{
    struct open_files files;
    int err = open_files_find(RECORDER, &files);
    if (err < 0)
        return fault_set(fault, err, "cannot look for recorders in /proc: %s", strerror(-err));
    err = fault_set(fault, -ENOENT,
                    "process %u is not being recorded: start the program with memoir run, or use "
                    "memoir attach",
                    pid);
    for (size_t i = 0; i < files.files.count && err; i++) {
        const struct open_file *file = &files.files.items[i];
        if (!is_of(file->path, process_number_for(pid, file->pid)))
            continue;
        name_file(file->path, path);
        err = 0;
    }
    open_files_fini(&files);
    return err;
}
