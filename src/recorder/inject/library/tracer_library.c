/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/library/tracer_library.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MFD_EXEC
#define MFD_EXEC 0x10u
#endif

#define LIBRARY_MAX (64u << 20)
#define SEALS       (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL)

struct file_bytes {
    uint8_t *data;
    size_t size;
};

/* Addresses and offsets are the same in the segment that holds what we ask for. */
static bool read_file(void *context, uint64_t address, void *to, size_t size)
{
    const struct file_bytes *file = context;
    if (address > file->size || size > file->size - address)
        return false;
    memcpy(to, file->data + address, size);
    return true;
}

static int read_all(const char *path, struct file_bytes *file)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int err = fstat(fd, &status) < 0 ? -errno : 0;
    if (err == 0 && (status.st_size < (off_t)sizeof(Elf64_Ehdr) || status.st_size > LIBRARY_MAX))
        err = -ENOEXEC;
    if (err == 0 && !(file->data = malloc((size_t)status.st_size)))
        err = -ENOMEM;
    while (err == 0 && file->size < (size_t)status.st_size) {
        ssize_t got = read(fd, file->data + file->size, (size_t)status.st_size - file->size);
        if (got <= 0)
            err = got < 0 ? -errno : -EIO;
        else
            file->size += (size_t)got;
    }
    close(fd);
    return err;
}

/* Bytes up to the end of the last segment. */
static size_t loaded_size(const struct file_bytes *file)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)(const void *)file->data;
    size_t size = 0;
    for (unsigned i = 0; i < header->e_phnum; i++) {
        Elf64_Phdr segment;
        if (!read_file((void *)file, header->e_phoff + i * sizeof(segment), &segment,
                       sizeof(segment)))
            return 0;
        size_t end = segment.p_offset + segment.p_filesz;
        if (segment.p_type == PT_LOAD && end > size)
            size = end;
    }
    return size <= file->size ? size : 0;
}

static int fill(int fd, const struct file_bytes *file, size_t size)
{
    Elf64_Ehdr header;
    memcpy(&header, file->data, sizeof(header));
    header.e_shoff = 0;
    header.e_shnum = header.e_shstrndx = 0;
    memcpy(file->data, &header, sizeof(header));
    for (size_t at = 0; at < size;) {
        ssize_t put = write(fd, file->data + at, size - at);
        if (put < 0)
            return -errno;
        at += (size_t)put;
    }
    return fcntl(fd, F_ADD_SEALS, SEALS) < 0 ? -errno : 0;
}

static int make_memfd(void)
{
    int fd = memfd_create("libmemoir.so", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);
    if (fd < 0 && errno == EINVAL) /* before Linux 6.3 */
        fd = memfd_create("libmemoir.so", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    return fd < 0 ? -errno : fd;
}

int tracer_library_open(struct tracer_library *library, const char *path, struct fault *fault)
{
    struct file_bytes file = {NULL, 0};
    struct loaded_elf elf = {.base = 0};
    *library = (struct tracer_library){.fd = -1};
    int err = read_all(path, &file);
    if (err == 0 && loaded_elf_read((struct memory_reader){read_file, &file}, 0, &elf) < 0)
        err = -ENOEXEC;
    size_t size = err == 0 ? loaded_size(&file) : 0;
    if (err == 0 && size == 0)
        err = -ENOEXEC;
    if (err == 0 && (library->fd = make_memfd()) < 0)
        err = library->fd;
    if (err == 0)
        err = fill(library->fd, &file, size);
    free(file.data);
    if (err < 0) {
        tracer_library_close(library);
        return fault_set(fault, err,
                         "cannot prepare %s for another process: %s; install memoir again", path,
                         strerror(-err));
    }
    library->build_id_size = elf.build_id_size;
    memcpy(library->build_id, elf.build_id, sizeof(elf.build_id));
    return 0;
}

void tracer_library_close(struct tracer_library *library)
{
    if (library->fd >= 0)
        close(library->fd);
    library->fd = -1;
}
