/* code_spots.h - instructions in the target's libc through which a borrowed thread calls the kernel and comes back. */
#pragma once

#include "base/fault.h"
#include "inject/library/target_modules.h"

struct code_spots {
    uint64_t call_kernel; /* syscall; ret */
    uint64_t
        put_back; /* mov $15, %rax; syscall: rt_sigreturn, which every libc has for its handlers */
};

/* 0 or -ENOENT. */
int code_spots_find(const struct target_modules *modules, struct code_spots *spots,
                    struct fault *fault);
