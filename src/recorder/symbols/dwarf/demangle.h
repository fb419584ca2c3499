/* demangle.h - the name a person wrote: C++, Rust (legacy and v0, without its hash), D and OCaml
 * (without its number). */
#pragma once

/* A new text the caller frees; NULL when `symbol` is not a mangled name or its readable form would
 * pass 64 KiB (a name can be made to unfold without end). */
char *demangle(const char *symbol);
