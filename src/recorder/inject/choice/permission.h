/* permission.h - explains why the kernel does not let us access a process, and what would help. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "base/fault.h"
#include "doctor/permissions.h"

struct permission_facts {
    pid_t pid;
    const char *command; /* To be run as root, followed by the PID. */
    struct permissions ours;
    uint32_t their_user; /* Real user ID of the process. */
    uint32_t proc_owner; /* Owner of its files in /proc: root when it protects itself. */
    int yama_scope;      /* kernel.yama.ptrace_scope; -1: there is none. */
    char their_name[32], our_name[32];
};

void permission_facts_read(struct permission_facts *facts, pid_t pid);

/* Returns -EPERM, with one sentence. */
int permission_explain(const struct permission_facts *facts, struct fault *fault);
