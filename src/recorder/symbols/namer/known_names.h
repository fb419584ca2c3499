/* known_names.h - names of functions of the system's files, from the cache (name_cache.h) or from a
 * namer that reads nothing but such files.
 *
 * The system's files are those that root owns and only root may write to, in folders such as /usr
 * that only root (or we) may change.  A hostile program may have a file, or a build-id, of its own
 * choice, but no such file; so it cannot break this namer, and what it gives away goes to no cache.
 * Needs rights to open files, so a confined recorder asks a process of its keeper's that calls
 * known_names_serve. */
#pragma once

#include "symbols/namer/name_client.h"

struct known_names;

/* Returns NULL when out of memory.  Nothing is opened before the first question. */
struct known_names *known_names_create(void);
void known_names_destroy(struct known_names *known); /* Saves what is new. */

/* Returns whether a module can be one of the system's, by its path; asks nobody. */
bool known_names_may_have(const struct resolver_module *module);

/* As name_client_ask.  Returns false if nothing is known here: then the files of the module are for
 * another namer. */
bool known_names_ask(struct known_names *known, const struct resolver_module *module,
                     const uint64_t *addresses, size_t count, struct name_answer *answer);
/* As name_client_rest. */
void known_names_rest(struct known_names *known);
uint64_t known_names_worked_ns(const struct known_names *known);
void known_names_set_nice(struct known_names *known, int nice);

/* Answers questions from `line` as a namer does that asks for no files, until its other end is
 * closed.  First closes all other descriptors above 2. */
void known_names_serve(int line);
