/* smaps.h - every mapping of a process with its page counts, from /proc/PID/smaps.
 *
 * One pass over the text as it comes, known by its grammar: a line that begins with a
 * hexadecimal range opens a mapping, a known key with a number fills it, anything else is left
 * alone.  The file is no snapshot: a mapping that changed while it was read may come twice; then
 * the later one counts. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/slice.h"
#include "base/vec.h"
#include "model/memory/memory_region.h"

#define SMAPS_REGIONS_MAX (1u << 22) /* 64 times what Linux allows unless told otherwise */
#define SMAPS_LINE_MAX    32768u     /* a longer line is no line of smaps, and ends the reading */

struct smaps {                         /* all zero to begin */
    VEC(struct memory_region) regions; /* by address, none overlapping */
    VEC(struct folded_regions) folded; /* what is in no list; by address */
    size_t fold_top;                   /* 0: nothing is folded; see smaps_fold.h */
    size_t fold_next;                  /* not before the list is so long */
    bool is_torn;                      /* a folded one was told again: read again without */
    VEC(char *) names;                 /* blocks of memory that the names lie in */
    char *names_at;                    /* the free part of the last block */
    size_t names_left;
    size_t next_key;     /* the key that likely comes next */
    uint64_t text_bytes; /* read so far */
};

/* Parses the whole lines at the front of `text`.  The bytes used, -ENOMEM, or -E2BIG past
 * SMAPS_REGIONS_MAX. */
ssize_t smaps_parse(struct smaps *smaps, struct slice text);

/* Reads them all.  0 or -errno; then the list is empty: -ENOENT no such process, -EACCES not
 * allowed.  A kernel thread and a zombie have no mappings, which is no error.  The caller ends
 * it with smaps_fini. */
int smaps_read(uint32_t pid, struct smaps *smaps);
/* Like smaps_read, with a short list, for callers that list the `top` largest; smaps_fold.h. */
int smaps_read_folded(uint32_t pid, size_t top, struct smaps *smaps);
/* Like smaps_read, from /proc/PID/maps, which costs next to nothing and does not hold the process
 * up: no counts but size, and no flags but REGION_SHARED. */
int smaps_read_maps(uint32_t pid, struct smaps *smaps);
void smaps_fini(struct smaps *smaps);

/* The region that holds `address`, or NULL. */
struct memory_region *smaps_find(const struct smaps *smaps, uint64_t address);
