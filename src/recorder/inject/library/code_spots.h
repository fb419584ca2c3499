/* code_spots.h - finds instructions in the target's libc by which a borrowed thread calls the
 * kernel and returns. */
#pragma once

#include "base/slice.h"
#include "inject/library/target_modules.h"

struct code_spots {
    uint64_t call_kernel; /* Calls the kernel, and returns. */
    uint64_t put_back;    /* Calls rt_sigreturn; every libc has this for its signal handlers. */
};

/* The bytes of these instructions (ARCHITECTURE/code_spots_bytes.c). */
extern const struct slice code_spots_call_kernel, code_spots_put_back;

/* Returns 0 or -ENOENT. */
int code_spots_find(const struct target_modules *modules, struct code_spots *spots);
