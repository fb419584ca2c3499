/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/program_marks.h"

#include <string.h>

#define SYMBOLS_MAX    ((uint64_t)16 * 1024 * 1024)
#define TEXT_BYTES_MAX ((size_t)256 * 1024 * 1024)

enum match { WHOLE, START, END };

static const struct symbol_sign {
    const char *text;
    enum match match;
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

uint32_t program_marks_find(const struct elf_view *view)
{
    struct elf_section section;
    uint32_t marks = marks_of_table(view, SHT_DYNSYM);
    if (elf_view_find_type(view, SHT_SYMTAB, &section))
        marks |= marks_of_table(view, SHT_SYMTAB);
    else
        marks |= marks_of_texts(view);
    if (elf_view_find(view, ".go.buildinfo", &section) ||
        elf_view_find(view, ".note.go.buildid", &section))
        marks |= MARK_GO;
    return marks;
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
