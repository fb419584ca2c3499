/* trait.h - what a program is made of, as far as it decides which of its memory a recording can
 * hold: language runtimes and allocators. */
#pragma once

#include <stdbool.h>

#include "model/string_table.h"

/* Recordings store the numbers: new ones are added, none changes. */
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
    TRAIT_OWN_MALLOC = 19, /* the executable defines malloc, and it is none of those */
};
#define TRAITS_MAX 32 /* in one recording */

struct trait {
    enum trait_kind kind;
    bool in_executable; /* else in a library */
    bool is_seen;       /* each of its blocks is in the recording */
    string_id where;    /* the file */
};

/* "Go", "jemalloc"; NULL for a number that is none of ours. */
const char *trait_name(enum trait_kind kind);
/* "go", "jemalloc": for JSON. */
const char *trait_key(enum trait_kind kind);
bool trait_is_allocator(enum trait_kind kind);
