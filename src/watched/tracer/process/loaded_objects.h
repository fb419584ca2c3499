/* loaded_objects.h - the program and the libraries that are loaded in this process: their tables of
 * symbols, and of places where the loader puts addresses.
 *
 * Allocates no memory, and takes no lock but the loader's own for its list (dl_iterate_phdr).  All
 * tables are bounded by the segments that contain them: what does not fit is skipped. */
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
    const uint16_t *versions;          /* Of symbols, by number; or NULL. */
    const ElfW(Rela) * relocations[2]; /* Of data; of calls. */
    size_t relocation_count[2];
    bool late; /* Loaded while the program ran: names that it uses may be found elsewhere first. */
    uint64_t fixed_low, fixed_high; /* Pages that the loader makes read-only. */
};
enum { RELOCATIONS_DATA, RELOCATIONS_CALLS };

/* How much of the list has been seen, so that the next time only new objects are. */
struct objects_mark {
    uint64_t came, went;
    size_t count;
    bool changing; /* Some objects were being loaded or unloaded. */
};

/* Calls `see` for each object, in the order in which names are looked up, until it returns
 * something else than 0; returns that.  Leaves out our own library, objects that are being loaded
 * or unloaded, and, with `mark`, those seen before it was last set.  A mark of zeros has seen
 * nothing. */
int objects_each(int (*see)(const struct loaded_object *object, void *context), void *context,
                 struct objects_mark *mark);

/* Returns the function that the program's own call of `name` reaches, which may be one of ours;
 * NULL if there is none. */
void *objects_function(const char *name);

/* Returns the first function of that name in any object, ours included. */
void *objects_first(const char *name);

/* Returns the first function of that name in an object other than ours that was there from the
 * start; NULL if there is none. */
void *objects_function_of_others(const char *name);

/* [low, high) of the code that an address is in; 0, 0 if it is in none. */
struct loaded_code {
    uint64_t low, high;
};
struct loaded_code objects_code_at(const void *address);

static inline bool loaded_code_holds(struct loaded_code code, const void *address)
{
    return (uint64_t)address >= code.low && (uint64_t)address < code.high;
}

/* Returns what an object defines under this name; NULL if nothing. */
void *object_function(const struct loaded_object *object, const char *name);

/* Returns whether [address, address + size) is in a segment that has all of `flags` (PF_R, PF_W,
 * PF_X). */
bool object_holds(const struct loaded_object *object, uint64_t address, size_t size,
                  unsigned flags);

/* Returns the name of a symbol; "" if it has none. */
const char *object_symbol_name(const struct loaded_object *object, uint32_t symbol);
