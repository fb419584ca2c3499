/* keeper_outputs.h - the files of a recording, made for somebody who may not make any.
 *
 * Which files: the one that was asked for, and in its folder those with names of recordings, when
 * they are new.  Nothing else is ever made, replaced or removed, whatever is asked. */
#pragma once

#include "base/vec.h"
#include "store/write/growing_file.h"

#define OUTPUTS_MOST 100000u /* that one recorder makes */

struct kept_output {
    char *path, *place;         /* as it was asked for; and where that led */
    uint64_t device, inode;     /* of what we made */
    struct growing_file beside; /* a copy that is being made; fd -1: none */
};

struct keeper_outputs {
    const char *output; /* that was asked for, or NULL */
    const char *folder; /* of all others; "": this one */
    VEC(struct kept_output) made;
};

/* `output` and `folder` are the caller's.  `claim`: the output as it was made already, or -1. */
void keeper_outputs_init(struct keeper_outputs *outputs, const char *output, const char *folder,
                         int claim);

/* Whether a path may be that of a recording. */
bool keeper_outputs_may_be(const struct keeper_outputs *outputs, const char *path);

/* As growing_file.h says; a descriptor or -errno.  What comes as `claim` is the caller's. */
int keeper_outputs_take(struct keeper_outputs *outputs, const char *path, int claim);
int keeper_outputs_beside(struct keeper_outputs *outputs, const char *path);
int keeper_outputs_replace(struct keeper_outputs *outputs, const char *path);
int keeper_outputs_discard(struct keeper_outputs *outputs, const char *path);
/* What we made; when `only_empty`, only if there is nothing in it. */
int keeper_outputs_remove(struct keeper_outputs *outputs, const char *path, bool only_empty);
/* -ENOENT, or 0 and how large it is. */
int keeper_outputs_look(const struct keeper_outputs *outputs, const char *path, int64_t *bytes);
