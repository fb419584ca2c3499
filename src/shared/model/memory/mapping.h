/* mapping.h - the address space of a process as of one look at its pages: each mapping, what of
 * it is resident, and which code made it. */
#pragma once

#include "base/vec.h"
#include "model/memory/owner.h"
#include "model/stack_table.h"
#include "model/string_table.h"

#define MAPPINGS_MAX 2048u /* of more, neighbours are put together */

enum mapping_right {
    MAPPING_READ = 1,
    MAPPING_WRITE = 2,
    MAPPING_EXECUTE = 4,
    MAPPING_SHARED = 8,
};

struct mapping {
    uint64_t start, end, resident; /* addresses; bytes */
    string_id name;                /* the kernel's; empty: none */
    stack_id stack;                /* that mapped it; 0: not known */
    uint32_t count;                /* mappings in this row */
    uint8_t rights;                /* enum mapping_right */
    uint8_t owner;                 /* enum owner_kind, of its pages that no block is on */
};

struct mapping_list {
    VEC(struct mapping) items; /* by address */
    uint64_t time_ns;          /* of the look; 0: there is none */
};
