/* priority.h - lets the threads that read rings go before the program that fills them, whatever
 * priority that has: a ring that is read late costs the program waits, or the recording events. */
#pragma once

#include <stdint.h>

/* How a thread is to be scheduled. */
struct priority {
    int policy;    /* SCHED_OTHER, or SCHED_RR */
    int nice;      /* of SCHED_OTHER */
    int real_time; /* of SCHED_RR */
};

/* Above the most urgent thread of the process, as far as it goes; for real-time threads, the
 * same as theirs. */
struct priority priority_above(uint32_t pid);

/* For the calling thread.  Without the right to all of it, as much as is permitted; never less
 * than it has. */
void priority_apply(const struct priority *priority);
