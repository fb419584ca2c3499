/* next_image.h - whether a program that is about to be started can have our library with it.
 *
 * Another libc's loader fails on it, a sanitizer's runtime refuses to be second, and a loader
 * for 32 bits complains on the program's stderr.  Async-signal-safe, leaves errno alone. */
#pragma once

enum next_image {
    IMAGE_UNKNOWN, /* it cannot be read: taken for one that can have it */
    IMAGE_FITS,
    IMAGE_ALONE, /* static, or set-user-id: nobody looks at our variables */
    IMAGE_FOREIGN
};

/* `fd` is looked at when `path` is NULL. */
enum next_image next_image_look(const char *path, int fd);
/* Like next_image_look, for a name that execvp looks for. */
enum next_image next_image_look_named(const char *name);
