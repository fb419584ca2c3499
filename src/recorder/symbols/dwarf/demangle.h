/* demangle.h - turns a mangled name into the one that a person wrote: C++, Rust (legacy and v0,
 * without its hash), D and OCaml (without its number). */
#pragma once

/* Returns a new text, which the caller frees; NULL if `symbol` is not a mangled name, or its
 * readable form would be longer than 64 KiB (a hostile name can expand without end). */
char *demangle(const char *symbol);
