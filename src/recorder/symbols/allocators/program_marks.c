/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/allocators/program_marks.h"

#include <string.h>

#define SYMBOLS_MAX        ((uint64_t)16 * 1024 * 1024)
#define TEXT_BYTES_MAX     ((size_t)256 * 1024 * 1024)
#define QUICK_SYMBOL_BYTES ((size_t)4 * 1024 * 1024)
#define QUICK_TEXT_BYTES   ((size_t)4 * 1024 * 1024)

enum program_match { WHOLE, START, END };

static const struct symbol_sign {
    const char *text;
    enum program_match match;
    uint32_t marks;
} symbol_signs[] = {
    {"JNI_CreateJavaVM", WHOLE, MARK_JAVA},
    {"node_module_register", WHOLE, MARK_V8},
    {"_ZN2v87Isolate", START, MARK_V8},
    {"Py_BytesMain", WHOLE, MARK_PYTHON},
    {"Py_Main", WHOLE, MARK_PYTHON},
    {"caml_startup", START, MARK_OCAML},
    {"NimMain", WHOLE, MARK_NIM},
    {"rawAlloc_", START, MARK_NIM_POOL},
    {"rust_eh_personality", WHOLE, MARK_RUST},
    {"mallctl", END, MARK_JEMALLOC}, /* mallctl, je_mallctl, _rjem_mallctl, ... */
    {"tc_malloc", WHOLE, MARK_TCMALLOC},
    {"TCMallocInternalMalloc", WHOLE, MARK_TCMALLOC},
    {"mi_malloc", WHOLE, MARK_MIMALLOC},
};

/* Texts of allocators' own messages: what strip leaves. */
static const struct {
    const char *text;
    uint32_t marks;
} text_signs[] = {
    {"<jemalloc>: ", MARK_JEMALLOC},
    {"tcmalloc: large alloc", MARK_TCMALLOC},
    {"mimalloc: ", MARK_MIMALLOC},
};

static const struct {
    const char *start; /* of the file name */
    uint32_t marks;
} library_signs[] = {
    {"libjvm.so", MARK_JAVA},
    {"libnode.so", MARK_V8},
    {"libv8.so", MARK_V8},
    {"libpython3", MARK_PYTHON},
    {"libasmrun", MARK_OCAML},
    {"libcamlrun", MARK_OCAML},
    {"libjemalloc.so", MARK_JEMALLOC},
    {"libtcmalloc", MARK_TCMALLOC},
    {"libmimalloc", MARK_MIMALLOC},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool has_sign(struct slice name, const struct symbol_sign *sign)
{
    struct slice text = slice_of(sign->text);
    if (name.size < text.size || (sign->match == WHOLE && name.size != text.size))
        return false;
    const char *at = sign->match == END ? name.data + name.size - text.size : name.data;
    return memcmp(at, text.data, text.size) == 0;
}

static uint32_t marks_of_symbol(const Elf64_Sym *symbol, struct slice name)
{
    uint32_t marks = 0;
    unsigned type = ELF64_ST_TYPE(symbol->st_info);
    if (symbol->st_shndx == SHN_UNDEF || (type != STT_FUNC && type != STT_GNU_IFUNC))
        return 0;
    for (size_t i = 0; i < COUNT(symbol_signs); i++)
        if (has_sign(name, &symbol_signs[i]))
            marks |= symbol_signs[i].marks;
    if (ELF64_ST_BIND(symbol->st_info) != STB_LOCAL && slice_equals(name, slice_of("malloc")))
        marks |= MARK_MALLOC;
    return marks;
}

static uint32_t marks_of_table(const struct elf_view *view, uint32_t type)
{
    struct elf_section table, names;
    uint32_t marks = 0;
    if (!elf_view_find_type(view, type, &table) ||
        !elf_view_section(view, table.header.sh_link, &names))
        return 0;
    uint64_t count = table.bytes.size / sizeof(Elf64_Sym);
    for (uint64_t i = 0; i < count && i < SYMBOLS_MAX; i++) {
        Elf64_Sym symbol;
        memcpy(&symbol, table.bytes.data + i * sizeof(symbol), sizeof(symbol));
        marks |= marks_of_symbol(&symbol, elf_text(names.bytes, symbol.st_name));
    }
    return marks;
}

static uint32_t marks_of_texts(const struct elf_view *view)
{
    struct elf_section constants;
    uint32_t marks = 0;
    if (!elf_view_find(view, ".rodata", &constants) || constants.bytes.size > TEXT_BYTES_MAX)
        return 0;
    for (size_t i = 0; i < COUNT(text_signs); i++)
        if (memmem(constants.bytes.data, constants.bytes.size, text_signs[i].text,
                   strlen(text_signs[i].text)))
            marks |= text_signs[i].marks;
    return marks;
}

static bool is_go(const struct elf_view *view)
{
    struct elf_section section;
    return elf_view_find(view, ".go.buildinfo", &section) ||
           elf_view_find(view, ".note.go.buildid", &section) ||
           elf_view_find(view, ".gopclntab", &section); /* all that some builds leave */
}

uint32_t program_marks_find(const struct elf_view *view)
{
    struct elf_section section;
    uint32_t marks = marks_of_table(view, SHT_DYNSYM);
    if (elf_view_find_type(view, SHT_SYMTAB, &section))
        marks |= marks_of_table(view, SHT_SYMTAB);
    else
        marks |= marks_of_texts(view);
    return is_go(view) ? marks | MARK_GO : marks;
}

/* ---- the same by asking for names, as the loader does ---- */

static uint32_t gnu_hash(const char *name)
{
    uint32_t hash = 5381;
    for (; *name; name++)
        hash = hash * 33 + (unsigned char)*name;
    return hash;
}

struct exports {
    struct slice hashes, symbols, names;
    uint32_t buckets, first, bloom_words;
};

static bool u32_at(struct slice bytes, uint64_t offset, uint32_t *value)
{
    struct slice const part = slice_part(bytes, offset, sizeof(*value));
    if (part.size)
        memcpy(value, part.data, sizeof(*value));
    return part.size > 0;
}

static bool find_exports(struct exports *exports, const struct elf_view *view)
{
    struct elf_section hashes, symbols, names;
    if (!elf_view_find_type(view, SHT_GNU_HASH, &hashes) ||
        !elf_view_section(view, hashes.header.sh_link, &symbols) ||
        !elf_view_section(view, symbols.header.sh_link, &names))
        return false;
    *exports =
        (struct exports){.hashes = hashes.bytes, .symbols = symbols.bytes, .names = names.bytes};
    return u32_at(exports->hashes, 0, &exports->buckets) &&
           u32_at(exports->hashes, 4, &exports->first) &&
           u32_at(exports->hashes, 8, &exports->bloom_words) && exports->buckets > 0;
}

/* .gnu.hash:  0 buckets   4 first symbol   8 words of bloom   12 shift   16 bloom, buckets,
 *                         hashes (bit 0: last of its bucket) */
static bool exports_have(const struct exports *exports, const char *name)
{
    uint32_t const wanted = gnu_hash(name);
    uint64_t const buckets_at = 16 + 8 * (uint64_t)exports->bloom_words;
    uint64_t const hashes_at = buckets_at + 4 * (uint64_t)exports->buckets;
    uint32_t number, hash = 0;
    if (!u32_at(exports->hashes, buckets_at + 4 * (uint64_t)(wanted % exports->buckets), &number) ||
        number < exports->first)
        return false;
    for (; !(hash & 1) &&
           u32_at(exports->hashes, hashes_at + 4 * (uint64_t)(number - exports->first), &hash);
         number++) {
        struct slice const bytes =
            slice_part(exports->symbols, (uint64_t)number * sizeof(Elf64_Sym), sizeof(Elf64_Sym));
        Elf64_Sym symbol;
        if ((hash | 1) != (wanted | 1) || bytes.size == 0)
            continue;
        memcpy(&symbol, bytes.data, sizeof(symbol));
        if (slice_equals(elf_text(exports->names, symbol.st_name), slice_of(name)))
            return true;
    }
    return false;
}

static uint32_t marks_of_exports(const struct elf_view *view)
{
    static const struct {
        const char *name;
        uint32_t marks;
    } more[] = {
        {"je_mallctl", MARK_JEMALLOC}, {"_rjem_mallctl", MARK_JEMALLOC}, {"malloc", MARK_MALLOC}};
    struct exports exports;
    uint32_t marks = 0;
    if (!find_exports(&exports, view))
        return 0;
    for (size_t i = 0; i < COUNT(symbol_signs); i++)
        if (symbol_signs[i].match != START && exports_have(&exports, symbol_signs[i].text))
            marks |= symbol_signs[i].marks;
    for (size_t i = 0; i < COUNT(more); i++)
        if (exports_have(&exports, more[i].name))
            marks |= more[i].marks;
    return marks;
}

uint32_t program_marks_find_quickly(const struct elf_view *view)
{
    struct elf_section section;
    if (is_go(view))
        return MARK_GO;
    uint32_t const marks = marks_of_exports(view);
    if (marks & ~(uint32_t)MARK_MALLOC)
        return marks;
    if (elf_view_find_type(view, SHT_SYMTAB, &section))
        return section.bytes.size <= QUICK_SYMBOL_BYTES ? marks | marks_of_table(view, SHT_SYMTAB)
                                                        : marks;
    bool const few_texts =
        elf_view_find(view, ".rodata", &section) && section.bytes.size <= QUICK_TEXT_BYTES;
    return few_texts ? marks | marks_of_texts(view) : marks;
}

uint32_t program_marks_of_library(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < COUNT(library_signs); i++)
        if (strncmp(name, library_signs[i].start, strlen(library_signs[i].start)) == 0)
            return library_signs[i].marks;
    return 0;
}
