/* program_traits.h - finds out which runtimes and allocators a process has, for recording->traits.
 *
 * Reads the executable once, and the libraries of a running process each time; traits that were
 * found stay.  For a process that has ended, the executable and the modules on its stacks are
 * used. */
#pragma once

#include "model/recording.h"

struct program_traits {
    uint32_t pid;     /* As this process sees it; 0: unknown. */
    const char *root; /* Prefix of the paths of the process's files. */
    /* The recording sees every block of the allocator in the executable, if any. */
    bool allocator_is_seen;
    bool executable_read;
    uint64_t next_look_ns; /* Time of the recording. */
};

/* When out of memory, leaves out a trait. */
void program_traits_look(struct program_traits *traits, struct recording *recording);
/* Like program_traits_look, if it is due: often at first, while libraries are loaded, and seldom
 * later. */
void program_traits_look_if_due(struct program_traits *traits, struct recording *recording,
                                uint64_t now_ns);
