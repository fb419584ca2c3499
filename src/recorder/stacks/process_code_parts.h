/* process_code_parts.h - inside process_code: what those of running processes and those told
 * from a list share. */
#pragma once

#include "procfs/memory/maps.h"
#include "stacks/code_store.h"

#define RULES_BITS  13
#define QUIET_MAX   5u
#define REGIONS_MAX (1u << 21) /* a packed rule has 22 bits for its region */

struct known_rule {
    uint64_t address; /* 0: none */
    unwind_rule rule;
};

struct process_code {
    struct code_store *store;
    uint32_t pid;
    const char *root;                /* of its files, as process_root */
    int memory;                      /* /proc/PID/mem, -1: not allowed */
    struct map_list maps;            /* all of them, for files that are read from memory */
    VEC(struct code_region) regions; /* the executable ones, by address */
    struct known_rule *rules;        /* by a hash of the address; NULL: none is known */
    uint64_t next_refresh_ns;
    unsigned quiet; /* refreshes in a row that found nothing new, at most QUIET_MAX */
    uint64_t number;
    bool was_replaced;
    bool is_listed;        /* told by process_code_map, not read from /proc */
    char made_list[64];    /* of what its runtime made; "": none that is known */
    uint64_t next_list_ns; /* when to look for one again */
};

/* The first region that ends behind `address`; their number when there is none. */
size_t process_code_place(const struct process_code *code, uint64_t address);
/* After any change of the regions. */
void process_code_forget_rules(struct process_code *code);

/* Finds out what the region of a list is, by the file on this machine. */
void listed_code_prepare(struct process_code *code, struct code_region *region);
bool listed_code_bytes(const struct process_code *code, uint64_t address, void *to, size_t size);
