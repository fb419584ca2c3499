/* next_image.h - whether a program that is about to be executed can have our library preloaded.
 *
 * The loader of another libc fails on it, a sanitizer's runtime must be loaded first, and a 32-bit
 * loader prints a complaint on the program's stderr.  Async-signal-safe; leaves errno unchanged. */
#pragma once

enum next_image {
    IMAGE_UNKNOWN, /* The file cannot be read: treated as IMAGE_FITS. */
    IMAGE_FITS,
    IMAGE_ALONE, /* Static, or set-user-id: no loader reads our variables. */
    IMAGE_FOREIGN
};

/* Looks at `fd` if `path` is NULL. */
enum next_image next_image_look(const char *path, int fd);
/* Like next_image_look, for a name that execvp searches. */
enum next_image next_image_look_named(const char *name);
