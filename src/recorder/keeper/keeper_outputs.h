/* keeper_outputs.h - makes the files of a recording for a process that may not make any.
 *
 * These are the file that was asked for, and new files in its folder with names of recordings.
 * Nothing else is ever made, replaced or removed, whatever the request says. */
#pragma once

#include "base/vec.h"
#include "store/write/growing_file.h"

#define OUTPUTS_MOST 100000u /* Most files for one recorder. */

struct kept_output {
    char *path, *place;         /* Path as asked for; the place to which it led. */
    uint64_t device, inode;     /* Of the file that we made. */
    struct growing_file beside; /* A copy that is being made; fd -1: none. */
};

struct keeper_outputs {
    const char *output; /* The output that was asked for, or NULL. */
    const char *folder; /* Of all other recordings; "": the working directory. */
    VEC(struct kept_output) made;
};

/* The caller owns `output` and `folder`.  `claim`: the output if it is already made, or -1. */
void keeper_outputs_init(struct keeper_outputs *outputs, const char *output, const char *folder,
                         int claim);

/* Returns whether a path may be that of a recording. */
bool keeper_outputs_may_be(const struct keeper_outputs *outputs, const char *path);

/* As in growing_file.h; return a descriptor or -errno.  The caller keeps `claim`. */
int keeper_outputs_take(struct keeper_outputs *outputs, const char *path, int claim);
int keeper_outputs_beside(struct keeper_outputs *outputs, const char *path);
int keeper_outputs_replace(struct keeper_outputs *outputs, const char *path);
int keeper_outputs_discard(struct keeper_outputs *outputs, const char *path);
/* Removes a file that we made; if `only_empty`, only if the file is empty. */
int keeper_outputs_remove(struct keeper_outputs *outputs, const char *path, bool only_empty);
/* Returns 0 with the size, or -ENOENT. */
int keeper_outputs_look(const struct keeper_outputs *outputs, const char *path, int64_t *bytes);
