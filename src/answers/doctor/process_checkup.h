/* process_checkup.h - what the facts about one process mean for attaching to the process. */
#pragma once

#include "doctor/checkup.h"
#include "doctor/pages_checkup.h"

struct process_examined {
    uint32_t pid;
    char name[64];
    char path[256]; /* of its program; empty if we may not see it */
    uint32_t user, our_user;
    char state;      /* as in /proc/PID/status */
    uint32_t tracer; /* 0: none */
    unsigned bits;   /* 0 unknown */
    bool is_static;
    char loader[128], libc[32];
    char runtimes[200]; /* "Python; jemalloc in the executable"; empty: none is known */
    unsigned seccomp;
    bool knows_namespaces;                      /* whether we may see its namespaces */
    bool other_mounts, other_pids, other_users; /* namespaces other than ours: a container */
    uint32_t inner_pid;                         /* PID in its own namespace */
    char recording[200]; /* recording that is being made of the process, or empty */
    char obstacle[512];  /* why attaching is not possible, or empty */
    struct pages_facts pages;
};

/* Appends whether attach and pages work, then group process. */
void process_checkup_judge(struct checkup *checkup, const struct process_examined *process);
