/* source_path.h - parses the path of a source file in a recording.
 *
 * A stranger may have made the recording.  Nothing here looks at any file, and a parsed path never
 * leads upward. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define SOURCE_PARTS_MOST 64

struct source_path {
    char text[PATH_MAX]; /* the parts, each followed by a NUL: none empty, no "." and no ".." */
    size_t starts[SOURCE_PARTS_MOST]; /* offset of each part in `text` */
    size_t count;                     /* at least 1 */
    bool is_absolute;
    bool leads_out; /* the path had a ".." without a part before it */
};

/* Returns 0; or -EINVAL for a path that is empty, too long, has too many parts or control
 * characters, or ends like a folder. */
int source_path_parse(const char *named, struct source_path *path);

static inline const char *source_path_part(const struct source_path *path, size_t index)
{
    return path->text + path->starts[index];
}

/* Returns whether the file's name ends as those of source code do. */
bool source_path_is_code(const struct source_path *path);

/* Returns whether any part from `first` on begins with a dot, as private files often do. */
bool source_path_is_hidden(const struct source_path *path, size_t first);
