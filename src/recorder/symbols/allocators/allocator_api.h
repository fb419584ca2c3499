/* allocator_api.h - the functions of allocators by name, and what each does with memory. */
#pragma once

#include "base/slice.h"
#include "wire/inside.h"

/* Functions besides those that are common to all: those of libc, and those of jemalloc with an
 * x. */
enum allocator_api { API_COMMON = 0, API_MIMALLOC = 1, API_TCMALLOC = 2 };

/* Finds a function by the part of its name after the allocator's prefix ("_rjem_", "mi_", "tc_" or
 * none): malloc, mallocx, ... `which` has bits of enum allocator_api, because zalloc and delete
 * mean nothing by themselves.  Returns NULL if it is none of them. */
const struct inside_shape *allocator_api_find(struct slice name, unsigned which);

/* Like allocator_api_find, for C++'s operators new and delete, by their whole mangled name. */
const struct inside_shape *allocator_api_find_operator(struct slice name);

/* Functions that return the usable size of a block, best first; the block is their first
 * argument. */
extern const char *const allocator_api_usable[];
