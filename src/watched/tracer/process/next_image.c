/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/process/next_image.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/executables.h"
#include "tracer/process/raw_syscall.h"
#include "wire/invariant.h"

#define SEGMENTS_MAX  32u
#define LIBRARIES_MAX 256u
#define SCRIPT_DEPTH  4
#define PATH_BYTES    4096u

static bool read_at(int fd, uint64_t offset, void *into, size_t size)
{
    return raw_syscall6(SYS_pread64, fd, (long)into, (long)size, (long)offset, 0, 0) == (long)size;
}

/* Text that may end before `size`, because the file does. */
static void read_text(int fd, uint64_t offset, char *text, size_t size)
{
    INVARIANT(size > 0);
    long got = raw_syscall6(SYS_pread64, fd, (long)text, (long)size - 1, (long)offset, 0, 0);
    text[got > 0 ? got : 0] = '\0';
    INVARIANT(got < (long)size);
}

struct image {
    int fd;
    unsigned count;
    Elf64_Phdr segments[SEGMENTS_MAX];
};

static const Elf64_Phdr *segment_of(const struct image *image, uint32_t type)
{
    INVARIANT(image->count <= SEGMENTS_MAX);
    for (unsigned i = 0; i < image->count; i++)
        if (image->segments[i].p_type == type)
            return &image->segments[i];
    return NULL;
}

/* Where the file has what will be at `address`; 0 when nowhere. */
static uint64_t offset_of(const struct image *image, uint64_t address)
{
    for (unsigned i = 0; i < image->count; i++) {
        const Elf64_Phdr *segment = &image->segments[i];
        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
            address - segment->p_vaddr < segment->p_filesz)
            return address - segment->p_vaddr + segment->p_offset;
    }
    return 0;
}

/* Address sanitizer's runtime wants to be the first library, and ends the program when it is
 * not. */
static bool needs_sanitizer(const struct image *image)
{
    const Elf64_Phdr *dynamic = segment_of(image, PT_DYNAMIC);
    uint64_t needed[LIBRARIES_MAX] = {0}, names = 0;
    unsigned count = 0;
    Elf64_Dyn entry = {.d_tag = DT_NULL};
    for (uint64_t at = 0; dynamic && at + sizeof(entry) <= dynamic->p_filesz; at += sizeof(entry)) {
        if (!read_at(image->fd, dynamic->p_offset + at, &entry, sizeof(entry)) ||
            entry.d_tag == DT_NULL)
            break;
        if (entry.d_tag == DT_NEEDED && count < LIBRARIES_MAX)
            needed[count++] = entry.d_un.d_val;
        if (entry.d_tag == DT_STRTAB)
            names = offset_of(image, entry.d_un.d_ptr);
    }
    INVARIANT(count <= LIBRARIES_MAX);
    for (unsigned i = 0; names && i < count; i++) {
        char name[16];
        read_text(image->fd, names + needed[i], name, sizeof(name));
        if (strncmp(name, "libasan.so", strlen("libasan.so")) == 0)
            return true;
    }
    return false;
}

/* The loader of a set-user-id program heeds no variables. */
static bool is_set_id(int fd)
{
    struct stat status = {0};
    return raw_syscall3(SYS_fstat, fd, (long)&status, 0) == 0 &&
           (status.st_mode & (S_ISUID | S_ISGID)) != 0;
}

static enum next_image judge_elf(int fd, const Elf64_Ehdr *elf)
{
    char loader[256];
    struct image image = {.fd = fd, .count = elf->e_phnum};
    if (elf->e_ident[EI_CLASS] != ELFCLASS64 || elf->e_machine != MACHINE_ELF)
        return IMAGE_FOREIGN;
    if (image.count > SEGMENTS_MAX || elf->e_phentsize != sizeof(Elf64_Phdr) ||
        !read_at(fd, elf->e_phoff, image.segments, image.count * sizeof(Elf64_Phdr)))
        return IMAGE_UNKNOWN;
    const Elf64_Phdr *interpreter = segment_of(&image, PT_INTERP);
    if (!interpreter)
        return IMAGE_ALONE;
    read_text(fd, interpreter->p_offset, loader, sizeof(loader));
    if (!strstr(loader, MACHINE_LOADER ".so") || needs_sanitizer(&image))
        return IMAGE_FOREIGN;
    return is_set_id(fd) ? IMAGE_ALONE : IMAGE_FITS;
}

/* Leaves the interpreter of a script in `text`; false when it names none. */
static bool script_interpreter(char *text, size_t size)
{
    INVARIANT(text[0] == '#' && text[1] == '!');
    size_t begin = 2 + strspn(text + 2, " \t");
    size_t length = strcspn(text + begin, " \t\n");
    if (length == 0 || length >= size)
        return false;
    memmove(text, text + begin, length);
    text[length] = '\0';
    return true;
}

enum next_image next_image_look(const char *path, int fd)
{
    char head[256];
    Elf64_Ehdr elf = {.e_type = 0};
    enum next_image found = IMAGE_UNKNOWN;
    bool is_script = true;
    for (int depth = 0; depth < SCRIPT_DEPTH && is_script; depth++) {
        bool given = depth == 0 && !path;
        const char *file = depth == 0 ? path : head;
        int at = given ? fd
                       : (int)raw_syscall6(SYS_openat, AT_FDCWD, (long)file,
                                           O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0, 0, 0);
        if (at < 0)
            return IMAGE_UNKNOWN;
        read_text(at, 0, head, sizeof(head));
        is_script = head[0] == '#' && head[1] == '!';
        if (!is_script && read_at(at, 0, &elf, sizeof(elf)) &&
            memcmp(elf.e_ident, ELFMAG, SELFMAG) == 0)
            found = judge_elf(at, &elf);
        if (!given)
            raw_syscall3(SYS_close, at, 0, 0);
        if (is_script && !script_interpreter(head, sizeof(head)))
            return IMAGE_UNKNOWN;
    }
    return found;
}

static bool is_executable(const char *path)
{
    return raw_syscall6(SYS_faccessat2, AT_FDCWD, (long)path, X_OK, AT_EACCESS, 0, 0) == 0;
}

static const char *search_path(void)
{
    for (char **entry = environ; entry && *entry; entry++)
        if (strncmp(*entry, "PATH=", 5) == 0)
            return *entry + 5;
    return "/bin:/usr/bin";
}

enum next_image next_image_look_named(const char *name)
{
    char path[PATH_BYTES];
    size_t size = strlen(name);
    if (strchr(name, '/'))
        return next_image_look(name, -1);
    for (const char *at = search_path();; at++) {
        size_t length = strcspn(at, ":");
        if (length + 1 + size < sizeof(path)) {
            memcpy(path, at, length);
            path[length] = '/';
            memcpy(path + (length ? length + 1 : 0), name, size + 1);
            if (is_executable(path))
                return next_image_look(path, -1);
        }
        at += length;
        if (!*at)
            return IMAGE_UNKNOWN;
    }
}
