/* executable_facts.h - what kind of program a file is, from its ELF headers. */
#pragma once

#include <stdbool.h>

struct executable_facts {
    unsigned bits;         /* 32 or 64; 0: no ELF file. */
    bool is_ours;          /* For this machine, of that width. */
    char interpreter[256]; /* The loader it asks for; empty: none, it is static (or 32-bit). */
    /* Among the libraries that it needs is the runtime of address or thread sanitizer. */
    bool needs_sanitizer;
};

/* Reads a few headers of an open file.  Missing facts are empty. */
struct executable_facts executable_facts_read(int fd);
