/* proc_request.h - proc_asked.h by requests of one kind, for a process that only opens and looks: a
 * server.
 *
 * A request is numbers alone.  Whoever serves one says first which processes and rows may be asked
 * for, and has nothing to parse. */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "procfs/process/proc_open.h"

enum proc_question {
    PROC_ASK_OPEN,
    PROC_ASK_LINK, /* where it leads */
    PROC_ASK_ABOUT /* what stat says */
};

struct proc_request {
    uint32_t pid, tid, file, question;
};

struct proc_reply {
    int32_t err;     /* 0, or -errno */
    uint32_t length; /* of `link` */
    struct stat about;
    char link[PATH_MAX]; /* with its NUL */
};

/* Asks: the descriptor of PROC_ASK_OPEN, else 0, with *reply; or -errno. */
typedef int (*proc_asker)(const struct proc_request *request, struct proc_reply *reply);

/* From now on proc_open and what is like it ask `asker`; NULL: no more.  proc_mapped_system and
 * proc_stat_below then know nothing.  One thread at a time uses all this. */
void proc_request_by(proc_asker asker);

/* Whether one that came from elsewhere means anything; and whether a reply does. */
bool proc_request_is_valid(const struct proc_request *request);
bool proc_reply_is_valid(const struct proc_reply *reply);

/* Serves a valid one: as an asker does. */
int proc_request_serve(const struct proc_request *request, struct proc_reply *reply);
