/* outside_session.h - the recording of one process that is only looked at from outside, without any hook in it.
 *
 * What session.h is for traced processes.  Not thread-safe. */
#pragma once

#include <stdbool.h>

#include "base/fault.h"
#include "capture/sessions/cell_source.h"
#include "capture/pages/pss_reader.h"
#include "capture/sessions/symbol_queue.h"
#include "model/recording.h"

struct outside_session;

struct outside_options {
    const char *output; /* NULL: PROGRAM.PID.memoir ... */
    const char *folder; /* ... in this folder, with a number if there is one already */
    uint64_t max_bytes;
    const char *program;      /* that it is about to become, or NULL */
    const char *otherwise;    /* what to call it when it is gone already; NULL: nothing */
    const char *command_line; /* that it is about to have; NULL: the process's own */
    const char *source;       /* which command records */
    bool has_begun;           /* it ran before we looked */
    struct symbol_queue *symbols;
    struct pss_reader *pss; /* NULL: it is not read */
    const struct cell_source *cells;
};

/* `pid` 0: it is about several, and `program` says whom.  NULL with `fault`. */
struct outside_session *outside_session_open(uint32_t pid, const struct outside_options *options,
                                             uint64_t now_ns, struct fault *fault);

uint32_t outside_session_pid(const struct outside_session *session);
const char *outside_session_path(const struct outside_session *session);
const struct recording *outside_session_recording(const struct outside_session *session);

/* It has become another program: that is what the recording is about from now on. */
void outside_session_renamed(struct outside_session *session);

/* Closes the bucket when it is due, and writes.  A full disk is told once, in `fault`, and tried again later. */
int outside_session_tick(struct outside_session *session, uint64_t now_ns, struct fault *fault);

/* Closes the last bucket; then nothing but its end may follow. */
void outside_session_last_bucket(struct outside_session *session, uint64_t now_ns);
/* The last names, the end of the file; frees the session.  `exit_status` as waitpid gives it, -1 when nobody knows. */
int outside_session_close(struct outside_session *session, int exit_status, struct fault *fault);
