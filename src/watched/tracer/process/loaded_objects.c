/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/process/loaded_objects.h"

#include <dlfcn.h>
#include <elf.h>
#include <string.h>

/* glibc 2.35 and later: knows an object from when it is ready to run until it is about to go. */
#pragma weak _dl_find_object

bool object_holds(const struct loaded_object *object, uint64_t address, size_t size, unsigned flags)
{
    for (unsigned i = 0; i < object->segment_count; i++) {
        const ElfW(Phdr) *segment = &object->segments[i];
        uint64_t low = object->bias + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && (segment->p_flags & flags) == flags && address >= low &&
            size <= segment->p_memsz && address - low <= segment->p_memsz - size)
            return true;
    }
    return false;
}

/* A pointer of the dynamic section: the loader has made most of them absolute.  NULL when
 * nothing is there. */
static const void *pointer(const struct loaded_object *object, uint64_t value, size_t size)
{
    if (object_holds(object, value, size, PF_R))
        return (const void *)value;
    value += object->bias;
    return object_holds(object, value, size, PF_R) ? (const void *)value : NULL;
}

/* What the dynamic section says of one table. */
struct loaded_table {
    uint64_t at;
    uint64_t size;
};

struct dynamic {
    uint64_t symbols, strings, strings_size, gnu_hash, old_hash, versions;
    struct loaded_table data, calls;
    bool calls_are_rela;
};

static void read_entry(const ElfW(Dyn) * entry, struct dynamic *dynamic)
{
    uint64_t value = entry->d_un.d_val;
    switch (entry->d_tag) {
    case DT_SYMTAB:
        dynamic->symbols = value;
        break;
    case DT_STRTAB:
        dynamic->strings = value;
        break;
    case DT_STRSZ:
        dynamic->strings_size = value;
        break;
    case DT_GNU_HASH:
        dynamic->gnu_hash = value;
        break;
    case DT_HASH:
        dynamic->old_hash = value;
        break;
    case DT_VERSYM:
        dynamic->versions = value;
        break;
    case DT_RELA:
        dynamic->data.at = value;
        break;
    case DT_RELASZ:
        dynamic->data.size = value;
        break;
    case DT_JMPREL:
        dynamic->calls.at = value;
        break;
    case DT_PLTRELSZ:
        dynamic->calls.size = value;
        break;
    case DT_PLTREL:
        dynamic->calls_are_rela = value == DT_RELA;
        break;
    default:
        break;
    }
}

static void set_relocations(struct loaded_object *object, int which, struct loaded_table table)
{
    object->relocations[which] = pointer(object, table.at, table.size);
    if (object->relocations[which])
        object->relocation_count[which] = table.size / sizeof(ElfW(Rela));
}

static void set_tables(struct loaded_object *object, const struct dynamic *dynamic)
{
    object->symbols = pointer(object, dynamic->symbols, sizeof(ElfW(Sym)));
    object->strings = pointer(object, dynamic->strings, dynamic->strings_size);
    object->strings_size = object->strings ? dynamic->strings_size : 0;
    if (dynamic->gnu_hash)
        object->gnu_hash = pointer(object, dynamic->gnu_hash, 4 * sizeof(uint32_t));
    if (dynamic->old_hash)
        object->old_hash = pointer(object, dynamic->old_hash, 2 * sizeof(uint32_t));
    if (dynamic->versions)
        object->versions = pointer(object, dynamic->versions, sizeof(uint16_t));
    if (dynamic->data.size)
        set_relocations(object, RELOCATIONS_DATA, dynamic->data);
    if (dynamic->calls.size && dynamic->calls_are_rela)
        set_relocations(object, RELOCATIONS_CALLS, dynamic->calls);
}

/* false when it has no symbols: the kernel's object, or nothing that concerns us. */
static bool read_object(const struct dl_phdr_info *info, struct loaded_object *object)
{
    struct dynamic dynamic = {0};
    const ElfW(Dyn) *entry = NULL;
    size_t entries = 0;

    *object = (struct loaded_object){.bias = info->dlpi_addr,
                                     .segments = info->dlpi_phdr,
                                     .segment_count = info->dlpi_phnum,
                                     .name = info->dlpi_name};
    for (unsigned i = 0; i < object->segment_count; i++) {
        const ElfW(Phdr) *segment = &object->segments[i];
        uint64_t at = object->bias + segment->p_vaddr;
        if (segment->p_type == PT_DYNAMIC && object_holds(object, at, segment->p_memsz, PF_R)) {
            entry = (const ElfW(Dyn) *)at;
            entries = segment->p_memsz / sizeof(*entry);
        } else if (segment->p_type == PT_GNU_RELRO) {
            /* as the loader rounds it */
            object->fixed_low = at & ~4095ull;
            object->fixed_high = (at + segment->p_memsz) & ~4095ull;
        }
    }
    for (; entries > 0 && entry->d_tag != DT_NULL; entry++, entries--)
        read_entry(entry, &dynamic);
    set_tables(object, &dynamic);
    return object->symbols && object->strings && object->strings_size > 0;
}

const char *object_symbol_name(const struct loaded_object *object, uint32_t symbol)
{
    const ElfW(Sym) *at = &object->symbols[symbol];
    if (!object_holds(object, (uint64_t)at, sizeof(*at), PF_R) ||
        at->st_name >= object->strings_size)
        return "";
    return object->strings + at->st_name;
}

/* Kept for programs that were linked long ago; everybody else means another one of that name. */
static bool is_outdated(const struct loaded_object *object, uint32_t index)
{
    const uint16_t *version = object->versions ? object->versions + index : NULL;
    return version && object_holds(object, (uint64_t)version, sizeof(*version), PF_R) &&
           (*version & 0x8000);
}

/* The function of symbol number `index`, if it is defined here under this name. */
static void *defined_as(const struct loaded_object *object, uint32_t index, const char *name)
{
    if (strcmp(object_symbol_name(object, index), name) != 0 || is_outdated(object, index))
        return NULL;
    const ElfW(Sym) *symbol = &object->symbols[index];
    unsigned type = ELF64_ST_TYPE(symbol->st_info), binding = ELF64_ST_BIND(symbol->st_info);
    uint64_t address = object->bias + symbol->st_value;
    if (symbol->st_shndx == SHN_UNDEF || binding == STB_LOCAL || type == STT_TLS ||
        type == STT_SECTION || type == STT_FILE || !object_holds(object, address, 1, PF_R))
        return NULL;
    if (type == STT_GNU_IFUNC)
        return ((void *(*)(void))address)();
    return (void *)address;
}

static uint32_t gnu_hash_of(const char *name)
{
    uint32_t hash = 5381;
    for (; *name; name++)
        hash = hash * 33 + (unsigned char)*name;
    return hash;
}

static void *find_by_gnu_hash(const struct loaded_object *object, const char *name)
{
    const uint32_t *table = object->gnu_hash;
    uint32_t bucket_count = table[0], first = table[1], bloom_words = table[2];
    const uint32_t *buckets = table + 4 + 2 * (size_t)bloom_words;
    uint32_t hash = gnu_hash_of(name);
    if (bucket_count == 0 ||
        !object_holds(object, (uint64_t)buckets, 4 * (size_t)bucket_count, PF_R))
        return NULL;
    uint32_t index = buckets[hash % bucket_count];
    const uint32_t *chain = buckets + bucket_count;
    if (index < first)
        return NULL;
    for (;; index++) {
        const uint32_t *link = chain + (index - first);
        if (!object_holds(object, (uint64_t)link, sizeof(*link), PF_R))
            return NULL;
        void *found = (*link | 1) == (hash | 1) ? defined_as(object, index, name) : NULL;
        if (found || (*link & 1))
            return found;
    }
}

static uint32_t old_hash_of(const char *name)
{
    uint32_t hash = 0;
    for (; *name; name++) {
        hash = (hash << 4) + (unsigned char)*name;
        hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
    }
    return hash;
}

static void *find_by_old_hash(const struct loaded_object *object, const char *name)
{
    const uint32_t *table = object->old_hash;
    uint32_t bucket_count = table[0], chain_count = table[1];
    if (bucket_count == 0 ||
        !object_holds(object, (uint64_t)table, 4 * (2 + (size_t)bucket_count + chain_count), PF_R))
        return NULL;
    uint32_t index = table[2 + old_hash_of(name) % bucket_count];
    for (uint32_t steps = 0; index != 0 && index < chain_count && steps < chain_count; steps++) {
        void *found = defined_as(object, index, name);
        if (found)
            return found;
        index = table[2 + bucket_count + index];
    }
    return NULL;
}

void *object_function(const struct loaded_object *object, const char *name)
{
    if (object->gnu_hash)
        return find_by_gnu_hash(object, name);
    return object->old_hash ? find_by_old_hash(object, name) : NULL;
}

struct tour {
    int (*see)(const struct loaded_object *object, void *context);
    void *context;
    bool with_own;
    bool past_libc;
    int result;
    size_t skip; /* known from the last time */
    struct objects_mark last, now;
};

/* Whether the loader is done with it: all addresses are in place and its read-only pages are so. */
static bool is_ready(const struct loaded_object *object)
{
    struct dl_find_object found;
    return !_dl_find_object || _dl_find_object((void *)object->symbols, &found) == 0;
}

static bool is_unchanged(const struct tour *tour)
{
    return tour->last.count > 0 && !tour->last.changing && tour->now.came == tour->last.came &&
           tour->now.went == tour->last.went;
}

/* The last of those that every program begins with, as far as names go. */
static bool is_libc(const struct loaded_object *object)
{
    return object_function(object, "__libc_start_main") != NULL;
}

static int visit(struct dl_phdr_info *info, size_t size, void *context)
{
    struct tour *tour = context;
    struct loaded_object object;
    if (tour->now.count++ == 0 && size >= sizeof(*info)) {
        tour->now.came = info->dlpi_adds;
        tour->now.went = info->dlpi_subs;
        if (is_unchanged(tour)) {
            tour->now = tour->last;
            return 1;
        }
        /* New ones are at the end, unless some in between are gone. */
        if (tour->now.went == tour->last.went && !tour->last.changing)
            tour->skip = tour->last.count;
    }
    if (tour->now.count <= tour->skip || !read_object(info, &object) ||
        (!tour->with_own && object_holds(&object, (uint64_t)visit, 1, PF_X)))
        return 0;
    if (!is_ready(&object)) {
        tour->now.changing = true;
        return 0;
    }
    object.late = tour->past_libc || tour->skip > 0;
    tour->past_libc |= is_libc(&object);
    tour->result = tour->see(&object, tour->context);
    return tour->result;
}

int objects_each(int (*see)(const struct loaded_object *object, void *context), void *context,
                 struct objects_mark *mark)
{
    struct tour tour = {.see = see, .context = context};
    if (mark)
        tour.last = *mark;
    dl_iterate_phdr(visit, &tour);
    if (mark)
        *mark = tour.now;
    return tour.result;
}

struct loaded_search {
    const char *name;
    bool everywhere;
    void *found;
};

/* Beyond libc there are only libraries that were loaded later, perhaps with names for themselves
 * alone. */
static int look_for(const struct loaded_object *object, void *context)
{
    struct loaded_search *search = context;
    search->found = object_function(object, search->name);
    return search->found || (!search->everywhere && is_libc(object));
}

static void *search_all(struct loaded_search search)
{
    struct tour tour = {.see = look_for, .context = &search, .with_own = true};
    dl_iterate_phdr(visit, &tour);
    return search.found;
}

void *objects_function(const char *name)
{
    return search_all((struct loaded_search){.name = name});
}

void *objects_first(const char *name)
{
    return search_all((struct loaded_search){.name = name, .everywhere = true});
}

void *objects_function_of_others(const char *name)
{
    struct loaded_search search = {.name = name};
    struct tour tour = {.see = look_for, .context = &search};
    dl_iterate_phdr(visit, &tour);
    return search.found;
}

struct code_search {
    uint64_t address;
    struct loaded_code code;
};

static int look_for_code(struct dl_phdr_info *info, size_t size, void *context)
{
    struct code_search *search = context;
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum && !search->code.high; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uint64_t low = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X) && search->address >= low &&
            search->address - low < segment->p_memsz)
            search->code = (struct loaded_code){low, low + segment->p_memsz};
    }
    return search->code.high != 0;
}

struct loaded_code objects_code_at(const void *address)
{
    struct code_search search = {.address = (uint64_t)address};
    dl_iterate_phdr(look_for_code, &search);
    return search.code;
}
