/* elf_image.h - the bytes of one ELF file: mapped from disk, or of the vdso of this process.
 *
 * Mapped private and writable, because libelf rewrites section headers in place when it unpacks
 * compressed debug sections; the file itself is never changed. */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

#include "base/slice.h"

struct elf_image {
    struct slice bytes; /* Empty: no image. */
    int fd;             /* -1 for the vdso. */
    struct timespec modified;
    bool may_change; /* By users other than us and root; or the file is in a root of its own. */
};

#define ELF_IMAGE_NONE ((struct elf_image){.bytes = {"", 0}, .fd = -1})

/* Opens the regular file `path` as seen from the folder `root` ("" for our own root): symbolic
 * links stay inside it.  Returns 0; or -errno, with *image set to ELF_IMAGE_NONE. */
int elf_image_open(struct elf_image *image, const char *root, const char *path);

/* Only opens the file, by foreign_file_open_below.  Returns a descriptor, or -errno. */
int elf_file_open(const char *root, const char *path);

/* Like elf_image_open, for an open descriptor, which the image takes (also on failure, when it is
 * closed). */
int elf_image_take(struct elf_image *image, int fd);

/* Copies the vdso that the kernel gave to this process. */
int elf_image_open_vdso(struct elf_image *image);

void elf_image_close(struct elf_image *image);

/* Returns false once the file was truncated or rewritten: then its bytes may be zeros, or other
 * than before. */
bool elf_image_is_intact(const struct elf_image *image);
