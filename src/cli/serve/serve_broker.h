/* serve_broker.h - what a confined server needs done outside of its sandbox.
 *
 * A child that was forked before does it when asked, as cli/shared/broker.h does for other
 * commands: opens what /proc shows of a process, source files that everybody may read, and ELF
 * files; starts the programs that look into processes, into histories and at the program's own
 * endpoint.  It says no to all that is not meant: see struct serve_meant.  It takes messages of
 * fixed size and reads nothing that a stranger wrote but the names of files, and ends with the
 * server. */
#pragma once

#include "serve/targets/target_options.h"

/* What the command line says is to be served. */
struct serve_meant {
    uint32_t pid; /* the only process that may be looked at; 0: see below */
    /* The files and folders that are served.  Without a PID, processes may be looked at while one
     * of these is a recording that is being written, and belongs to their user or to root. */
    char *const *files;
    int file_count;
    struct target_beside beside;
};

/* Starts the child.  0 or -errno. */
int serve_broker_begin(const struct serve_meant *meant);

/* From now on this process asks it.  After confine_enter. */
void serve_broker_use(void);
