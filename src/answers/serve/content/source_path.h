/* source_path.h - the path of a source file as a recording names it, taken apart by its letters
 * alone.
 *
 * Recordings come from strangers: nothing here looks at any file, and nothing that comes out of
 * here leads upward. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define SOURCE_PARTS_MOST 64

struct source_path {
    char text[PATH_MAX]; /* the parts, each ended by a NUL: no empty one, no "." and no ".." */
    size_t starts[SOURCE_PARTS_MOST]; /* of each, in `text` */
    size_t count;                     /* at least 1 */
    bool is_absolute;
    bool leads_out; /* it had a ".." with no part before it to take away */
};

/* Returns 0 or -EINVAL: empty, too long, too many parts, with control characters, or a folder by
 * its form. */
int source_path_parse(const char *named, struct source_path *path);

static inline const char *source_path_part(const struct source_path *path, size_t index)
{
    return path->text + path->starts[index];
}

/* Returns whether the file's name ends as those of source code do. */
bool source_path_is_code(const struct source_path *path);

/* Returns whether any part from `first` on begins with a dot, as what is nobody's business often
 * does. */
bool source_path_is_hidden(const struct source_path *path, size_t first);
