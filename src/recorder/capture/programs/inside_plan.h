/* inside_plan.h - where and how the tracer can hook the allocators that are part of a process's
 * program or libraries.
 *
 * Reads the files that the process has mapped to run code, in its view of the file system.  Every
 * file is hostile input, so a child that has given up all rights reads them (inside_files.c). */
#pragma once

#include "base/vec.h"
#include "symbols/allocators/allocator_family.h"
#include "wire/inside.h"

/* An allocator that was found, and what came of it. */
struct inside_finding {
    char family[16];                   /* "jemalloc" */
    char prefix[ALLOCATOR_PREFIX_MAX]; /* Of its functions. */
    char module[64];                   /* File name, without folders. */
    bool in_executable;                /* The module is the program itself. */
    uint32_t first_patch, patch_count; /* Its patches in the plan. */
    uint32_t refused;  /* Functions that are not in the plan, and do not end in one that is. */
    char refusal[128]; /* The first refused function, and why. */
};
#define INSIDE_FINDINGS 16

struct inside_report {
    struct inside_finding findings[INSIDE_FINDINGS];
    uint32_t count;
    bool has_wanted; /* A file has functions with the prefix that the person named. */
};

/* Files without an allocator.  Most files are, and without this list each would be read again for
 * each process. */
struct inside_known {
    VEC(struct known_file) files;
};
struct known_file {
    uint64_t device, inode, size;
    int64_t modified_ns;
};
void inside_known_fini(struct inside_known *known);

/* Fills regions and patches of `plan` for the process; leaves the other fields unchanged.  `wanted`
 * is a prefix that the person named, or NULL.  Returns 0; -EPROTO if the child that read the files
 * died; or another -errno if the process cannot be looked at.  After a failure the plan must not be
 * used. */
int inside_plan_make(struct inside_plan *plan, uint32_t pid, const char *wanted,
                     struct inside_known *known, struct inside_report *report);
