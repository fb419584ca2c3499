/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/memory/mapping_kind.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "procfs/process/proc_open.h"

#define MOUNTINFO_MAX   ((size_t)16 << 20)
#define TMPFS_NUMBER    0x01021994
#define HUGETLBFS_MAGIC 0x958458f6u
#define HUGE_2M         (21u << 26)
#define HUGE_1G         (30u << 26)
#ifndef MFD_HUGETLB
#define MFD_HUGETLB 4u
#endif

static const struct mapping_device *find_device(const struct mapping_kinds *kinds, uint64_t device)
{
    vec_each (known, &kinds->devices) {
        if (known->device == device)
            return known;
    }
    return NULL;
}

static int remember(struct mapping_kinds *kinds, uint64_t device, enum mapping_kind kind)
{
    if (find_device(kinds, device))
        return 0;
    return vec_push(&kinds->devices, (struct mapping_device){device, kind}) ? 0 : -ENOMEM;
}

/* ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [FIELDS...] - TYPE SOURCE OPTIONS; blanks in names
 * are written as \040 */
static int parse_mount(struct mapping_kinds *kinds, const char *line, size_t length)
{
    unsigned major_number, minor_number;
    char text[64];
    const char *type = memmem(line, length, " - ", 3);
    size_t const head = length < sizeof(text) - 1 ? length : sizeof(text) - 1;
    memcpy(text, line, head);
    text[head] = '\0';
    /* NOLINTNEXTLINE(cert-err34-c): the kernel's numbers */
    if (!type || sscanf(text, "%*u %*u %u:%u ", &major_number, &minor_number) != 2)
        return 0;
    type += 3;
    size_t const left = length - (size_t)(type - line);
    const char *end = memchr(type, ' ', left);
    size_t const size = end ? (size_t)(end - type) : left;
    enum mapping_kind kind = MAPPING_FILE;
    if (size == 5 && memcmp(type, "tmpfs", 5) == 0)
        kind = MAPPING_SHMEM;
    else if (size == 9 && memcmp(type, "hugetlbfs", 9) == 0)
        kind = MAPPING_UNCOUNTED;
    return remember(kinds, makedev(major_number, minor_number), kind);
}

int mapping_kinds_parse(struct mapping_kinds *kinds, const char *mountinfo)
{
    int err = 0;
    while (err == 0 && *mountinfo) {
        size_t const length = strcspn(mountinfo, "\n");
        err = parse_mount(kinds, mountinfo, length);
        mountinfo += length + (mountinfo[length] == '\n');
    }
    return err;
}

static void try_memfd(struct mapping_kinds *kinds, unsigned flags, enum mapping_kind kind)
{
    struct stat facts;
    int const fd = memfd_create("memoir", MFD_CLOEXEC | flags);
    if (fd < 0)
        return;
    if (fstat(fd, &facts) == 0)
        (void)remember(kinds, facts.st_dev, kind);
    close(fd);
}

static void find_kernels(struct mapping_kinds *kinds)
{
    kinds->has_kernels = true;
    try_memfd(kinds, 0, MAPPING_SHMEM);
    try_memfd(kinds, MFD_HUGETLB, MAPPING_UNCOUNTED);
    try_memfd(kinds, MFD_HUGETLB | HUGE_2M, MAPPING_UNCOUNTED);
    try_memfd(kinds, MFD_HUGETLB | HUGE_1G, MAPPING_UNCOUNTED);
}

static void read_mounts(struct mapping_kinds *kinds, uint32_t pid)
{
    char *text = NULL;
    if (proc_read_text(pid, 0, PROC_MOUNTINFO, MOUNTINFO_MAX, &text) == 0)
        (void)mapping_kinds_parse(kinds, text);
    free(text);
}

static enum mapping_kind ask_file_system(uint32_t pid, const struct map_region *region)
{
    struct statfs facts;
    if (proc_mapped_system(pid, region->start, region->end, &facts) < 0)
        return MAPPING_FILE;
    if ((unsigned long)facts.f_type == HUGETLBFS_MAGIC)
        return MAPPING_UNCOUNTED;
    return facts.f_type == TMPFS_NUMBER ? MAPPING_SHMEM : MAPPING_FILE;
}

enum mapping_kind mapping_kinds_find(struct mapping_kinds *kinds, uint32_t pid,
                                     const struct map_region *region)
{
    const char *name = region->name;
    if (strncmp(name, "[vvar", 5) == 0 || strcmp(name, "[vsyscall]") == 0 ||
        strncmp(name, "/anon_hugepage", strlen("/anon_hugepage")) == 0)
        return MAPPING_UNCOUNTED;
    if (region->device == 0 || major(region->device) != 0)
        return MAPPING_FILE; /* of a disk, or of none */
    if (!kinds->has_kernels)
        find_kernels(kinds);
    const struct mapping_device *known = find_device(kinds, region->device);
    if (!known) {
        read_mounts(kinds, pid);
        known = find_device(kinds, region->device);
    }
    if (known)
        return known->kind;
    enum mapping_kind const kind = ask_file_system(pid, region);
    (void)remember(kinds, region->device, kind);
    return kind;
}

void mapping_kinds_fini(struct mapping_kinds *kinds)
{
    vec_free(&kinds->devices);
    kinds->has_kernels = false;
}
