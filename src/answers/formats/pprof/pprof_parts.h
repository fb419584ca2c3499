/* pprof_parts.h - inside the reader of pprof's files: its parts and what they share. */
#pragma once

#include <stdbool.h>

#include "formats/pprof/pprof_ids.h"
#include "formats/pprof/pprof_profile.h"

/* Adds to a table that a hostile file must not make too large.  The macro is 0, -ENOMEM or
 * -E2BIG. */
#define pprof_add(vec, ...)                                                                        \
    ((vec)->count >= PPROF_ITEMS_MAX ? -E2BIG : vec_push(vec, __VA_ARGS__) ? 0 : -ENOMEM)

/* profile->bytes as profile.proto; refuses what it does not allow.  Returns 0 or -errno with a
 * sentence. */
int pprof_parse_proto(struct pprof_profile *profile, struct fault *fault);

/* --- its steps --- */
/* Numbers that name something, into indexes; and where to look up locations.  Strings of labels are
 * not looked at.  Returns 0 or -errno with a sentence. */
int pprof_resolve(struct pprof_profile *profile, struct id_index *locations, struct fault *fault);
/* All samples of the message; everything else is there already.  `bytes` is how long they are
 * together.  Returns 0 or -errno with a sentence. */
int pprof_parse_samples(struct pprof_profile *profile, const struct id_index *locations,
                        size_t count, size_t bytes, struct fault *fault);
/* The sentence about what is wrong at a byte. */
int pprof_tell_parse(int err, uint64_t offset, struct fault *fault);

/* Unpacks all layers of gzip around it, into a block that the caller frees.  NULL with a
 * sentence. */
char *pprof_unpack(struct slice packed, size_t *size, struct fault *fault);
