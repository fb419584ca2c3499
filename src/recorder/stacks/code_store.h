/* code_store.h - tables of files, one per content, for all processes that run it. */
#pragma once

#include "stacks/code_tables.h"
#include "stacks/process_code.h"

struct code_key {
    uint64_t device, inode, identity; /* the last of code_identity */
};

/* The tables of a file, made if they are not there.  *tables is NULL when this is no ELF object.
 * 0 or -ENOMEM.  Each is given back with code_store_release. */
int code_store_acquire(struct code_store *store, struct code_key key,
                       const struct image_source *source, struct code_tables **tables);
void code_store_release(struct code_store *store, struct code_tables *tables);

/* A number that was not given before. */
uint64_t code_store_number(struct code_store *store);
