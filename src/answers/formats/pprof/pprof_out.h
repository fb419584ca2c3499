/* pprof_out.h - a profile.proto that is being written: its tables, and the messages that it is made
 * of. */
#pragma once

#include "base/fault.h"
#include "base/vec.h"
#include "formats/encodings/protobuf_out.h"
#include "formats/pprof/pprof_tables.h"
#include "formats/shared/output.h"

struct pprof_out {
    struct pprof_tables tables;
    struct protobuf_out profile;       /* The message that the file is. */
    struct protobuf_out sample, label; /* Scratch: the message that is made now. */
    VEC(uint64_t) ids;                 /* Scratch: locations, comments. */
};

/* Call pprof_out_fini in any case. */
void pprof_out_init(struct pprof_out *out, struct recording *recording, bool hides_addresses);
void pprof_out_fini(struct pprof_out *out);

/* Writes a ValueType.  Overwrites `sample`. */
void pprof_out_type(struct pprof_out *out, unsigned field, const char *type, const char *unit);

/* Returns 0 with the profile in `file`, or -ENOMEM with `fault` when memory ran out on the way. */
int pprof_out_put(const struct pprof_out *out, struct output *file, struct fault *fault);
