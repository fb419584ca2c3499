/* code_jumps.h - makes, and removes, the jumps at the beginning of functions of a running process
 * that our library there has prepared (wire/inside.h).
 *
 * All threads are stopped meanwhile.  None of them is in the middle of the bytes that change, or
 * will return there from a signal handler.  If the bytes are not those that were expected, they are
 * left unchanged. */
#pragma once

#include "base/fault.h"
#include "inject/library/module_client.h"

struct code_jumps_report {
    unsigned changed;    /* Functions. */
    unsigned tries;      /* Until all threads were outside. */
    uint64_t stopped_ns; /* Longest time in one piece. */
};

/* Returns 0, also if there is nothing to do; or -errno with `fault` and nothing changed: -EBUSY if
 * there was no good moment within a second.  Uses a thread of its own. */
int code_jumps_set(struct module_client *modules, bool on, struct code_jumps_report *report,
                   struct fault *fault);

/* Like code_jumps_set, with a struct inside_jumps at this address of the process. */
struct code_jumps_table {
    pid_t pid;
    const struct remote_memory *memory;
    uint64_t address;
};
int code_jumps_set_table(const struct code_jumps_table *table, bool on,
                         struct code_jumps_report *report, struct fault *fault);
