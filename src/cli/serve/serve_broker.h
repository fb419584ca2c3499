/* serve_broker.h - a helper process that does for a confined server what its sandbox forbids.
 *
 * The helper is a child, forked before the server enters the sandbox; cli/shared/broker.h is the
 * same for other commands.  It opens what /proc shows of a process, source files that everybody may
 * read, and ELF files.  It starts the programs that look into processes, read histories, or ask the
 * program's own endpoint.  It refuses everything that struct serve_meant does not allow.  It takes
 * messages of fixed size, reads nothing that a stranger wrote except names of files, and ends with
 * the server. */
#pragma once

#include "serve/targets/target_options.h"

/* What the command line allows the server to show. */
struct serve_meant {
    uint32_t pid; /* the only process that the server may look at; 0: see `files` */
    /* The served files and folders.  Without a PID, the server may look at a process while one of
     * these is a recording that is being written, and belongs to the user of the process or to
     * root. */
    char *const *files;
    int file_count;
    struct target_beside beside;
};

/* Forks the helper.  Returns 0 or -errno. */
int serve_broker_begin(const struct serve_meant *meant);

/* From now on this process asks the helper.  Call it after confine_enter. */
void serve_broker_use(void);
