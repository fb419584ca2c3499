/* priority.h - schedules the threads that read rings before the program that fills them, whatever
 * its priority: if a ring is read late, the program waits, or the recording loses events. */
#pragma once

#include <stdint.h>

/* How to schedule a thread. */
struct priority {
    int policy;    /* SCHED_OTHER or SCHED_RR. */
    int nice;      /* For SCHED_OTHER. */
    int real_time; /* For SCHED_RR. */
};

/* Returns a priority above that of the most urgent thread of the process, as far as possible; if
 * that is a real-time thread, an equal one. */
struct priority priority_above(uint32_t pid);

/* Sets the priority of the calling thread.  Without the right to that, comes as close as permitted;
 * never lowers the priority. */
void priority_apply(const struct priority *priority);
