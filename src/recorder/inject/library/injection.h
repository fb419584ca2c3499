/* injection.h - our library in a running process: in, on, off.
 *
 * What lies in the memory of that process is read by a confined child (module_client.h).  It stays
 * until the library is off: another one, made in the midst of a recording, would share all memory
 * of the recorder, which then copies each page that it writes to.
 * Nothing is written to disk and no descriptor stays open there; the library stays mapped, does
 * nothing when off, and is used again.  One thread of the process is borrowed for each step, the
 * others run.  Use from one thread. */
#pragma once

#include "inject/threads/borrow.h"
#include "inject/library/code_jumps.h"
#include "inject/library/tracer_library.h"

/* What the process noticed. */
struct injection_times {
    struct borrow_report looks;
    pid_t borrowed_tid;
    uint64_t borrowed_ns; /* how long it worked for us */
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
    bool loaded; /* the library was there, or is now */
};

/* -ESTALE from here: the process runs another program by now, so what is known of it is worth
 * nothing; close, open and try again. */

/* Gets to know the process.  `library` must live as long.  0; or -errno with `fault`, and
 * nothing to close. */
int injection_open(struct injection *injection, pid_t pid, const struct tracer_library *library,
                   struct fault *fault);
void injection_close(struct injection *injection);

/* Whether the process runs on as another program than it was when this was opened. */
bool injection_is_stale(const struct injection *injection);

/* Brings the library in, if it is not, and hands it the arena; an allocator inside the program
 * is hooked while all its threads are stopped.  0; or -errno with `fault`, and nothing is
 * hooked. */
int injection_attach(struct injection *injection, int arena_fd, struct fault *fault);
/* Takes its hooks out.  0, also when there are none; or -errno with `fault`. */
int injection_detach(struct injection *injection, struct fault *fault);
