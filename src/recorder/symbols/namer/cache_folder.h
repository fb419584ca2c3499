/* cache_folder.h - the folder with the files of the cache of names (name_cache.h): each is read and
 * written whole, and only where nobody but the user who records can have written. */
#pragma once

#include <stddef.h>

#define CACHE_FILES_MAX  128u
#define CACHE_NAME_BYTES 16u /* Of a file.  Files with longer or shorter names are left alone. */

/* Opens the folder, and makes it if it is missing.  Returns a descriptor; or -errno, if there is no
 * place that is ours alone. */
int cache_folder_open(void);

/* Returns the bytes of a file, which the caller frees; or NULL, if it is missing, empty, larger
 * than `most`, not ours alone, or cannot be read. */
char *cache_folder_read(int folder, const char *name, size_t most, size_t *size);

/* Writes a file in place of an older one; the oldest are removed while there are CACHE_FILES_MAX.
 * It is written beside it first, so that nobody reads half of one; of two writers the last one
 * wins.  A failure leaves the older file. */
void cache_folder_write(int folder, const char *name, const char *bytes, size_t size);
