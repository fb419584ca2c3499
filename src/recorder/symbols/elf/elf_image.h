/* elf_image.h - the bytes of one ELF file: mapped from disk, or of the vdso of this process.
 *
 * Mapped private and writable, since libelf rewrites section headers in place when it unpacks
 * compressed debug sections; the file itself is never changed. */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

#include "base/slice.h"

struct elf_image {
    struct slice bytes; /* empty: no image */
    int fd;             /* -1 for the vdso */
    struct timespec modified;
    bool may_change; /* by others than us and root, or the file is in a root of its own */
};

#define ELF_IMAGE_NONE ((struct elf_image){.bytes = {"", 0}, .fd = -1})

/* The regular file `path` as seen from the folder `root` ("" for our own root): symbolic links stay
 * inside it.  0 or -errno; then *image is ELF_IMAGE_NONE. */
int elf_image_open(struct elf_image *image, const char *root, const char *path);

/* Opens it only, by foreign_file_open_below: a descriptor, or -errno. */
int elf_file_open(const char *root, const char *path);

/* The same for an open descriptor, which the image takes (closed on failure too). */
int elf_image_take(struct elf_image *image, int fd);

/* A copy of the vdso the kernel gave to this process. */
int elf_image_open_vdso(struct elf_image *image);

void elf_image_close(struct elf_image *image);

/* False once the file was cut or rewritten: what is read of it then is zeroes, or not what it
 * was. */
bool elf_image_is_intact(const struct elf_image *image);
