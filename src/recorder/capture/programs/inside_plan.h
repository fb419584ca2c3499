/* inside_plan.h - where and how the tracer can hook the allocators that are part of a process's
 * program or libraries.
 *
 * Looks at the files that the process has mapped to run code, as it sees them; every file is
 * hostile input, so a child that has given up all rights reads them (inside_files.c). */
#pragma once

#include "base/vec.h"
#include "symbols/allocators/allocator_family.h"
#include "wire/inside.h"

/* An allocator found, and how it went. */
struct inside_finding {
    char family[16];                   /* "jemalloc" */
    char prefix[ALLOCATOR_PREFIX_MAX]; /* of its functions */
    char module[64];                   /* the file's name, without folders */
    bool in_executable;                /* and that is the program itself */
    uint32_t first_patch, patch_count; /* of the plan */
    uint32_t refused;  /* functions that are not in it, and do not end in one that is */
    char refusal[128]; /* the first of them, and why */
};
#define INSIDE_FINDINGS 16

struct inside_report {
    struct inside_finding findings[INSIDE_FINDINGS];
    uint32_t count;
    bool has_wanted; /* some file has functions with the prefix that was named */
};

/* Files that were found to have no allocator: most of them, and each would be read again for
 * each process. */
struct inside_known {
    VEC(struct known_file) files;
};
struct known_file {
    uint64_t device, inode, size;
    int64_t modified_ns;
};
void inside_known_fini(struct inside_known *known);

/* Fills regions and patches of `plan` for the process, whose other fields it leaves alone.
 * `wanted` is a prefix somebody named, or NULL.  0; -EPROTO when whoever read the files died of
 * them, or another -errno when the process cannot be looked at: then the plan is not to be used. */
int inside_plan_make(struct inside_plan *plan, uint32_t pid, const char *wanted,
                     struct inside_known *known, struct inside_report *report);
