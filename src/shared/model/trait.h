/* trait.h - the language runtimes and allocators of a program, on which it depends how much of the
 * program's memory a recording can show. */
#pragma once

#include <stdbool.h>

#include "model/string_table.h"

/* Stored in recordings by number: append only, never change a number. */
enum trait_kind {
    TRAIT_GO = 1,
    TRAIT_JAVA = 2,
    TRAIT_V8 = 3,
    TRAIT_PYTHON = 4,
    TRAIT_OCAML = 5,
    TRAIT_NIM = 6,
    TRAIT_RUST = 7,
    TRAIT_JEMALLOC = 16,
    TRAIT_TCMALLOC = 17,
    TRAIT_MIMALLOC = 18,
    TRAIT_OWN_MALLOC = 19, /* The executable defines malloc, and it is none of the above. */
    TRAIT_OTHER_LIBC = 20, /* A second one, for libraries in a namespace of their own. */
};
#define TRAITS_MAX 32 /* in one recording */

struct trait {
    enum trait_kind kind;
    bool in_executable; /* False: in a library. */
    bool is_seen;       /* The recording has each of its blocks. */
    string_id where;    /* The file. */
};

/* "Go", "jemalloc"; NULL for an unknown number. */
const char *trait_name(enum trait_kind kind);
/* "go", "jemalloc": for JSON. */
const char *trait_key(enum trait_kind kind);
bool trait_is_allocator(enum trait_kind kind);
