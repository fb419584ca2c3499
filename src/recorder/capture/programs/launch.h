/* launch.h - starts a program with the tracer in it, exactly as a shell would have started it. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "base/fault.h"

/* To be called first in the process: programs that are started later get the signal actions, signal
 * mask and limits of now.  Opens those of descriptors 0 to 2 that are closed, for us only. */
void launch_remember(void);
/* Restores these, except the descriptors, in the process that becomes the program. */
void launch_restore(void);

/* Finds the file that `name` means: with a slash, the name itself; else by PATH.  Returns 0,
 * -ENOENT or -EACCES. */
int launch_find(const char *name, char *path, size_t size, struct fault *fault);

/* Joins the words with blanks between them, as far as there is room. */
void launch_join(char *const *words, char *text, size_t size);

/* Checks whether the tracer can work in the program.  Returns 0; or -ENOEXEC with a sentence that
 * says why not and what to do: static, set-user-id, another architecture, not a program.  Of a
 * script, the interpreter is checked. */
int launch_check(const char *path, struct fault *fault);
/* Checks whether the loader will load our library when we start the program: it does not if the
 * file gives rights that we do not have (capabilities).  Returns 0, or -ENOEXEC with a sentence. */
int launch_check_rights(const char *path, struct fault *fault);

/* Does all of these, and checks whether the loader takes the library's path for one name.  Returns
 * 0 with `path`, or -errno. */
int launch_prepare(const char *name, const char *library, char *path, size_t size,
                   struct fault *fault);

/* Closes all descriptors that this process inherited, except standard error: a process that waits
 * until the program closes its output must not have to wait for us. */
void launch_close_inherited(void);

/* What the user preloads is meant for the program and may be anything, so `memoir` does not load it
 * into its helper: meanwhile the value of LD_PRELOAD is kept under this name, in its place in the
 * environment. */
#define LAUNCH_PRELOAD "MEMOIR_PRELOAD"

struct launch {
    const char *path;
    char **arguments;
    const char *library; /* First in LD_PRELOAD. */
    const char *arena;   /* Tells the tracer where the shared memory is. */
    /* Called in the new process before it executes the program; may be NULL. */
    void (*before)(void *context);
    void *context;
};
/* Executes the program in this process.  Returns only on failure, with -errno of execve. */
int launch_become(const struct launch *launch);
/* Makes a process that executes the program when told to, and ends if we end before.  `path` must
 * stay valid.  Returns the PID, or -errno with `fault`. */
struct launch_held {
    pid_t pid;
    int go, report; /* Our ends of two pipes; -1: it was let go, or there is none. */
    const char *path;
};
pid_t launch_hold(const struct launch *launch, struct launch_held *held, struct fault *fault);
/* Lets the process execute the program.  Returns the PID, or -errno of execve with `fault`. */
pid_t launch_go(struct launch_held *held, struct fault *fault);
/* Ends the process if launch_go was not called.  May also be called after launch_go. */
void launch_let_go(struct launch_held *held);
/* Does launch_hold and launch_go.  Returns the PID, or -errno of fork or execve with `fault`. */
pid_t launch_start(const struct launch *launch, struct fault *fault);
