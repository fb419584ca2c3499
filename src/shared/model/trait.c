/* SPDX-License-Identifier: Apache-2.0 */
#include "model/trait.h"

#include <stddef.h>

static const struct {
    enum trait_kind kind;
    const char *name, *key;
} rows[] = {
    {TRAIT_GO, "Go", "go"},
    {TRAIT_JAVA, "Java", "java"},
    {TRAIT_V8, "V8", "v8"},
    {TRAIT_PYTHON, "Python", "python"},
    {TRAIT_OCAML, "OCaml", "ocaml"},
    {TRAIT_NIM, "Nim", "nim"},
    {TRAIT_RUST, "Rust", "rust"},
    {TRAIT_JEMALLOC, "jemalloc", "jemalloc"},
    {TRAIT_TCMALLOC, "tcmalloc", "tcmalloc"},
    {TRAIT_MIMALLOC, "mimalloc", "mimalloc"},
    {TRAIT_OWN_MALLOC, "a malloc of its own", "own_malloc"},
    {TRAIT_OTHER_LIBC, "a second C library", "other_libc"},
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

const char *trait_name(enum trait_kind kind)
{
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].kind == kind)
            return rows[i].name;
    return NULL;
}

const char *trait_key(enum trait_kind kind)
{
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].kind == kind)
            return rows[i].key;
    return NULL;
}

bool trait_is_allocator(enum trait_kind kind)
{
    return kind >= TRAIT_JEMALLOC && kind <= TRAIT_OWN_MALLOC;
}
