/* cpu_process.h - a process whose time is told: its code, its name, the lane that its samples go to. */
#pragma once

#include "cpu/cpu_lane.h"
#include "cpu/time_stacks.h"

struct cpu_process {
    uint32_t pid, parent; /* 0: it is nobody's child that we know */
    uint32_t root;        /* who was added, and whose events it has: itself or a forefather */
    struct station_code own;
    struct cpu_process
        *lender; /* whose code it has: it was forked from it, and is gone; NULL: its own */
    bool has_tried_code;
    uint64_t code_since_ns;
    char name[16];
    struct cpu_lane *lane; /* its own, or that of all */
    bool owns_lane;
    bool is_wanted;      /* somebody asked for it, or may still do so */
    bool waits_for_exec; /* until then it is not itself */
    bool first_has_ended, has_ended;
    bool has_execed;       /* since that was last asked */
    bool is_own_program;   /* it has at all */
    bool is_name_due;      /* it has another name since its stacks were put on it */
    bool is_unreadable;    /* its code: not permitted */
    uint64_t cpu_began_ns; /* by the kernel's account, when it was first looked at */
    uint64_t cpu_ns;       /* since then */
};

/* NULL when out of memory.  `lane` NULL: one of its own. */
struct cpu_process *cpu_process_create(uint32_t pid, uint32_t parent, struct cpu_lane *lane);
void cpu_process_destroy(struct cpu_process *process);

/* Its code, read when first wanted, or of `parent` (may be NULL) if it is gone already.  false when there is none. */
bool cpu_process_has_code(struct cpu_process *process, struct code_store *codes,
                          struct cpu_process *parent);
/* It is another program now. */
void cpu_process_exec(struct cpu_process *process);
/* Puts its name and number below its stacks: for recordings of several.  0 or -ENOMEM. */
int cpu_process_put_name(struct cpu_process *process, struct time_stacks *stacks);

/* Looks at how much time it has used. */
void cpu_process_measure(struct cpu_process *process);
/* Finds out whether it is over, if its first thread is. */
void cpu_process_check_end(struct cpu_process *process);
