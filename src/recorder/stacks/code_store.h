/* code_store.h - unwind tables of files, one per content, for all processes that run the file. */
#pragma once

#include "stacks/code_tables.h"
#include "stacks/process_code.h"

struct code_key {
    uint64_t device, inode, identity; /* The last is from code_identity. */
};

/* Finds the tables of a file, or makes them. *tables is NULL if this is not an ELF object.  Returns
 * 0 or -ENOMEM.  Release each with code_store_release. */
int code_store_acquire(struct code_store *store, struct code_key key,
                       const struct image_source *source, struct code_tables **tables);
void code_store_release(struct code_store *store, struct code_tables *tables);

/* Returns a number that was not given before. */
uint64_t code_store_number(struct code_store *store);
