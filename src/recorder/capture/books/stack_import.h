/* stack_import.h - copies call stacks from the arena's trie into a recording.
 *
 * Remembers what was imported: the second time, a node costs one array look-up.  Not
 * thread-safe. */
#pragma once

#include "capture/rings/arena.h"
#include "model/recording.h"

struct stack_import;

/* Returns NULL when out of memory. */
struct stack_import *stack_import_create(struct arena *arena, struct recording *recording);
void stack_import_destroy(struct stack_import *import);

/* Finds a dense number for the stack that ends in `node`: the index of its heap account.  Returns 0
 * or -ENOMEM. */
int stack_import_site(struct stack_import *import, uint32_t node, uint32_t *site);
/* Like stack_import_site for samples, which have accounts of their own: `rate` says what one sample
 * stands for. */
int stack_import_sampled_site(struct stack_import *import, uint32_t node, uint64_t rate,
                              uint32_t *site);
/* Like stack_import_site for a node that was imported before; returns false if it was not. */
bool stack_import_peek(const struct stack_import *import, uint32_t node, uint32_t *site);
/* Like stack_import_site for the stack as if it began in a function `name`: pools and regions
 * appear so in every report.  If there are too many names, the further ones share one; beyond 2
 * million frames under names in all, stacks have no name. */
int stack_import_site_under(struct stack_import *import, uint32_t node, string_id name,
                            uint32_t *site);
uint32_t stack_import_site_count(const struct stack_import *import);

/* What a site is: its stack in the recording, and how the stack walk ended. */
struct imported_site {
    stack_id stack;
    enum stack_end end;
    bool folded;
    uint32_t node; /* Of the trie. */
    uint64_t rate; /* 0: the site counts every block. */
};
const struct imported_site *stack_import_describe(const struct stack_import *import, uint32_t site);
