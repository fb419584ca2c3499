/* source_file.h - the text of a source file that a recording names, if it may be shown.
 *
 * A recording comes from a stranger, who may have written any path into it, and the server may
 * be root.  So a file is read only
 *
 *   - beneath a folder of --sources, where the longest tail of the path that is a file there
 *     counts, and no part of it may begin
 *     with a dot; or
 *   - without --sources, for clients of this machine, when everybody on it may read the file by
 *     all rights on its way, and
 *     its name ends as that of source code.
 *
 * In both cases it is a regular file, no link is followed on the way (in the folder of --sources
 * itself there may be some), nothing but a regular file is ever opened for reading, and what is
 * read is at most SOURCE_BYTES_MOST of UTF-8 without control characters. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

#define SOURCE_BYTES_MOST   ((size_t)2 << 20)
#define SOURCE_FOLDERS_MOST 16

struct source_folders {
    const char *paths[SOURCE_FOLDERS_MOST];
    size_t count;
};

struct source_text {
    char *text; /* owned; ended by a NUL that is not in `size` */
    size_t size;
    char path[PATH_MAX]; /* where it was found */
    uint64_t changed_unix_ns;
};

/* A file that everybody may read, as above without --sources, by the path that a recording names: a
 * descriptor, or -errno. */
int source_file_open(const char *named);
/* Who does that where this process may not; NULL: it may. */
void source_file_open_by(int (*opener)(const char *named));

/* `is_here`: the client is on this machine.  0; -EACCES when it may not be shown, -ENOENT when
 * it is not there, -EFBIG, -EILSEQ, -EINVAL or another -errno, each with a sentence that says
 * what to do. */
int source_file_read(const struct source_folders *folders, bool is_here, const char *named,
                     struct source_text *source, struct fault *fault);
void source_text_fini(struct source_text *source);
