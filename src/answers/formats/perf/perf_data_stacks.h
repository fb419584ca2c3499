/* perf_data_stacks.h - the call stack of a sample: from its call chain, from the processor's own
 * record of calls, or walked in the copy of its registers and stack. */
#pragma once

#include "formats/perf/perf_data_kernel.h"
#include "formats/perf/perf_data_processes.h"
#include "stacks/stack_intern.h"

struct perf_stacks {
    struct recording *recording;
    struct stack_intern *intern;
    struct perf_kernel *kernel;
    bool cannot_walk;  /* made on a processor whose registers we do not know */
    uint64_t walked;   /* copies */
    uint64_t unwalked; /* copies, for that reason or because the program is one of 32 bits */
    uint64_t in_kernel, kernel_unnamed; /* samples */
    struct stack_walk walk;             /* room for one */
    uint64_t inside[STACK_FRAMES_MAX];  /* the kernel, innermost first */
};

/* The stack of a sample of `process`, which perf_processes_find has given.  Returns 0 or
 * -ENOMEM. */
int perf_stacks_put(struct perf_stacks *stacks, struct perf_process *process,
                    const struct perf_event_attr *attr, uint16_t misc,
                    const struct perf_sample *sample, stack_id *stack);
