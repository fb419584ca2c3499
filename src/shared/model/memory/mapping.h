/* mapping.h - the address space of a process in one snapshot of its pages: each mapping, how much
 * of it is resident, and which code made it. */
#pragma once

#include "base/vec.h"
#include "model/memory/owner.h"
#include "model/stack_table.h"
#include "model/string_table.h"

#define MAPPINGS_MAX 2048u /* If there are more, neighbours are combined. */

enum mapping_right {
    MAPPING_READ = 1,
    MAPPING_WRITE = 2,
    MAPPING_EXECUTE = 4,
    MAPPING_SHARED = 8,
};

struct mapping {
    uint64_t start, end, resident; /* Addresses; bytes. */
    string_id name;                /* The kernel's name; may be empty. */
    stack_id stack;                /* The code that mapped it; 0: unknown. */
    uint32_t count;                /* Number of mappings in this row. */
    uint8_t rights;                /* enum mapping_right */
    uint8_t owner;                 /* enum owner_kind of its pages without blocks. */
};

struct mapping_list {
    VEC(struct mapping) items; /* Ordered by address. */
    uint64_t time_ns;          /* Time of the snapshot; 0: there is none. */
};
