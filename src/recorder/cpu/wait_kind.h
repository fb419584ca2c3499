/* wait_kind.h - what a thread waits for, by where it is in the kernel. */
#pragma once

enum wait_kind {
    WAIT_UNKNOWN,
    WAIT_LOCK,
    WAIT_DISK,
    WAIT_SLEEP,
    WAIT_NETWORK,
    WAIT_POLL, /* for one of several things */
    WAIT_PIPE,
    WAIT_CHILD,
    WAIT_PROCESSOR, /* it could run: others did */
    WAIT_STOPPED,   /* by a signal or a debugger */
    WAIT_KINDS
};

/* "[waits: lock]"; "[waits]" for the first. */
const char *wait_kind_name(enum wait_kind kind);

/* What somebody waits for who is in this function of the kernel; WAIT_UNKNOWN when it does not
 * tell. */
enum wait_kind wait_kind_of(const char *function);
