/* program_marks.h - which language runtimes and allocators a program carries, by its sections,
 * symbols and, when it was stripped, by what it would print. */
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
    MARK_NIM_POOL = 1 << 6, /* Nim's own allocator, which -d:useMalloc leaves out */
    MARK_RUST = 1 << 7,
    MARK_JEMALLOC = 1 << 8,
    MARK_TCMALLOC = 1 << 9,
    MARK_MIMALLOC = 1 << 10,
    MARK_MALLOC = 1 << 11, /* defines malloc for everybody, of whatever kind */
};

/* Of an executable, from its file. */
uint32_t program_marks_find(const struct elf_view *view);

/* The same without what takes long in large programs: those of Go are known by their sections,
 * all others by exported symbols and, when there are not many, by the rest. */
uint32_t program_marks_find_quickly(const struct elf_view *view);

/* Of a library, from its file name alone; a path or a bare name. */
uint32_t program_marks_of_library(const char *path);
