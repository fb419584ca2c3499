/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/pprof/pprof_out.h"

#include <errno.h>

#include "formats/pprof/pprof_fields.h"

void pprof_out_init(struct pprof_out *out, struct recording *recording, bool hides_addresses)
{
    *out = (struct pprof_out){.ids = {NULL, 0, 0}};
    pprof_tables_init(&out->tables, recording);
    out->tables.hides_addresses = hides_addresses;
}

void pprof_out_fini(struct pprof_out *out)
{
    pprof_tables_fini(&out->tables);
    protobuf_fini(&out->profile);
    protobuf_fini(&out->sample);
    protobuf_fini(&out->label);
    vec_free(&out->ids);
}

void pprof_out_type(struct pprof_out *out, unsigned field, const char *type, const char *unit)
{
    protobuf_reset(&out->sample);
    protobuf_uint(&out->sample, VALUE_TYPE_TYPE, pprof_string(&out->tables, type));
    protobuf_uint(&out->sample, VALUE_TYPE_UNIT, pprof_string(&out->tables, unit));
    protobuf_message(&out->profile, field, &out->sample);
}

int pprof_out_put(const struct pprof_out *out, struct output *file, struct fault *fault)
{
    if (out->tables.failed || out->profile.failed || out->sample.failed || out->label.failed)
        return fault_set(fault, -ENOMEM, "Not enough memory to build the profile.");
    output_bytes(file, out->profile.data, out->profile.size);
    return 0;
}
