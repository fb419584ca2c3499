/* cpu_process.h - a process whose time is told: its code, its name, the lane that its samples go
 * to. */
#pragma once

#include "cpu/cpu_lane.h"
#include "cpu/time_stacks.h"

struct cpu_process {
    uint32_t pid, parent; /* 0: it is nobody's child that we know */
    uint32_t root;        /* who was added, and whose events it has: itself or a forefather */
    struct station_code own;
    /* whose code it has: it was forked from it, and is gone; NULL: its own */
    struct cpu_process *lender;
    /* its code by what was told of its mappings since its exec; NULL: none */
    struct process_code *listed;
    bool has_tried_code;
    uint64_t code_since_ns;
    char name[16];
    struct cpu_lane *lane; /* its own, or that of all */
    bool owns_lane;
    bool is_wanted;      /* somebody asked for it, or may still do so; for a while after its end */
    uint64_t ended_ns;   /* when that was found out */
    bool waits_for_exec; /* until then it is not itself */
    bool first_has_ended, has_ended;
    bool has_execed;       /* since that was last asked */
    bool is_own_program;   /* it has at all */
    bool is_name_due;      /* it has another name since its stacks were put on it */
    bool is_unreadable;    /* its code: not permitted */
    uint64_t cpu_began_ns; /* by the kernel's account, when it was first looked at */
    uint64_t cpu_ns;       /* since then */
    uint64_t told_cpu_ns;  /* that its threads used which have ended, and were started meanwhile */
    uint64_t settled_ns;   /* of cpu_ns: that its samples stand for */
    bool is_measured;      /* cpu_ns is of its end, or it has not ended */
};

/* NULL when out of memory.  `lane` NULL: one of its own. */
struct cpu_process *cpu_process_create(uint32_t pid, uint32_t parent, struct cpu_lane *lane);
void cpu_process_destroy(struct cpu_process *process);

/* Finds its code, of which `address` is, if that was not done yet: as the process has it; if it
 * is gone already, by what was told of it or, before an exec, that of `parent` (may be NULL).
 * false when there is none. */
bool cpu_process_find_code(struct cpu_process *process, struct code_store *codes,
                           struct cpu_process *parent, uint64_t address);
/* Code was mapped.  The path must outlive it. */
void cpu_process_map(struct cpu_process *process, struct code_store *codes,
                     const struct code_mapping *mapping);
/* It has no code any more that was lent to it. */
void cpu_process_give_back(struct cpu_process *process);
/* It is another program now. */
void cpu_process_exec(struct cpu_process *process);
/* Puts its name and number below its stacks: for recordings of several.  `is_single` false: one
 * with others of its name, for there are too many.  0 or -ENOMEM. */
int cpu_process_put_name(struct cpu_process *process, struct time_stacks *stacks, bool is_single);

/* Looks at how much time it has used. */
void cpu_process_measure(struct cpu_process *process);
/* Finds out whether it is over, if its first thread is. */
void cpu_process_check_end(struct cpu_process *process);

/* Makes the samples that it has in its lane stand for the time that the kernel counted
 * meanwhile.  A clock that ticks for whoever is on a processor just then is right on average
 * only, and not even that where somebody always runs just after it.  `as_it_is`: some of the
 * time was not sampled at all, which nobody shall stand for. */
void cpu_process_settle(struct cpu_process *process, bool as_it_is);
