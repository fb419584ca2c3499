/* SPDX-License-Identifier: Apache-2.0 */
#include "stacks/process_file.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "foreign/foreign_file.h"

#define HEAD_BYTES 4096u

static const struct foreign_limits limits = {.bytes_max = FOREIGN_ELF_MAX};

size_t read_some(int fd, uint64_t offset, void *to, size_t size)
{
    ssize_t got;
    do {
        got = pread(fd, to, size, (off_t)offset);
    } while (got < 0 && errno == EINTR);
    return got > 0 ? (size_t)got : 0;
}

bool is_same_file(const struct map_region *a, const struct map_region *b)
{
    if (a->inode == 0 || b->inode == 0)
        return a == b;
    return a->inode == b->inode && a->device == b->device;
}

static size_t read_file(void *context, uint64_t offset, void *to, size_t size)
{
    const struct process_file *file = context;
    return read_some(file->fd, offset, to, size);
}

/* The region of the same file that shows `offset`. */
static const struct map_region *showing(const struct process_file *file, uint64_t offset)
{
    vec_each (region, &file->maps->regions) {
        if (is_same_file(region, file->region) && region->readable && offset >= region->offset &&
            offset - region->offset < region->end - region->start)
            return region;
    }
    return NULL;
}

static size_t read_memory(void *context, uint64_t offset, void *to, size_t size)
{
    const struct process_file *file = context;
    const struct map_region *region = showing(file, offset);
    if (!region)
        return 0;
    uint64_t inside = offset - region->offset, room = region->end - region->start - inside;
    return read_some(file->memory, region->start + inside, to, size < room ? size : room);
}

/* How much of the file is mapped. */
static uint64_t mapped_size(const struct process_file *file)
{
    uint64_t size = 0;
    vec_each (region, &file->maps->regions) {
        uint64_t end = region->offset + (region->end - region->start);
        if (is_same_file(region, file->region) && end > size)
            size = end;
    }
    return size;
}

/* Whether the open file is what is mapped.  Some file systems show other numbers in the list of
 * mappings than stat does: then its beginning, which has the build-id or where it is, must be
 * what is in memory. */
static bool is_mapped_one(const struct process_file *file, const struct stat *status)
{
    char ours[HEAD_BYTES], theirs[HEAD_BYTES];
    if (status->st_ino == file->region->inode && status->st_dev == file->region->device)
        return true;
    size_t size = read_some(file->fd, 0, ours, sizeof(ours));
    return size > 0 && read_memory((void *)file, 0, theirs, size) == size &&
           memcmp(ours, theirs, size) == 0;
}

/* Uses the descriptor if it is the file that is mapped; closes it if not. */
static bool use_descriptor(struct process_file *file, int fd, bool certain)
{
    struct stat status;
    if (fd < 0)
        return false;
    file->fd = fd;
    if (fstat(fd, &status) == 0 && (certain || is_mapped_one(file, &status))) {
        file->source = (struct image_source){.read = read_file,
                                             .context = file,
                                             .size = (uint64_t)status.st_size,
                                             .stamp = timespec_ns(&status.st_mtim)};
        return true;
    }
    close(fd);
    file->fd = -1;
    return false;
}

static bool open_any(struct process_file *file, uint32_t pid)
{
    const struct map_region *region = file->region;
    char root[64];
    int const mapped = foreign_mapping_open(pid, region->start, region->end, &limits, NULL);
    if (use_descriptor(file, mapped, true))
        return true;
    snprintf(root, sizeof(root), "/proc/%u/root", pid);
    if (region->name[0] == '/' &&
        use_descriptor(file, foreign_file_open_below(root, region->name, &limits, NULL), false))
        return true;
    return use_descriptor(file, foreign_program_open(pid, &limits, NULL), false);
}

void process_file_open(struct process_file *file, uint32_t pid, int memory,
                       const struct map_list *maps, const struct map_region *region)
{
    *file = (struct process_file){.fd = -1, .memory = memory, .maps = maps, .region = region};
    if (region->inode != 0 && open_any(file, pid))
        return;
    file->source =
        (struct image_source){.read = read_memory, .context = file, .size = mapped_size(file)};
}

bool process_file_is_readable(const struct process_file *file)
{
    char byte;
    return file->source.read(file->source.context, 0, &byte, 1) == 1;
}

void process_file_open_below(struct process_file *file, const char *root)
{
    if (file->region->inode != 0 && file->region->name[0] == '/')
        (void)use_descriptor(file, foreign_file_open_below(root, file->region->name, &limits, NULL),
                             false);
}

void process_file_close(struct process_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    file->fd = -1;
}
