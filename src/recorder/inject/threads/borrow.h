/* borrow.h - finds a thread of a process that can do something for us without a deadlock, and
 * takes it over.
 *
 * Stopping all threads and then loading a library ends in a deadlock: one of them nearly always
 * holds the allocator's lock.  So one thread is borrowed while the others run, one that is not
 * itself inside the loader, an allocator or a signal handler.  Threads that wait are looked at
 * first; none is stopped for longer than the look takes.  A thread that sleeps where nothing
 * disturbs it may stop later: call this in a tracing thread. */
#pragma once

#include "inject/library/module_client.h"
#include "inject/threads/borrowed_thread.h"

struct borrow_report {
    unsigned looks; /* threads stopped and looked at */
    unsigned busy, in_handler, unknown, unstoppable;
    uint64_t looked_ns, longest_ns; /* how long they were stopped: all looks, the longest */
    char busy_where[64];            /* the object in which one was busy or unknown */
};

struct borrow_wish {
    struct module_client *modules;
    const struct code_spots *spots;
    uint64_t patience_ns; /* how long to look */
    const char *advice;   /* what to do when there is none; NULL: to try again */
};

/* 0; or with `fault` -EBUSY when no thread was found, -EPERM when the kernel forbids ptrace,
 * -ESRCH when the process is gone, or is another program than the modules tell of, -EPROTO when
 * their reader is broken.  `report`
 * counts on from what it was. */
int borrow_thread(const struct borrow_wish *wish, struct borrowed_thread *borrowed,
                  struct borrow_report *report, struct fault *fault);
