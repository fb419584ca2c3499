/* name_source.h - where a recorder gets names from: those of the system's files from what is known
 * (known_names.h), all others from the namer (name_client.h).  One thread at a time. */
#pragma once

#include "symbols/namer/name_client.h"

struct name_source;

/* A confined recorder asks a process for known names, which these start and end; to be called
 * before the first source is created.  NULL: it knows them by itself, as at first. */
void name_source_known_by(const struct namer_process *process);

/* Returns NULL when out of memory.  `say` as for name_client_create. */
struct name_source *name_source_create(say_fn say);
void name_source_destroy(struct name_source *source);

/* These do as those of name_client.h. */
void name_source_ask(struct name_source *source, const struct resolver_module *module,
                     const uint64_t *addresses, size_t count, struct name_answer *answer);
void name_source_rest(struct name_source *source);
uint64_t name_source_worked_ns(const struct name_source *source);
void name_source_set_nice(struct name_source *source, int nice);
