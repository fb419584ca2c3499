/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/process/proc_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define FIRST_ROOM 8192u

int proc_text_read_fd(int fd, size_t max, char **text)
{
    size_t room = FIRST_ROOM, size = 0;
    ssize_t got = 1;
    int err = 0;
    *text = NULL;
    while (err == 0 && got > 0) {
        if (!*text || room - size < FIRST_ROOM / 2) {
            char *grown = realloc(*text, room *= 2);
            if (!grown) {
                err = -ENOMEM;
                break;
            }
            *text = grown;
        }
        got = read(fd, *text + size, room - size - 1);
        if (got < 0)
            err = -errno;
        else
            size += (size_t)got;
        if (size >= max)
            break;
    }
    if (err < 0) {
        free(*text);
        *text = NULL;
        return err;
    }
    (*text)[size] = '\0';
    return 0;
}

int proc_text_read(const char *path, size_t max, char **text)
{
    int const fd = open(path, O_RDONLY | O_CLOEXEC);
    *text = NULL;
    if (fd < 0)
        return -errno;
    int const err = proc_text_read_fd(fd, max, text);
    close(fd);
    return err;
}

ssize_t proc_text_read_start(int fd, char *text, size_t size)
{
    text[0] = '\0';
    if (fd < 0)
        return fd;
    ssize_t const got = read(fd, text, size - 1);
    int const err = got < 0 ? -errno : 0;
    close(fd);
    text[got > 0 ? got : 0] = '\0';
    return err ? err : got;
}
