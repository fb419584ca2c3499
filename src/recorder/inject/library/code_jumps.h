/* code_jumps.h - the jumps at the beginning of functions of a running process that our library
 * there has made ready (wire/inside.h): makes them, and takes them away.
 *
 * All threads stand still meanwhile, and none of them is in the middle of the bytes that change,
 * nor will it come back to there from a signal handler.  What is there instead of the bytes that
 * were expected is left alone. */
#pragma once

#include "base/fault.h"
#include "inject/library/module_client.h"

struct code_jumps_report {
    unsigned changed;    /* functions */
    unsigned tries;      /* until all threads were outside */
    uint64_t stopped_ns; /* at most, in one piece */
};

/* 0, also when there is nothing to do; or -errno with `fault`, and nothing was changed: -EBUSY
 * when no good moment came within a second.  Uses a thread of its own. */
int code_jumps_set(struct module_client *modules, bool on, struct code_jumps_report *report,
                   struct fault *fault);

/* The same with a struct inside_jumps at this address of the process. */
struct code_jumps_table {
    pid_t pid;
    const struct remote_memory *memory;
    uint64_t address;
};
int code_jumps_set_table(const struct code_jumps_table *table, bool on,
                         struct code_jumps_report *report, struct fault *fault);
