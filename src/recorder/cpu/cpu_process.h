/* cpu_process.h - a process whose time is recorded: its code, its name, and the lane of its
 * samples. */
#pragma once

#include "cpu/cpu_lane.h"
#include "cpu/time_stacks.h"

struct cpu_process {
    uint32_t pid, parent; /* 0: its parent is not known to us. */
    uint32_t root; /* The process that was added, and whose events it has: itself or an ancestor. */
    struct station_code own;
    /* The process whose code it has: its parent, which is gone.  NULL: its own code. */
    struct cpu_process *lender;
    /* Its code, from the mappings that were reported since its exec; NULL: none. */
    struct process_code *listed;
    bool has_tried_code;
    uint64_t code_since_ns;
    char name[16];
    struct cpu_lane *lane; /* Its own, or one for all. */
    bool owns_lane;
    bool is_wanted; /* A caller has asked for it or may still do so; for a while after its end. */
    uint64_t ended_ns;   /* When its end was noticed. */
    bool waits_for_exec; /* Until its exec, it does not count. */
    bool first_has_ended, has_ended;
    bool has_execed;       /* Since the last question. */
    bool is_own_program;   /* It has executed a program at all. */
    bool is_name_due;      /* Its name has changed since it was put below its stacks. */
    bool is_unreadable;    /* Its code may not be read. */
    uint64_t cpu_began_ns; /* By the kernel's account, when it was first looked at. */
    uint64_t cpu_ns;       /* Since then. */
    uint64_t told_cpu_ns;  /* Used by its threads that were started since then and have ended. */
    uint64_t settled_ns;   /* Part of cpu_ns that its samples stand for. */
    bool is_measured;      /* cpu_ns is that of its end, or it has not ended. */
};

/* Returns NULL when out of memory.  `lane` NULL: it gets one of its own. */
struct cpu_process *cpu_process_create(uint32_t pid, uint32_t parent, struct cpu_lane *lane);
void cpu_process_destroy(struct cpu_process *process);

/* Finds its code, which contains `address`, if that was not done yet: as the process has it; if the
 * process is gone, by the reported mappings or, before an exec, that of `parent` (may be NULL).
 * Returns false if there is none. */
bool cpu_process_find_code(struct cpu_process *process, struct code_store *codes,
                           struct cpu_process *parent, uint64_t address);
/* Notes that code was mapped.  The path must outlive the process. */
void cpu_process_map(struct cpu_process *process, struct code_store *codes,
                     const struct code_mapping *mapping);
/* Drops code that was lent by another process. */
void cpu_process_give_back(struct cpu_process *process);
/* Notes that it now runs another program. */
void cpu_process_exec(struct cpu_process *process);
/* Puts its name and PID below its stacks: for recordings of several processes.  `is_single` false:
 * it shares a frame with others of its name, because there are too many.  Returns 0 or -ENOMEM. */
int cpu_process_put_name(struct cpu_process *process, struct time_stacks *stacks, bool is_single);

/* Reads how much time it has used. */
void cpu_process_measure(struct cpu_process *process);
/* Finds out whether it has ended, if its first thread has. */
void cpu_process_check_end(struct cpu_process *process);

/* Makes the samples in its lane stand for the time that the kernel counted meanwhile.  A clock that
 * samples the thread on a processor at a tick is right only on average, and not even so if a thread
 * always runs just after the tick.  `as_it_is`: part of the time was not sampled at all, and no
 * sample shall stand for that. */
void cpu_process_settle(struct cpu_process *process, bool as_it_is);
