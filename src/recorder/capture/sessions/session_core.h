/* session_core.h - what every session has, from inside: session.c, session_describe.c for whom
 * it is about, session_asked.c for looks that somebody asks a recording from outside for; and
 * what these want of the books, if there are any. */
#pragma once

#include <limits.h>

#include "capture/sessions/session.h"
#include "procfs/cgroup/cgroup_memory.h"
#include "procfs/process/process_facts.h"

struct session_books; /* of session_parts.h */

/* What every recording has. */
struct session {
    uint32_t pid;        /* 0 when it is not known */
    uint32_t proved_pid; /* the same if the kernel says so, else 0: only then /proc is asked */
    struct session_options options;
    struct recording *recording;
    struct recording_writer *writer;
    struct session_books *books; /* NULL: it is looked at from outside alone */
    char path[PATH_MAX];
    char root[64];      /* prefix of the process's files */
    uint64_t begin_ns;  /* of the open bucket */
    uint64_t ticked_ns; /* end of the last one that did not end at a mark */
    uint64_t opened_ns; /* of the session, on the recorder's clock */
    uint64_t last_write_ns;
    size_t symbols_asked;
    bool write_failed;
    bool is_asked;              /* to look at the pages soon */
    bool is_renamed;            /* it has become another program */
    struct control *control;    /* NULL: there is none, or others are asked */
    struct oom_count oom_count; /* of its cgroup */
    int64_t rss_peak, rss_new;  /* the kernel's own mark (VmHWM), as last seen; 0, or risen to */
    uint64_t looked_ns; /* when what was asked for was done, and waits for names; 0: it was not */
};

/* Of every session. */

/* Says in the recording whom it is about. */
void session_describe(struct session *session);
/* Who looks at it from outside; NULL: nobody, or nobody knows its number. */
const struct cell_source *session_cells(const struct session *session);
/* Ends the open bucket at `now`.  0 or -ENOMEM. */
int session_close_bucket(struct session *session, uint64_t now, bool histograms);

/* The kernel's own mark of resident memory if it has risen since the last call, so since the
 * bucket began; else 0. */
int64_t session_new_peak(struct session *session);

/* Of a session without books. */

/* Lets others ask for a look. */
void session_listen(struct session *session);
/* Does what they asked for.  0: nothing; -EAGAIN: it is done, but for names; 1: it can be
 * written; -ENOMEM. */
int session_answer(struct session *session, uint64_t now_ns);

/* Of a session with books. */

int session_open_books(struct session *session, const struct session_rings *rings); /* or -ENOMEM */
void session_describe_books(struct session *session);
void session_begin_books(struct session *session, uint64_t begin_ns);
/* Before a bucket closes because it is time; whether its histograms are due.  And after that. */
bool session_before_bucket(struct session *session, uint64_t now_ns);
void session_after_bucket(struct session *session, uint64_t now, bool histograms);
/* What they have for a bucket that closes.  0 or -ENOMEM. */
int session_close_books(struct session *session, struct bucket *bucket,
                        const struct process_memory *memory, bool histograms);
/* The same after others have added theirs: who touched pages first.  0 or -ENOMEM. */
int session_close_touched(struct session *session, struct bucket *bucket);
/* The sums of all buckets, for the recording. */
void session_sum_books(struct session *session);
/* Before the last bucket; and after it: pictures, totals, and the books are given back.  0 or
 * -ENOMEM. */
void session_last_books(struct session *session, uint64_t now_ns);
int session_end_books(struct session *session, const struct session_end *end, int err);
uint64_t session_books_cpu_ns(const struct session *session); /* of looks, in other processes */
void session_books_destroy(struct session *session);
