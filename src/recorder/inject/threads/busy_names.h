/* busy_names.h - the functions of an object that hold, or soon will hold, a lock that loading a
 * library needs: loading, allocating, forking, creating and ending threads, ending the process. */
#pragma once

#include "inject/library/loaded_elf.h"

struct busy_names;

/* Finds them in its symbol table.  Returns NULL if it has none, or when out of memory. */
struct busy_names *busy_names_create(struct memory_reader reader, const struct loaded_elf *elf,
                                     bool is_libc);
void busy_names_destroy(struct busy_names *names);

/* Returns whether `address` is in one of them, or in the unnamed helpers around an allocator's
 * functions. */
bool busy_names_hold(const struct busy_names *names, uint64_t address);

/* Returns whether the object itself defines malloc. */
bool busy_names_is_allocator(const struct busy_names *names);

/* Returns whether a function of this name is one of them. */
bool busy_names_know(const char *name, bool is_libc);
