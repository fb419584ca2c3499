/* pprof_tables.h - the strings, functions, locations and mappings of a profile.proto, each written
 * once.
 *
 * Ids are dense and begin with 1; string 0 is the empty string, as the format requires. */
#pragma once

#include "formats/encodings/protobuf_out.h"
#include "model/recording.h"

struct pprof_tables {
    struct recording *recording;
    struct string_table *strings;   /* their ids are the string indices of the profile */
    struct string_table *functions; /* keys (name, symbol, file) as bytes; ids as above */
    struct string_table *locations; /* keys (frame, hidden lines) */
    struct protobuf_out functions_out, locations_out; /* encoded for the profile */
    struct protobuf_out location, line;               /* scratch */
    uint32_t *mapping_ids;                            /* by module; the program has id 1 */
    uint8_t *mapping_flags;                           /* by module: enum mapping_flag */
    /* hides addresses of the process: writes addresses as in the files, and 0 where there are
     * none */
    bool hides_addresses;
    bool failed; /* out of memory */
};

/* Call pprof_tables_fini in any case; check `failed`. */
void pprof_tables_init(struct pprof_tables *tables, struct recording *recording);
void pprof_tables_fini(struct pprof_tables *tables);

uint64_t pprof_string(struct pprof_tables *tables, const char *text);
/* Returns the id of a location for a frame, without its first `hidden_lines` inlined functions. */
uint64_t pprof_location(struct pprof_tables *tables, uint32_t frame, size_t hidden_lines);

/* Call it after the last location: writes fields 3, 4, 5 and 6, in the order of the profile. */
void pprof_tables_write(struct pprof_tables *tables, struct protobuf_out *profile);
