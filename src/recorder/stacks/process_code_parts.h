/* process_code_parts.h - the inside of process_code: what is shared by code of running processes
 * and code from a list. */
#pragma once

#include "procfs/memory/maps.h"
#include "stacks/code_store.h"

#define RULES_BITS  13
#define QUIET_MAX   5u
#define REGIONS_MAX (1u << 21) /* A packed rule has 22 bits for its region. */

struct known_rule {
    uint64_t address; /* 0: none. */
    unwind_rule rule;
};

struct process_code {
    struct code_store *store;
    uint32_t pid;
    const char *root;                /* Of its files, as process_root returns it. */
    int memory;                      /* /proc/PID/mem; -1: not allowed. */
    struct map_list maps;            /* All mappings, for files that are read from memory. */
    VEC(struct code_region) regions; /* The executable mappings, by address. */
    struct known_rule *rules;        /* By a hash of the address; NULL: none is known. */
    uint64_t next_refresh_ns;
    unsigned quiet; /* Refreshes in a row that found nothing new, at most QUIET_MAX. */
    uint64_t number;
    bool was_replaced;
    bool is_listed;        /* From process_code_map, not read from /proc. */
    char made_list[64];    /* Of code that its runtime made; "": none is known. */
    uint64_t next_list_ns; /* When to look for a list again. */
};

/* Returns the first region that ends behind `address`; the number of regions if there is none. */
size_t process_code_place(const struct process_code *code, uint64_t address);
/* To be called after any change of the regions. */
void process_code_forget_rules(struct process_code *code);

/* Finds out what a region of a list is, from the file on this machine. */
void listed_code_prepare(struct process_code *code, struct code_region *region);
bool listed_code_bytes(const struct process_code *code, uint64_t address, void *to, size_t size);
