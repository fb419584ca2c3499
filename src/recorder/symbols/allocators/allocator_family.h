/* allocator_family.h - finds an allocator in a program or library by its symbols.
 *
 * Finds jemalloc with any prefix (_rjem_, je_, none), mimalloc, tcmalloc, any functions called
 * malloc and free, and a prefix that the person names.  Leaves out libc's own allocator and the
 * loader's, which are hooked in another way. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "symbols/elf/elf_view.h"
#include "wire/inside.h"

#define ALLOCATOR_PREFIX_MAX 32
#define ALLOCATOR_PREFIXES   8
/* Most names; no allocator has so many, and further ones are ignored. */
#define ALLOCATOR_ENTRIES_MAX 1024

/* One function, which may have several names. */
struct allocator_entry {
    struct slice name;      /* In the file. */
    uint64_t address, size; /* ELF virtual address. */
    uint64_t room;          /* From the function to whatever is next. */
    struct inside_shape shape;
    uint64_t usable; /* Function that returns the usable size of a block, or 0. */
    uint8_t usable_rule;
    uint8_t prefix; /* Index of the prefix that was found; ALLOCATOR_PREFIXES for operators. */
    bool disputed;  /* One address, two names with different meanings: linkers fold equal code. */
};

struct allocator_code {
    uint64_t address, size;
};

struct allocator_family {
    const char *name; /* "jemalloc", ...; NULL: none. */
    char prefix[ALLOCATOR_PREFIX_MAX];
    VEC(struct allocator_entry) entries; /* By address. */
    VEC(struct allocator_code)
    cold; /* parts of functions that compilers put elsewhere; they may branch anywhere */
};

/* `wanted` is the prefix that the person named, or NULL.  Returns 0, also if nothing was found; or
 * -ENOMEM.  The names are in the file, which must outlive the family. */
int allocator_family_find(struct allocator_family *family, const struct elf_view *view,
                          const char *wanted);
void allocator_family_free(struct allocator_family *family);
