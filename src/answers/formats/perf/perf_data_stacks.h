/* perf_data_stacks.h - finds the call stack of a sample: from its call chain, from the processor's
 * record of branches, or by walking the copy of its registers and stack. */
#pragma once

#include "formats/perf/perf_data_kernel.h"
#include "formats/perf/perf_data_processes.h"
#include "stacks/stack_intern.h"

struct perf_stacks {
    struct recording *recording;
    struct stack_intern *intern;
    struct perf_kernel *kernel;
    bool cannot_walk; /* recorded on a processor whose registers we do not know */
    uint64_t walked;  /* number of copies that were walked */
    /* copies that were not walked, because of cannot_walk or in a 32-bit program */
    uint64_t unwalked;
    uint64_t in_kernel, kernel_unnamed; /* numbers of samples */
    struct stack_walk walk;             /* buffer for one walk */
    uint64_t inside[STACK_FRAMES_MAX];  /* frames in the kernel, innermost first */
};

/* Finds the stack of a sample of `process`, which is from perf_processes_find.  Returns 0 or
 * -ENOMEM. */
int perf_stacks_put(struct perf_stacks *stacks, struct perf_process *process,
                    const struct perf_event_attr *attr, uint16_t misc,
                    const struct perf_sample *sample, stack_id *stack);
