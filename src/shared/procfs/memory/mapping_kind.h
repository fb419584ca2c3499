/* mapping_kind.h - whether the kernel counts the pages of a mapping as file, as shared memory, or
 * not at all.
 *
 * Shared memory is everything in a tmpfs: memfd, System V, shared anonymous memory, /dev/shm,
 * mounts.  The device of a mapping tells its file system.  Devices of the kernel itself are found
 * by trying; devices of mounts, in the mountinfo of the process; others (of an unmounted file
 * system) through map_files if permitted.  Unknown devices count as file.  A file of an overlay
 * whose upper layer is in a tmpfs counts as file here, and as shared memory in the kernel. */
#pragma once

#include <stdint.h>

#include "base/vec.h"
#include "procfs/memory/maps.h"

enum mapping_kind {
    MAPPING_FILE,     /* Of a file, or anonymous. */
    MAPPING_SHMEM,    /* Shared memory, but for private copies of pages. */
    MAPPING_UNCOUNTED /* Not part of RSS: hugetlbfs, pages of the kernel. */
};

struct mapping_device {
    uint64_t device;
    enum mapping_kind kind;
};

struct mapping_kinds { /* All zero to begin. */
    VEC(struct mapping_device) devices;
    bool has_kernels; /* `devices` has those of the kernel itself. */
};

/* Adds the devices of a mountinfo text.  Returns 0 or -ENOMEM. */
int mapping_kinds_parse(struct mapping_kinds *kinds, const char *mountinfo);

/* Returns the kind of a mapping; keeps the kind of its device for later calls. */
enum mapping_kind mapping_kinds_find(struct mapping_kinds *kinds, uint32_t pid,
                                     const struct map_region *region);
void mapping_kinds_fini(struct mapping_kinds *kinds);
