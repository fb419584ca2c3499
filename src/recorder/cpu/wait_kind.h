/* wait_kind.h - what a thread waits for, by the kernel function that it is in. */
#pragma once

enum wait_kind {
    WAIT_UNKNOWN,
    WAIT_LOCK,
    WAIT_DISK,
    WAIT_SLEEP,
    WAIT_NETWORK,
    WAIT_POLL, /* For one of several things. */
    WAIT_PIPE,
    WAIT_CHILD,
    WAIT_PROCESSOR, /* Could run, but other threads did. */
    WAIT_STOPPED,   /* By a signal or a debugger. */
    WAIT_KINDS
};

/* Returns "[waits: lock]"; "[waits]" for WAIT_UNKNOWN. */
const char *wait_kind_name(enum wait_kind kind);

/* Returns what a thread in this function of the kernel waits for; WAIT_UNKNOWN if the function does
 * not tell. */
enum wait_kind wait_kind_of(const char *function);
