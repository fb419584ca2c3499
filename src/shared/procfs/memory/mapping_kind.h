/* mapping_kind.h - how the kernel counts the pages of a mapping: as of a file, as shared memory,
 * or not at all.
 *
 * Shared memory is what lies in a tmpfs: memfd, System V, shared anonymous memory, /dev/shm,
 * mounts.  Which file system a mapping is of is told by its device: those of the kernel itself
 * are found by trying, those of mounts in the mountinfo of the process, others (a mount that is
 * gone) through map_files where that is allowed; what is not known counts as a file.  A file of
 * an overlay that has its upper layer in a tmpfs counts as a file here, and as shared memory in
 * the kernel. */
#pragma once

#include <stdint.h>

#include "base/vec.h"
#include "procfs/memory/maps.h"

enum mapping_kind {
    MAPPING_FILE,     /* or of no file at all */
    MAPPING_SHMEM,    /* what is no private copy is shared memory */
    MAPPING_UNCOUNTED /* in no RSS: hugetlbfs, the kernel's own pages */
};

struct mapping_device {
    uint64_t device;
    enum mapping_kind kind;
};

struct mapping_kinds { /* all zero to begin */
    VEC(struct mapping_device) devices;
    bool has_kernels; /* those of the kernel itself are among them */
};

/* Takes the lines of a mountinfo.  0 or -ENOMEM. */
int mapping_kinds_parse(struct mapping_kinds *kinds, const char *mountinfo);

/* Remembers the devices that it finds out about. */
enum mapping_kind mapping_kinds_find(struct mapping_kinds *kinds, uint32_t pid,
                                     const struct map_region *region);
void mapping_kinds_fini(struct mapping_kinds *kinds);
