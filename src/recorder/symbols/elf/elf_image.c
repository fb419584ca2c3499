/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/elf/elf_image.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/file_map.h"
#include "foreign/foreign_file.h"

#define VDSO_MAX (1024 * 1024)

int elf_file_open(const char *root, const char *path)
{
    struct foreign_limits const limits = {.bytes_max = FOREIGN_ELF_MAX};
    return foreign_file_open_below(root, path, &limits, NULL);
}

static bool is_of_others(const struct stat *status)
{
    return (status->st_uid != 0 && status->st_uid != geteuid()) ||
           (status->st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

/* Whoever is root in a root of its own is none of ours. */
static bool is_our_root(const char *root)
{
    struct stat ours, theirs;
    return root[0] == '\0' || (stat("/", &ours) == 0 && stat(root, &theirs) == 0 &&
                               ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino);
}

int elf_image_take(struct elf_image *image, int fd)
{
    struct stat status;
    int error = 0;

    *image = ELF_IMAGE_NONE;
    if (fstat(fd, &status) < 0)
        error = -errno;
    else if (!S_ISREG(status.st_mode) || status.st_size < (off_t)sizeof(Elf64_Ehdr))
        error = -EINVAL;
    if (error == 0) {
        void *map = file_map(fd, (size_t)status.st_size);
        if (map) {
            *image = (struct elf_image){
                {map, (size_t)status.st_size}, fd, status.st_mtim, is_of_others(&status)};
            return 0;
        }
        error = -errno;
    }
    close(fd);
    return error;
}

int elf_image_open(struct elf_image *image, const char *root, const char *path)
{
    *image = ELF_IMAGE_NONE;
    int fd = elf_file_open(root, path);
    int const err = fd < 0 ? fd : elf_image_take(image, fd);
    if (err == 0 && !is_our_root(root))
        image->may_change = true;
    return err;
}

int elf_image_open_vdso(struct elf_image *image)
{
    const char *vdso = (const char *)getauxval(AT_SYSINFO_EHDR); /* NOLINT: an address as number */

    *image = ELF_IMAGE_NONE;
    if (!vdso)
        return -ENOENT;
    const Elf64_Ehdr *head = (const void *)vdso;
    size_t size = head->e_shoff + (size_t)head->e_shnum * head->e_shentsize;
    if (head->e_ident[EI_CLASS] != ELFCLASS64 || size > VDSO_MAX || size < sizeof(*head))
        return -EINVAL;
    char *copy = malloc(size);
    if (!copy)
        return -ENOMEM;
    memcpy(copy, vdso, size);
    image->bytes.data = copy;
    image->bytes.size = size;
    return 0;
}

void elf_image_close(struct elf_image *image)
{
    if (image->bytes.size > 0 && image->fd >= 0) {
        file_unmap((void *)image->bytes.data, image->bytes.size);
        close(image->fd);
    } else if (image->bytes.size > 0) {
        free((void *)image->bytes.data);
    }
    *image = ELF_IMAGE_NONE;
}

bool elf_image_is_intact(const struct elf_image *image)
{
    struct stat status;

    if (image->bytes.size == 0 || image->fd < 0)
        return true;
    return !file_map_was_cut(image->bytes.data) && fstat(image->fd, &status) == 0 &&
           (size_t)status.st_size == image->bytes.size &&
           status.st_mtim.tv_sec == image->modified.tv_sec &&
           status.st_mtim.tv_nsec == image->modified.tv_nsec;
}
