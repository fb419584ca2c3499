/* loaded_objects.h - the program and the libraries that are loaded in this process: their tables
 * of symbols and of the places where the loader puts addresses.
 *
 * No memory, no lock but the loader's own for its list, which dl_iterate_phdr takes.  All tables
 * are bounded by the segments that hold them: what does not fit is passed over. */
#pragma once

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loaded_object {
    uint64_t bias;
    const ElfW(Phdr) * segments;
    unsigned segment_count;
    const char *name;
    const ElfW(Sym) * symbols;
    const char *strings;
    size_t strings_size;
    const uint32_t *gnu_hash;
    const uint32_t *old_hash;
    const uint16_t *versions;          /* of symbols, by number; or NULL */
    const ElfW(Rela) * relocations[2]; /* of data; of calls */
    size_t relocation_count[2];
    bool late; /* came while the program ran: names that it uses may be found elsewhere first */
    uint64_t fixed_low, fixed_high; /* pages that the loader makes read-only */
};
enum { RELOCATIONS_DATA, RELOCATIONS_CALLS };

/* What has been seen of the list, to see only what is new the next time. */
struct objects_mark {
    uint64_t came, went;
    size_t count;
    bool changing; /* some were on their way in or out */
};

/* Hands each object to `see`, in the order in which names are looked for, until that returns
 * something else than 0; returns that.  Left out are our own library, those that are on their
 * way in or out, and, with `mark`, those seen before it was last set.  A mark of zeros has seen
 * nothing. */
int objects_each(int (*see)(const struct loaded_object *object, void *context), void *context,
                 struct objects_mark *mark);

/* The function that the program's own call of `name` leads to; NULL when there is none.  Also
 * one of ours, if that is it. */
void *objects_function(const char *name);

/* The first of that name in any object, ours too. */
void *objects_first(const char *name);

/* What an object defines under this name; NULL when nothing. */
void *object_function(const struct loaded_object *object, const char *name);

/* Whether [address, address + size) is in a segment that has all of `flags` (PF_R, PF_W, PF_X). */
bool object_holds(const struct loaded_object *object, uint64_t address, size_t size,
                  unsigned flags);

/* The name of a symbol, "" when it has none. */
const char *object_symbol_name(const struct loaded_object *object, uint32_t symbol);
