/* pprof_tables.h - strings, functions, places and mappings of a profile.proto, each written once.
 *
 * Ids are dense and start at 1; string 0 is the empty one, as the format demands. */
#pragma once

#include "formats/encodings/protobuf_out.h"
#include "model/recording.h"

struct pprof_tables {
    struct recording *recording;
    struct string_table *strings;   /* their ids are the profile's string indices */
    struct string_table *functions; /* keys (name, symbol, file) as bytes; ids as above */
    struct string_table *locations; /* keys (frame, hidden lines) */
    struct protobuf_out functions_out, locations_out; /* ready for the profile */
    struct protobuf_out location, line;               /* scratch */
    uint32_t *mapping_ids;                            /* by module; the program itself is 1 */
    uint8_t *mapping_flags;                           /* by module: enum mapping_flag */
    bool hides_addresses; /* of the process: as in the files instead, and 0 where there is none */
    bool failed;          /* out of memory */
};

/* Either way pprof_tables_fini ends it; look at `failed`. */
void pprof_tables_init(struct pprof_tables *tables, struct recording *recording);
void pprof_tables_fini(struct pprof_tables *tables);

uint64_t pprof_string(struct pprof_tables *tables, const char *text);
/* Returns the id of a frame; its first `hidden_lines` inlined functions are left out. */
uint64_t pprof_location(struct pprof_tables *tables, uint32_t frame, size_t hidden_lines);

/* After the last location, in the order of the profile's fields: 3, 4, 5 and 6. */
void pprof_tables_write(struct pprof_tables *tables, struct protobuf_out *profile);
