/* stack_import.h - call stacks from the arena's trie into a recording.
 *
 * Keeps what it has seen: a node costs one array look-up the second time.  Not thread-safe. */
#pragma once

#include "capture/rings/arena.h"
#include "model/recording.h"

struct stack_import;

/* NULL when out of memory. */
struct stack_import *stack_import_create(struct arena *arena, struct recording *recording);
void stack_import_destroy(struct stack_import *import);

/* A dense number for the stack that ends in `node`: the index of heap accounts.  0 or -ENOMEM. */
int stack_import_site(struct stack_import *import, uint32_t node, uint32_t *site);
/* The same for samples, which have accounts of their own: `rate` says what one of them stands
 * for. */
int stack_import_sampled_site(struct stack_import *import, uint32_t node, uint64_t rate,
                              uint32_t *site);
/* The same for a node that is known already; false when it is not. */
bool stack_import_peek(const struct stack_import *import, uint32_t node, uint32_t *site);
/* The same for the stack as if it began in a function of this name: how pools and regions show
 * in every report.  Too many names share one, and what is too much under names, 2 million frames
 * in all, stands without. */
int stack_import_site_under(struct stack_import *import, uint32_t node, string_id name,
                            uint32_t *site);
uint32_t stack_import_site_count(const struct stack_import *import);

/* What a site is: its stack in the recording, and how its walk ended. */
struct imported_site {
    stack_id stack;
    enum stack_end end;
    bool folded;
    uint32_t node; /* of the trie */
    uint64_t rate; /* 0: it counts every block */
};
const struct imported_site *stack_import_describe(const struct stack_import *import, uint32_t site);
