/* code_spots.h - instructions in the target's libc through which a borrowed thread calls the
 * kernel and comes back. */
#pragma once

#include "base/slice.h"
#include "inject/library/target_modules.h"

struct code_spots {
    uint64_t call_kernel; /* calls the kernel, and returns */
    uint64_t put_back;    /* calls rt_sigreturn, which every libc has for its handlers */
};

/* What they look like (ARCHITECTURE/code_spots_bytes.c). */
extern const struct slice code_spots_call_kernel, code_spots_put_back;

/* 0 or -ENOENT. */
int code_spots_find(const struct target_modules *modules, struct code_spots *spots);
