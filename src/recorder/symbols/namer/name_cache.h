/* name_cache.h - names of functions, kept on disk from one recording to the next.
 *
 * One file for each module and build-id, in $XDG_CACHE_HOME/memoir/names (by default
 * ~/.cache/memoir/names), a folder with mode 0700 of the user who records.  What a file says holds
 * as long as every file that was read for it is the same, or is missing as it was then: by device,
 * inode, size, both times, owner and mode; and as long as the program that looks up names is the
 * same.  Each record has a checksum.  A file that is damaged, not ours alone, or about other files
 * is as good as none.  Bounds: CACHED_BYTES_MAX for each file, CACHE_FILES_MAX files; the oldest
 * are removed.  Not thread-safe. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "symbols/namer/name_client.h"

#define CACHED_BYTES_MAX ((size_t)1 << 20) /* Names that are more are not kept. */
#define CACHED_READ_MAX  16u               /* Files that were read for one module. */

struct cached_names; /* Of one module. */

/* Returns what is known of a module, which may be nothing yet; NULL when out of memory. `folder` is
 * that of cache_folder_open, `program` looks up the names. */
struct cached_names *cached_names_load(int folder, const char *program, const char *path,
                                       const char *build_id);
/* Saves what is new, unless the names are spoiled, and frees them. */
void cached_names_close(struct cached_names *names, int folder);

/* Returns whether `address` is known; then the caller frees the names of `answer`. */
bool cached_names_find(const struct cached_names *names, uint64_t address,
                       struct name_answer *answer);
void cached_names_add(struct cached_names *names, uint64_t address,
                      const struct name_answer *answer);

/* Notes that `path` was read; `about` NULL: that there is no such file. */
void cached_names_note_file(struct cached_names *names, const char *path, const struct stat *about);
/* Notes that the names rest on what cannot be told again. */
void cached_names_spoil(struct cached_names *names);
bool cached_names_are_spoiled(const struct cached_names *names);
