/* smaps.h - every mapping of a process with its page counts, from /proc/PID/smaps.
 *
 * Reads the text once, as it comes, by its grammar: a line that begins with a hexadecimal range
 * begins a mapping, a known key with a number sets a field, any other line is ignored.  The file is
 * no snapshot: a mapping that changes meanwhile may appear twice; then the later one counts. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/slice.h"
#include "base/vec.h"
#include "model/memory/memory_region.h"

#define SMAPS_REGIONS_MAX (1u << 22) /* 64 times the default limit of Linux. */
#define SMAPS_LINE_MAX    32768u     /* A longer line is no line of smaps, and ends the reading. */

struct smaps {                         /* All zero to begin. */
    VEC(struct memory_region) regions; /* By address, without overlaps. */
    VEC(struct folded_regions) folded; /* Sums of mappings that are in no list; by address. */
    size_t fold_top;                   /* 0: nothing is folded; see smaps_fold.h. */
    size_t fold_next;                  /* Fold again when the list is this long. */
    bool is_torn;      /* A folded mapping appeared again: read again, without folding. */
    VEC(char *) names; /* Blocks of memory that contain the names. */
    char *names_at;    /* The free part of the last block. */
    size_t names_left;
    size_t next_key;     /* The key that probably comes next. */
    uint64_t text_bytes; /* Read so far. */
};

/* Parses the whole lines at the front of `text`.  Returns the number of bytes used; -ENOMEM; or
 * -E2BIG beyond SMAPS_REGIONS_MAX. */
ssize_t smaps_parse(struct smaps *smaps, struct slice text);

/* Reads all mappings.  Returns 0; or -errno with an empty list: -ENOENT no such process, -EACCES
 * not allowed.  A kernel thread and a zombie have no mappings, which is no error.  End the list
 * with smaps_fini. */
int smaps_read(uint32_t pid, struct smaps *smaps);
/* Like smaps_read, with a short list, for callers that list the `top` largest: see smaps_fold.h. */
int smaps_read_folded(uint32_t pid, size_t top, struct smaps *smaps);
/* Like smaps_read, from /proc/PID/maps, which costs nearly nothing and does not block the process:
 * no counts but the size, and no flags but REGION_SHARED. */
int smaps_read_maps(uint32_t pid, struct smaps *smaps);
void smaps_fini(struct smaps *smaps);

/* Returns the region that contains `address`, or NULL. */
struct memory_region *smaps_find(const struct smaps *smaps, uint64_t address);
