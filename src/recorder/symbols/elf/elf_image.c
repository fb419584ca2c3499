/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/elf/elf_image.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file_map.h"

/* Never waits (a path in a hostile file may name a pipe) and never becomes our terminal. */
#define OPEN_FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
#define VDSO_MAX   (1024 * 1024)

static int open_inside(const char *root, const char *path)
{
    char joined[PATH_MAX];

    if (root[0] == '\0')
        return open(path, OPEN_FLAGS);
    int folder = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return -1;
    struct open_how how = {.flags = OPEN_FLAGS, .resolve = RESOLVE_IN_ROOT};
    int fd = (int)syscall(SYS_openat2, folder, path, &how, sizeof(how));
    int error = errno;
    close(folder);
    if (fd >= 0 || (error != ENOSYS && error != EPERM)) {
        errno = error;
        return fd;
    }
    /* A kernel or a sandbox without openat2: absolute links then leave the root, no worse. */
    if (snprintf(joined, sizeof(joined), "%s/%s", root, path) >= (int)sizeof(joined)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return open(joined, OPEN_FLAGS);
}

int elf_file_open(const char *root, const char *path)
{
    int fd = open_inside(root, path);
    return fd < 0 ? -errno : fd;
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
            *image = (struct elf_image){{map, (size_t)status.st_size}, fd, status.st_mtim};
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
    return fd < 0 ? fd : elf_image_take(image, fd);
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
