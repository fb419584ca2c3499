/* spawn_program.h - starts another program, with the standard files and signals that it needs. */
#pragma once

#include <sys/types.h>

enum spawn_how {
    SPAWN_BY_NAME = 1,        /* `program` is looked up in PATH. */
    SPAWN_OWN_GROUP = 2,      /* Ctrl-C on our terminal is not for it. */
    SPAWN_OWN_SESSION = 4,    /* Our terminal is not its terminal. */
    SPAWN_UNBLOCKED = 8,      /* No signal is blocked in it. */
    SPAWN_SIGPIPE = 16,       /* SIGPIPE ends it, also if we ignore SIGPIPE. */
    SPAWN_SIGNALS = 32,       /* Every signal has its default action. */
    SPAWN_INPUT_EMPTY = 64,   /* Its standard input is /dev/null. */
    SPAWN_CLOSES_OTHERS = 128 /* It gets no descriptor but its standard files. */
};

#define SPAWN_OURS (-1) /* In `files`: this one is ours. */

struct spawn {
    const char *program;
    char *const *words;       /* Its arguments, which begin with its name and end with NULL. */
    char *const *environment; /* NULL: ours. */
    const int *files;         /* Its three standard files; NULL: it has ours. */
    unsigned how;             /* Values of enum spawn_how. */
};

/* Starts the program.  Returns 0 with its PID in *pid, or -errno; then *pid is unchanged.  All
 * descriptors stay the caller's.  Any thread may call this. */
int spawn_program(const struct spawn *spawn, pid_t *pid);
