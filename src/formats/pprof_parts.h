/* pprof_parts.h - inside the reader of pprof's files: its parts and what they share. */
#pragma once

#include <stdbool.h>

#include "formats/pprof_profile.h"

/* Adds to a table that a hostile file must not make too large.  The macro is 0, -ENOMEM or -E2BIG. */
#define pprof_add(vec, ...)                                                                        \
    ((vec)->count >= PPROF_ITEMS_MAX ? -E2BIG : vec_push(vec, __VA_ARGS__) ? 0 : -ENOMEM)

/* profile->bytes as profile.proto, as it is: nothing is resolved.  0, or -errno with a sentence. */
int pprof_parse_proto(struct pprof_profile *profile, struct fault *fault);
/* Numbers that name something, into indexes; refuses what profile.proto does not allow.  0, or -errno with a sentence. */
int pprof_resolve(struct pprof_profile *profile, struct fault *fault);

/* Unpacks all layers of gzip around it, into a block that the caller frees.  NULL with a sentence. */
char *pprof_unpack(struct slice packed, size_t *size, struct fault *fault);
