/* growing_file.h - a file that only grows, by whole pieces: a piece that does not fit leaves
 * nothing. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

struct growing_file {
    int fd;
    uint64_t size; /* of the whole pieces */
};

/* Makes a new file, 0600, in place of whatever regular file has that name; somebody who reads the
 * old one goes on reading it.  Anything but a regular file is left alone and refused.  0 or -errno.
 */
int growing_file_create(struct growing_file *file, const char *path);

/* 0, or -errno with the file as it was. */
int growing_file_append(struct growing_file *file, const void *data, size_t size);
void growing_file_close(struct growing_file *file);
