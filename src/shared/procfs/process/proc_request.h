/* proc_request.h - implements proc_asked.h by requests of one type, which a serving process
 * answers.
 *
 * A request consists of numbers only.  The serving process decides which processes and rows may be
 * asked for, and has nothing to parse. */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "procfs/process/proc_open.h"

enum proc_question {
    PROC_ASK_OPEN,
    PROC_ASK_LINK, /* Where the link leads. */
    PROC_ASK_ABOUT /* What stat says. */
};

struct proc_request {
    uint32_t pid, tid, file, question;
};

struct proc_reply {
    int32_t err;     /* 0 or -errno. */
    uint32_t length; /* Of `link`. */
    struct stat about;
    char link[PATH_MAX]; /* With its NUL. */
};

/* Sends a request.  Returns the descriptor for PROC_ASK_OPEN, else 0, with *reply; or -errno. */
typedef int (*proc_asker)(const struct proc_request *request, struct proc_reply *reply);

/* From now on, the functions of proc_open.h ask `asker`; NULL: no longer.  proc_mapped_system and
 * proc_stat_below then find nothing.  Only one thread at a time may use all this. */
void proc_request_by(proc_asker asker);

/* Return whether a received request, or reply, is valid. */
bool proc_request_is_valid(const struct proc_request *request);
bool proc_reply_is_valid(const struct proc_reply *reply);

/* Serves a valid request.  Returns as proc_asker does. */
int proc_request_serve(const struct proc_request *request, struct proc_reply *reply);
