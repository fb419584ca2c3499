/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/allocators/allocator_family.h"

#include <errno.h>

#include "symbols/allocators/allocator_api.h"

#define SYMBOLS_MAX ((size_t)16 * 1024 * 1024)
#define COLD_MAX    1024u

enum kind { KIND_JEMALLOC, KIND_MIMALLOC, KIND_TCMALLOC, KIND_NAMED, KIND_PLAIN };
static const char *const kind_names[] = {"jemalloc", "mimalloc", "tcmalloc", "an allocator",
                                         "a malloc"};

static const unsigned kind_apis[] = {
    [KIND_JEMALLOC] = API_COMMON,   [KIND_MIMALLOC] = API_MIMALLOC,
    [KIND_TCMALLOC] = API_TCMALLOC, [KIND_NAMED] = API_MIMALLOC | API_TCMALLOC,
    [KIND_PLAIN] = API_COMMON,
};

struct allocator_prefix {
    char text[ALLOCATOR_PREFIX_MAX];
    enum kind kind;
    uint64_t usable; /* of the best function that tells it */
    size_t usable_rank;
};

struct allocator_search {
    const struct elf_view *view;
    struct slice symbols, names;
    struct allocator_prefix prefixes[ALLOCATOR_PREFIXES];
    size_t prefix_count;
    bool has_malloc, has_free, is_libc, is_google;
};

struct allocator_function {
    struct slice name;
    uint64_t address, size;
    uint32_t section;
};

/* The function that symbol number `index` names; false when it names none. */
static bool function_at(const struct allocator_search *search, size_t index,
                        struct allocator_function *out)
{
    Elf64_Sym symbol;
    memcpy(&symbol, search->symbols.data + index * sizeof(symbol), sizeof(symbol));
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF ||
        symbol.st_value == 0)
        return false;
    *out = (struct allocator_function){elf_text(search->names, symbol.st_name), symbol.st_value,
                                       symbol.st_size, symbol.st_shndx};
    return out->name.size > 0;
}

static bool is_code(const struct allocator_search *search,
                    const struct allocator_function *function)
{
    struct elf_section section;
    return elf_view_section(search->view, function->section, &section) &&
           (section.header.sh_flags & SHF_EXECINSTR);
}

static size_t symbol_count(const struct allocator_search *search)
{
    size_t count = search->symbols.size / sizeof(Elf64_Sym);
    return count < SYMBOLS_MAX ? count : SYMBOLS_MAX;
}

static bool is(struct slice name, const char *text)
{
    return slice_equals(name, slice_of(text));
}

static bool ends_with(struct slice name, const char *text)
{
    size_t size = strlen(text);
    return name.size >= size && memcmp(name.data + name.size - size, text, size) == 0;
}

static void add_prefix(struct allocator_search *search, enum kind kind, struct slice text)
{
    if (text.size >= ALLOCATOR_PREFIX_MAX)
        return;
    for (size_t i = 0; i < search->prefix_count; i++) {
        if (is(text, search->prefixes[i].text))
            return;
    }
    if (search->prefix_count == ALLOCATOR_PREFIXES)
        return;
    struct allocator_prefix *prefix = &search->prefixes[search->prefix_count++];
    *prefix = (struct allocator_prefix){.kind = kind, .usable_rank = SIZE_MAX};
    memcpy(prefix->text, text.data, text.size);
}

/* A name that only this allocator has, under whatever prefix; the last `kept` characters of
 * `sign` belong to the name and not to the prefix. */
static const struct {
    const char *sign;
    size_t kept;
    enum kind kind;
} signs[] = {
    {"mallocx", 7, KIND_JEMALLOC},
    {"sdallocx", 8, KIND_JEMALLOC},
    {"mi_malloc", 6, KIND_MIMALLOC},
    {"mi_free", 4, KIND_MIMALLOC},
    {"mi_malloc_aligned", 14, KIND_MIMALLOC},
    {"mi_heap_malloc", 11, KIND_MIMALLOC},
    {"tc_malloc", 6, KIND_TCMALLOC},
    {"tc_free", 4, KIND_TCMALLOC},
};

/* "mi_free" is mimalloc's, and so is "my_mi_free"; "anemi_free" is not, and "xmallocx" is not
 * jemalloc's. */
static bool begins_a_word(struct slice name, size_t at)
{
    return at == 0 || name.data[at - 1] == '_';
}

static void look_at(struct allocator_search *search, struct slice name)
{
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
        size_t size = strlen(signs[i].sign);
        if (ends_with(name, signs[i].sign) && begins_a_word(name, name.size - size))
            add_prefix(search, signs[i].kind, (struct slice){name.data, name.size - signs[i].kept});
    }
    search->has_malloc = search->has_malloc || is(name, "malloc");
    search->has_free = search->has_free || is(name, "free");
    search->is_libc =
        search->is_libc || is(name, "gnu_get_libc_version") || is(name, "_dl_catch_exception");
    search->is_google = search->is_google || is(name, "TCMallocInternalMalloc");
}

static void find_prefixes(struct allocator_search *search, const char *wanted)
{
    struct allocator_function function;
    if (wanted)
        add_prefix(search, KIND_NAMED, slice_of(wanted));
    for (size_t i = 1; i < symbol_count(search); i++) {
        if (function_at(search, i, &function))
            look_at(search, function.name);
    }
    if (search->has_malloc && search->has_free)
        add_prefix(search, search->is_google ? KIND_TCMALLOC : KIND_PLAIN, slice_of(""));
}

/* What follows the prefix; false when the name has another one. */
static bool without_prefix(const struct allocator_prefix *prefix, struct slice name,
                           struct slice *rest)
{
    size_t size = strlen(prefix->text);
    if (name.size <= size || memcmp(name.data, prefix->text, size) != 0)
        return false;
    *rest = (struct slice){name.data + size, name.size - size};
    return true;
}

static void note_usable(struct allocator_search *search, const struct allocator_function *function)
{
    for (size_t i = 0; i < search->prefix_count; i++) {
        struct allocator_prefix *prefix = &search->prefixes[i];
        struct slice rest;
        if (!without_prefix(prefix, function->name, &rest))
            continue;
        for (size_t rank = 0; allocator_api_usable[rank] && rank < prefix->usable_rank; rank++) {
            if (is(rest, allocator_api_usable[rank])) {
                prefix->usable_rank = rank;
                prefix->usable = function->address;
            }
        }
    }
}

/* Operators belong to no prefix: NULL. */
static bool add_entry(struct allocator_family *family, const struct allocator_search *search,
                      const struct allocator_function *function, const struct inside_shape *shape,
                      const struct allocator_prefix *prefix)
{
    struct allocator_entry entry = {
        .name = function->name,
        .address = function->address,
        .size = function->size,
        .shape = *shape,
        .prefix = prefix ? (uint8_t)(prefix - search->prefixes) : ALLOCATOR_PREFIXES,
    };
    return family->entries.count == ALLOCATOR_ENTRIES_MAX || !is_code(search, function) ||
           vec_push(&family->entries, entry);
}

/* What a function of that name does, if it is the allocator's; *prefix is NULL for operators. */
static const struct inside_shape *shape_of(const struct allocator_search *search, struct slice name,
                                           const struct allocator_prefix **prefix)
{
    const struct inside_shape *shape = allocator_api_find_operator(name);
    *prefix = NULL;
    for (size_t i = 0; !shape && i < search->prefix_count; i++) {
        struct slice rest;
        *prefix = &search->prefixes[i];
        if (without_prefix(*prefix, name, &rest))
            shape = allocator_api_find(rest, (*prefix)->text[0] ? kind_apis[(*prefix)->kind]
                                                                : API_COMMON);
    }
    return shape;
}

static bool consider(struct allocator_family *family, struct allocator_search *search,
                     const struct allocator_function *function)
{
    static const char cold[] = ".cold";
    const struct allocator_prefix *prefix;
    struct slice name = function->name;
    const struct inside_shape *shape = shape_of(search, name, &prefix);
    if (shape)
        return add_entry(family, search, function, shape, prefix);
    note_usable(search, function);
    if (!ends_with(name, cold) || family->cold.count == COLD_MAX)
        return true;
    name.size -= strlen(cold);
    return !shape_of(search, name, &prefix) ||
           vec_push(&family->cold, (struct allocator_code){function->address, function->size});
}

/* A block of operator new is malloc's where both are in one file; else it may be another
 * allocator's, which must not be asked about it. */
static const struct allocator_prefix *prefix_of(const struct allocator_search *search,
                                                const struct allocator_entry *entry)
{
    if (entry->prefix < search->prefix_count)
        return &search->prefixes[entry->prefix];
    for (size_t i = 0; i < search->prefix_count; i++) {
        if (search->prefixes[i].text[0] == '\0')
            return &search->prefixes[i];
    }
    return NULL;
}

static int by_address(const void *left, const void *right)
{
    const struct allocator_entry *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return (int)a->prefix - (int)b->prefix;
}

static bool same_shape(struct inside_shape a, struct inside_shape b)
{
    return a.call == b.call && a.block == b.block && a.size == b.size && a.count == b.count;
}

/* Makes one entry of those with one address. */
static void merge(struct allocator_family *family, const struct allocator_search *search)
{
    size_t kept = 0;
    qsort(family->entries.items, family->entries.count, sizeof(family->entries.items[0]),
          by_address);
    vec_each (entry, &family->entries) {
        struct allocator_entry *last = kept ? &family->entries.items[kept - 1] : NULL;
        const struct allocator_prefix *prefix = prefix_of(search, entry);
        entry->usable = prefix ? prefix->usable : 0;
        entry->usable_rule =
            prefix && prefix->kind == KIND_JEMALLOC ? INSIDE_USABLE_JEMALLOC : INSIDE_USABLE_WORDS;
        if (!last || last->address != entry->address) {
            family->entries.items[kept++] = *entry;
            continue;
        }
        last->disputed = last->disputed || !same_shape(last->shape, entry->shape);
        last->usable = last->usable ? last->usable : entry->usable;
    }
    family->entries.count = kept;
}

/* Something that allocates and something that frees: less is no allocator. */
static bool is_whole(const struct allocator_family *family)
{
    bool allocates = false, frees = false;
    vec_each (entry, &family->entries) {
        allocates =
            allocates || (entry->prefix < ALLOCATOR_PREFIXES && entry->shape.call == INSIDE_ALLOC);
        frees = frees || (entry->prefix < ALLOCATOR_PREFIXES && entry->shape.call == INSIDE_FREE);
    }
    return allocates && frees;
}

/* How far each function is from the next symbol, for those that are shorter than a jump. */
static void measure_rooms(struct allocator_family *family, const struct allocator_search *search)
{
    struct allocator_function function;
    vec_each (entry, &family->entries)
        entry->room = entry->size;
    for (size_t i = 1; i < symbol_count(search); i++) {
        if (!function_at(search, i, &function))
            continue;
        vec_each (entry, &family->entries) {
            uint64_t gap = function.address - entry->address;
            if (function.address > entry->address &&
                (entry->room == entry->size || gap < entry->room) && gap >= entry->size)
                entry->room = gap;
        }
    }
}

static int gather(struct allocator_family *family, struct allocator_search *search)
{
    struct allocator_function function;
    for (size_t i = 1; i < symbol_count(search); i++) {
        if (function_at(search, i, &function) && !consider(family, search, &function))
            return -ENOMEM;
    }
    if (!is_whole(family))
        return 0;
    merge(family, search);
    measure_rooms(family, search);
    size_t best = ALLOCATOR_PREFIXES;
    vec_each (entry, &family->entries)
        best = entry->prefix < best ? entry->prefix : best;
    family->name = kind_names[search->prefixes[best].kind];
    memcpy(family->prefix, search->prefixes[best].text, sizeof(family->prefix));
    return 0;
}

int allocator_family_find(struct allocator_family *family, const struct elf_view *view,
                          const char *wanted)
{
    struct allocator_search search = {.view = view};
    struct elf_section table, names;

    *family = (struct allocator_family){0};
    if ((!elf_view_find_type(view, SHT_SYMTAB, &table) &&
         !elf_view_find_type(view, SHT_DYNSYM, &table)) ||
        !elf_view_section(view, table.header.sh_link, &names))
        return 0;
    search.symbols = table.bytes;
    search.names = names.bytes;
    find_prefixes(&search, wanted);
    if (search.is_libc || search.prefix_count == 0)
        return 0;
    int err = gather(family, &search);
    if (err < 0 || !family->name)
        allocator_family_free(family);
    return err;
}

void allocator_family_free(struct allocator_family *family)
{
    vec_free(&family->entries);
    vec_free(&family->cold);
    family->name = NULL;
}
