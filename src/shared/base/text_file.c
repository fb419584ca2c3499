/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int text_file_read(const char *path, size_t max, struct slice *text, struct fault *fault)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return fault_set(fault, -errno, "cannot open %s: %s", path, strerror(errno));
    char *data = malloc(max + 1);
    errno = 0;
    size_t const size = data ? fread(data, 1, max + 1, file) : 0;
    int err = !data ? -ENOMEM : ferror(file) ? -(errno ? errno : EIO) : 0;
    fclose(file);
    if (!err && size > max)
        err = -EFBIG;
    if (err) {
        free(data);
        return fault_set(fault, err, "cannot read %s: %s", path, strerror(-err));
    }
    text->data = data;
    text->size = size;
    return 0;
}

void text_file_free(struct slice text)
{
    free((char *)text.data);
}
