/* source_file.h - reads a source file that a recording names, if it may be shown.
 *
 * A stranger may have made the recording, with any path in it, and the server may be root.  So a
 * file is read only
 *
 *   - in a folder of --sources: the longest tail of the path that is a file in the folder is read,
 *     and no part of the tail may begin with a dot; or
 *   - without --sources, for clients on this machine: every user must have the rights to read the
 *     file, including the folders on its path, and the name must end like the name of source code.
 *
 * In both cases only regular files are opened, symbolic links are not followed (except in the path
 * of the folder of --sources), and at most SOURCE_BYTES_MOST are read, of UTF-8 without control
 * characters. */
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
    char *text; /* owned; followed by a NUL that is not in `size` */
    size_t size;
    char path[PATH_MAX]; /* path of the file that was read */
    uint64_t changed_unix_ns;
};

/* Opens a file that every user may read, by the path in a recording, with the rules for a server
 * without --sources.  Returns a descriptor or -errno. */
int source_file_open(const char *named);
/* Sets who opens such files for a process that must not; NULL: this process does. */
void source_file_open_by(int (*opener)(const char *named));

/* Reads a file.  `is_here`: the client is on this machine.  Returns 0; -EACCES if the file may not
 * be shown, -ENOENT if it does not exist, -EFBIG, -EILSEQ, -EINVAL or another -errno.  Every error
 * has a sentence that says what to do. */
int source_file_read(const struct source_folders *folders, bool is_here, const char *named,
                     struct source_text *source, struct fault *fault);
void source_text_fini(struct source_text *source);
