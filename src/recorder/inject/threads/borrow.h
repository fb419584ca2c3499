/* borrow.h - finds a thread of a process that can do something for us without a deadlock, and takes
 * it over.
 *
 * If all threads were stopped and then a library was loaded, there would be a deadlock: one of the
 * threads nearly always holds the allocator's lock.  So one thread is borrowed while the others
 * run, one that is not itself inside the loader, an allocator or a signal handler.  Threads that
 * wait are looked at first; none is stopped for longer than the look takes.  A thread in
 * uninterruptible sleep may stop later: so call this in a tracing thread. */
#pragma once

#include "inject/library/module_client.h"
#include "inject/threads/borrowed_thread.h"

struct borrow_report {
    unsigned looks; /* Threads that were stopped and looked at. */
    unsigned busy, in_handler, unknown, unstoppable;
    uint64_t looked_ns, longest_ns; /* How long they were stopped: all looks, the longest. */
    char busy_where[64];            /* The object in which a thread was busy or unknown. */
};

struct borrow_wish {
    struct module_client *modules;
    const struct code_spots *spots;
    uint64_t patience_ns; /* How long to search. */
    const char *advice;   /* What to do if there is none; NULL: to try again. */
};

/* Returns 0; or, with `fault`, -EBUSY if no thread was found, -EPERM if the kernel forbids ptrace,
 * -ESRCH if the process is gone or runs another program than `modules` describe, -EPROTO if their
 * reader is broken.  Adds to the numbers in `report`. */
int borrow_thread(const struct borrow_wish *wish, struct borrowed_thread *borrowed,
                  struct borrow_report *report, struct fault *fault);
