/* permission.h - why the kernel does not let us into a process, and what would help. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "base/fault.h"
#include "doctor/permissions.h"

struct permission_facts {
    pid_t pid;
    const char *command; /* to be run as root, with the number behind it */
    struct permissions ours;
    uint32_t their_user; /* the process's real user */
    uint32_t proc_owner; /* of its files in /proc: root when it protects itself */
    int yama_scope;      /* kernel.yama.ptrace_scope; -1: there is none */
    char their_name[32], our_name[32];
};

void permission_facts_read(struct permission_facts *facts, pid_t pid);

/* -EPERM, with one sentence. */
int permission_explain(const struct permission_facts *facts, struct fault *fault);
