/* launch.h - starts a program with the tracer in it, exactly as a shell would have started it. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "base/fault.h"

/* Call first of all: a program started later gets signal actions, signal mask and limits as they
 * are now; and descriptors 0 to 2, if closed, are opened for us alone. */
void launch_remember(void);
/* All that but the descriptors, in the process that becomes the program. */
void launch_restore(void);

/* The file that `name` means: as it is with a slash, else by PATH.  0, -ENOENT or -EACCES. */
int launch_find(const char *name, char *path, size_t size, struct fault *fault);

/* The words with blanks between them, as far as there is room. */
void launch_join(char *const *words, char *text, size_t size);

/* Whether the tracer can work in it.  0; or -ENOEXEC with a sentence that says why and what to do:
 * static, set-user-id, another architecture, not a program.  Scripts are judged by their
 * interpreter. */
int launch_check(const char *path, struct fault *fault);
/* Whether the loader will heed us when we start it: not if its file gives it rights that we have
 * not (capabilities).  0 or -ENOEXEC with a sentence. */
int launch_check_rights(const char *path, struct fault *fault);

/* All of these, and whether the loader takes the library's path for one name.  0 with `path`, or
 * -errno. */
int launch_prepare(const char *name, const char *library, char *path, size_t size,
                   struct fault *fault);

/* Whoever waits for the program to close its output must not wait for us: what came from outside
 * is closed, but for standard error. */
void launch_close_inherited(void);

/* What the user preloads is meant for the program and may be anything, so `memoir` keeps it out
 * of its helper: the value of LD_PRELOAD waits under this name, in its place in the environment. */
#define LAUNCH_PRELOAD "MEMOIR_PRELOAD"

struct launch {
    const char *path;
    char **arguments;
    const char *library; /* goes first in LD_PRELOAD */
    const char *arena;   /* how the tracer finds the shared memory */
    /* In the new process, before it becomes the program; may be NULL. */
    void (*before)(void *context);
    void *context;
};
/* Becomes it.  -errno of execve. */
int launch_become(const struct launch *launch);
/* Makes a process that becomes it when it is told to, and ends when we do before: `path` must
 * stay.  The process id, or -errno with `fault`. */
struct launch_held {
    pid_t pid;
    int go, report; /* our ends of two pipes; -1: it went, or there is none */
    const char *path;
};
pid_t launch_hold(const struct launch *launch, struct launch_held *held, struct fault *fault);
/* Lets it become the program.  The process id, or -errno of execve with `fault`. */
pid_t launch_go(struct launch_held *held, struct fault *fault);
/* Instead of that: it ends.  Also when it went. */
void launch_let_go(struct launch_held *held);
/* Both at once.  The process id, or -errno of fork or execve with `fault`. */
pid_t launch_start(const struct launch *launch, struct fault *fault);
