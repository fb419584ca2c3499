/* program_traits.h - finds out which runtimes and allocators a process has, for recording->traits.
 *
 * The executable is read once, the libraries of a running process each time; what was found
 * stays.  A process that is gone is known by its executable and by the modules on its stacks. */
#pragma once

#include "model/recording.h"

struct program_traits {
    uint32_t pid;           /* as it is here; 0 unknown */
    const char *root;       /* prefix of the process's files */
    bool allocator_is_seen; /* the one in the executable, if there is one */
    bool executable_read;
    uint64_t next_look_ns; /* in the time of the recording */
};

/* Out of memory, a trait is left out. */
void program_traits_look(struct program_traits *traits, struct recording *recording);
/* The same, when it is time: often at first, when libraries are loaded, and seldom later. */
void program_traits_look_if_due(struct program_traits *traits, struct recording *recording,
                                uint64_t now_ns);
