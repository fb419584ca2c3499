/* busy_names.h - the functions of an object that hold, or soon will hold, a lock which loading a
 * library needs: loading, allocating, forking, making and ending threads, ending the process. */
#pragma once

#include "inject/library/loaded_elf.h"

struct busy_names;

/* From its symbol table.  NULL when it has none, or no memory. */
struct busy_names *busy_names_create(struct memory_reader reader, const struct loaded_elf *elf,
                                     bool is_libc);
void busy_names_destroy(struct busy_names *names);

/* Whether `address` is in one of them; also in the unnamed helpers around an allocator's
 * functions. */
bool busy_names_hold(const struct busy_names *names, uint64_t address);

/* Whether the object defines malloc itself. */
bool busy_names_is_allocator(const struct busy_names *names);

/* Whether a function of this name is one of them. */
bool busy_names_know(const char *name, bool is_libc);
