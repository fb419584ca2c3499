/* injection.h - loads our library into a running process, and turns it on and off.
 *
 * A confined child reads the memory of that process (module_client.h).  The child lives until the
 * library is off: a child that is forked in the middle of a recording would share all memory of the
 * recorder, which then copies each page that it writes.  Nothing is written to disk and no
 * descriptor stays open in the process.  The library stays mapped, does nothing while off, and is
 * used again.  One thread of the process is borrowed for each step, while the others run.  Use from
 * one thread. */
#pragma once

#include "inject/threads/borrow.h"
#include "inject/library/code_jumps.h"
#include "inject/library/tracer_library.h"

/* What the process noticed. */
struct injection_times {
    struct borrow_report looks;
    pid_t borrowed_tid;
    uint64_t borrowed_ns; /* How long that thread worked for us. */
    unsigned borrows;
};

struct injection {
    pid_t pid;
    int pidfd;
    struct remote_memory memory;
    struct module_client modules;
    struct code_spots spots;
    const struct tracer_library *library;
    struct injection_times times;
    bool loaded; /* The library is loaded. */
};

/* Any function from here may return -ESTALE: the process now runs another program, so what is known
 * of it is invalid; close, open and try again. */

/* Finds out what is needed about the process.  `library` must outlive the injection.  Returns 0; or
 * -errno with `fault`, and then there is nothing to close. */
int injection_open(struct injection *injection, pid_t pid, const struct tracer_library *library,
                   struct fault *fault);
void injection_close(struct injection *injection);

/* Returns whether the process now runs another program than when this was opened. */
bool injection_is_stale(const struct injection *injection);

/* Loads the library, if it is not loaded, and passes the arena to it.  An allocator inside the
 * program is hooked while all its threads are stopped.  Returns 0; or -errno with `fault`, and then
 * nothing is hooked. */
int injection_attach(struct injection *injection, int arena_fd, struct fault *fault);
/* Removes the library's hooks.  Returns 0, also if there are none; or -errno with `fault`. */
int injection_detach(struct injection *injection, struct fault *fault);
