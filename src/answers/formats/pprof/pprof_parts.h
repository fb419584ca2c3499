/* pprof_parts.h - inside the reader of pprof's files: what its parts share. */
#pragma once

#include <stdbool.h>

#include "formats/pprof/pprof_ids.h"
#include "formats/pprof/pprof_profile.h"

/* Appends to a table, whose size is limited because the file may be hostile.  The value of the
 * macro is 0, -ENOMEM or -E2BIG. */
#define pprof_add(vec, ...)                                                                        \
    ((vec)->count >= PPROF_ITEMS_MAX ? -E2BIG : vec_push(vec, __VA_ARGS__) ? 0 : -ENOMEM)

/* Parses profile->bytes as profile.proto; refuses what the format does not allow.  Returns 0 or
 * -errno with a sentence. */
int pprof_parse_proto(struct pprof_profile *profile, struct fault *fault);

/* --- steps of pprof_parse_proto --- */
/* Replaces ids by indices, and makes the index of locations.  Strings of labels are not checked.
 * Returns 0 or -errno with a sentence. */
int pprof_resolve(struct pprof_profile *profile, struct id_index *locations, struct fault *fault);
/* Parses the `count` samples of the message, after everything else; `bytes` is their total size.
 * Returns 0 or -errno with a sentence. */
int pprof_parse_samples(struct pprof_profile *profile, const struct id_index *locations,
                        size_t count, size_t bytes, struct fault *fault);
/* Sets the sentence about an error at a byte of the file. */
int pprof_tell_parse(int err, uint64_t offset, struct fault *fault);

/* Unpacks all layers of gzip.  The caller frees the result.  Returns NULL with a sentence. */
char *pprof_unpack(struct slice packed, size_t *size, struct fault *fault);
