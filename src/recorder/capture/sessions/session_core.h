/* session_core.h - the inside of every session.  session.c is the centre; session_describe.c writes
 * which process a recording is about; session_asked.c answers requests for a look in a recording
 * from outside.  Also what these need of the books, if a session has books. */
#pragma once

#include <limits.h>

#include "capture/sessions/session.h"
#include "procfs/cgroup/cgroup_memory.h"
#include "procfs/process/process_facts.h"

struct session_books; /* In session_parts.h. */

/* What every recording has. */
struct session {
    uint32_t pid; /* 0: unknown. */
    /* Like pid if the kernel confirms it, else 0; /proc is asked only for this one. */
    uint32_t proved_pid;
    struct session_options options;
    struct recording *recording;
    struct recording_writer *writer;
    struct session_books *books; /* NULL: the process is looked at from outside only. */
    char path[PATH_MAX];
    char root[64];      /* Prefix of the paths of the process's files. */
    uint64_t begin_ns;  /* Of the open bucket. */
    uint64_t ticked_ns; /* End of the last bucket that did not end at a mark. */
    uint64_t opened_ns; /* When the session was opened, on the recorder's clock. */
    uint64_t last_write_ns;
    size_t symbols_asked;
    bool write_failed;
    bool is_asked;              /* To look at the pages soon. */
    bool is_renamed;            /* The process has executed another program. */
    struct control *control;    /* NULL: none, or another part is asked. */
    struct oom_count oom_count; /* Of the cgroup of the process. */
    /* Kernel's mark of resident memory (VmHWM) as last seen; its new value if it has risen, else
     * 0. */
    int64_t rss_peak, rss_new;
    int64_t shmem_bytes; /* RssShmem, as of the last look at that mark; -1: unknown. */
    /* When the look that was asked for was done, and waits for names; 0: none waits. */
    uint64_t looked_ns;
};

/* For every session. */

/* Writes into the recording which process it is about. */
void session_describe(struct session *session);
/* Returns the source that looks at the process from outside; NULL if there is none, or the PID is
 * unknown. */
const struct cell_source *session_cells(const struct session *session);
/* Ends the open bucket at `now`.  Returns 0 or -ENOMEM. */
int session_close_bucket(struct session *session, uint64_t now, bool histograms);

/* Returns the kernel's mark of resident memory if it has risen since the last call, so since the
 * bucket began; else 0. */
int64_t session_new_peak(struct session *session);

/* For a session without books. */

/* Lets other memoir processes ask for a look. */
void session_listen(struct session *session);
/* Does the look that was asked for.  Returns 0 if none was; -EAGAIN if the look is done but names
 * are missing; 1 if the recording can be written; or -ENOMEM. */
int session_answer(struct session *session, uint64_t now_ns);

/* For a session with books. */

/* Returns 0 or -ENOMEM. */
int session_open_books(struct session *session, const struct session_rings *rings);
void session_describe_books(struct session *session);
void session_begin_books(struct session *session, uint64_t begin_ns);
/* Returns whether the process is still the program of the books.  If not, what the kernel says of
 * it now is about another program. */
bool session_has_its_program(struct session *session);
/* session_before_bucket is called before a bucket closes because it is due, and returns whether its
 * histograms are due; session_after_bucket after the bucket is closed. */
bool session_before_bucket(struct session *session, uint64_t now_ns);
void session_after_bucket(struct session *session, uint64_t now, bool histograms);
/* Adds the numbers of the books to a bucket that closes.  Returns 0 or -ENOMEM. */
int session_close_books(struct session *session, struct bucket *bucket,
                        const struct process_memory *memory, bool histograms);
/* Adds who touched pages first, after the other sources have added their numbers.  Returns 0 or
 * -ENOMEM. */
int session_close_touched(struct session *session, struct bucket *bucket);
/* Sets the sums of all buckets in the recording. */
void session_sum_books(struct session *session);
/* session_last_books is called before the last bucket; session_end_books after it: adds pins and
 * totals, and frees the books.  Returns 0 or -ENOMEM. */
void session_last_books(struct session *session, uint64_t now_ns);
int session_end_books(struct session *session, const struct session_end *end, int err);
uint64_t session_books_cpu_ns(const struct session *session); /* Of looks in other processes. */
void session_books_destroy(struct session *session);
