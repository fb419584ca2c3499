/* executable_facts.h - what kind of program a file is, by its ELF headers. */
#pragma once

#include <stdbool.h>

struct executable_facts {
    unsigned bits;         /* 32 or 64; 0: no ELF file */
    bool is_ours;          /* for this machine, in that width */
    char interpreter[256]; /* the loader it asks for; empty: none, it is static (or of 32 bits) */
};

/* Reads a few headers of an open file.  What is not there is empty. */
struct executable_facts executable_facts_read(int fd);
