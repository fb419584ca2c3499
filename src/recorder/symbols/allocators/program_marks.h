/* program_marks.h - which language runtimes and allocators a program contains, by its sections, its
 * symbols and, if it was stripped, by texts that it would print. */
#pragma once

#include <stdint.h>

#include "symbols/elf/elf_view.h"

enum program_mark {
    MARK_GO = 1 << 0,
    MARK_JAVA = 1 << 1,
    MARK_V8 = 1 << 2,
    MARK_PYTHON = 1 << 3,
    MARK_OCAML = 1 << 4,
    MARK_NIM = 1 << 5,
    MARK_NIM_POOL = 1 << 6, /* Nim's own allocator, which -d:useMalloc leaves out. */
    MARK_RUST = 1 << 7,
    MARK_JEMALLOC = 1 << 8,
    MARK_TCMALLOC = 1 << 9,
    MARK_MIMALLOC = 1 << 10,
    MARK_MALLOC = 1 << 11, /* Defines malloc for the whole process, of any kind. */
};

/* Returns the marks of an executable, from its file. */
uint32_t program_marks_find(const struct elf_view *view);

/* Like program_marks_find, without what takes long in large programs: knows Go by its sections, all
 * others by exported symbols and, if there are not many, by the rest. */
uint32_t program_marks_find_quickly(const struct elf_view *view);

/* Returns the marks of a library, from its file name alone; a path or a bare name. */
uint32_t program_marks_of_library(const char *path);
