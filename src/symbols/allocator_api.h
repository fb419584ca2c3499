/* allocator_api.h - the functions of allocators by name, and what each does with memory. */
#pragma once

#include <stdbool.h>

#include "base/slice.h"
#include "wire/inside.h"

/* By the part of the name after the allocator's prefix ("_rjem_", "mi_", "tc_" or none): malloc, mallocx, ...; with
 * `any` also words that mean something only after a prefix: new, zalloc, expand.  NULL when it is none of them. */
const struct inside_shape *allocator_api_find(struct slice name, bool any);

/* The same for C++'s operators new and delete, by their whole mangled name. */
const struct inside_shape *allocator_api_find_operator(struct slice name);

/* Functions that tell what a block can hold, best first; the block is their first argument. */
extern const char *const allocator_api_usable[];
