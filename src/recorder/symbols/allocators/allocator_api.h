/* allocator_api.h - the functions of allocators by name, and what each does with memory. */
#pragma once

#include "base/slice.h"
#include "wire/inside.h"

/* Besides what is common to all: functions of libc, and of jemalloc with its x. */
enum allocator_api { API_COMMON = 0, API_MIMALLOC = 1, API_TCMALLOC = 2 };

/* By the part of the name after the allocator's prefix ("_rjem_", "mi_", "tc_" or none): malloc,
 * mallocx, ...  `which` are bits of the above: zalloc and delete mean nothing by themselves.
 * NULL when it is none of them. */
const struct inside_shape *allocator_api_find(struct slice name, unsigned which);

/* The same for C++'s operators new and delete, by their whole mangled name. */
const struct inside_shape *allocator_api_find_operator(struct slice name);

/* Functions that tell what a block can hold, best first; the block is their first argument. */
extern const char *const allocator_api_usable[];
