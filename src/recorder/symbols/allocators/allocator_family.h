/* allocator_family.h - finds an allocator in a program or library by its symbols.
 *
 * jemalloc under any prefix (_rjem_, je_, none), mimalloc, tcmalloc, whatever is called malloc
 * and free, and a prefix that somebody names.  libc's own and the loader's are left out: those
 * are reached otherwise. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "symbols/elf/elf_view.h"
#include "wire/inside.h"

#define ALLOCATOR_PREFIX_MAX  32
#define ALLOCATOR_PREFIXES    8
#define ALLOCATOR_ENTRIES_MAX 1024 /* names; no allocator has so many, and more are not looked at */

/* One function; several names may lead to it. */
struct allocator_entry {
    struct slice name;      /* in the file */
    uint64_t address, size; /* ELF virtual address */
    uint64_t room;          /* from it to whatever is next */
    struct inside_shape shape;
    uint64_t usable; /* function that tells what a block can hold, or 0 */
    uint8_t usable_rule;
    uint8_t prefix; /* which of the prefixes found; ALLOCATOR_PREFIXES for operators */
    bool disputed;  /* one address, two names that mean different things: linkers fold equal code */
};

struct allocator_code {
    uint64_t address, size;
};

struct allocator_family {
    const char *name; /* "jemalloc", ... ; NULL when there is none */
    char prefix[ALLOCATOR_PREFIX_MAX];
    VEC(struct allocator_entry) entries; /* by address */
    VEC(struct allocator_code)
    cold; /* parts of functions that compilers put elsewhere; they may branch anywhere */
};

/* `wanted` is the prefix somebody named, or NULL.  0 also when nothing was found; -ENOMEM.  The
 * names stay in the file, which must outlive the family. */
int allocator_family_find(struct allocator_family *family, const struct elf_view *view,
                          const char *wanted);
void allocator_family_free(struct allocator_family *family);
