/* session.h - one recording: its file, its time buckets, the names of its frames.
 *
 * The numbers come from sources.  A process with our library in it has books, which are filled from
 * its rings (session_books.h).  A source that looks from outside (cell_source.h) is asked when a
 * bucket closes.  A recording from outside is a session without books.  Not thread-safe. */
#pragma once

#include <stdbool.h>

#include "base/fault.h"
#include "base/say.h"
#include "capture/pages/pss_reader.h"
#include "capture/sessions/cell_source.h"
#include "capture/sessions/symbol_queue.h"
#include "model/recording.h"

struct session;
struct session_rings; /* In session_books.h. */
struct write_behind;

struct session_options {
    /* Output of the first process.  Other processes, and all if NULL: PROGRAM.PID.memoir in
     * `folder`, or PROGRAM.PID-2.memoir and so on if that file exists. */
    const char *output;
    const char *folder;
    int *claim; /* A claim to `output`, taken when the file is made; NULL or -1 there: none. */
    bool made_output; /* No file was at `output` before this command. */
    uint64_t age_ns;  /* Time since the process began. */
    uint64_t max_bytes;
    say_fn say;                   /* Tells the person; NULL: nobody is told. */
    const char *command_line;     /* Of the process, now or soon; NULL: unknown. */
    struct symbol_queue *symbols; /* NULL: names are not looked up. */
    /* Writes files in another thread; NULL: the caller waits for the disk. */
    struct write_behind *disk;
    struct pss_reader *pss;          /* NULL: PSS is not read. */
    const char *source;              /* Which command records. */
    const struct cell_source *cells; /* Looks at the process from outside; NULL: none. */
    /* NULL: our library is not in the process, and the members below count: */
    const struct session_rings *rings;
    uint32_t pid;        /* 0: the session is about several processes, named by `program`. */
    const char *program; /* The program that the process is about to become; NULL: it already is. */
    const char *otherwise; /* What to call the process if it is already gone; NULL: nothing. */
    bool has_begun;        /* The process ran before the recording began. */
};

/* Opens the recording of a process that began at `begin_ns`: on the clock of the rings; without
 * rings, on the monotonic clock.  Returns NULL with `fault` filled on failure. */
struct session *session_open(const struct session_options *options, uint64_t begin_ns,
                             struct fault *fault);

uint32_t session_pid(const struct session *session); /* 0 if the PID is unknown. */
/* Returns whether the kernel says that the PID is that of this process, not only of the program. */
bool session_is_proved(const struct session *session);
bool session_saw_oom_kill(const struct session *session); /* In the cgroup of the process. */
const char *session_path(const struct session *session);
struct recording *session_recording(const struct session *session);

/* Converts a time of the recorder to a time of this recording. */
uint64_t session_time(const struct session *session, uint64_t now_ns);

/* The process has executed another program: a recording from outside is about that one from now
 * on. */
void session_renamed(struct session *session);

/* Asks for the names of new frames, so that they are there at the next write. */
void session_ask_names(struct session *session);
/* Sets what recording has cost so far; written with the next bucket. */
void session_set_cost(struct session *session, const struct cost *cost);

/* Reads the kernel's mark of peak resident memory, which is gone once the process has ended.  The
 * more often it is read, the less of the last rise is missed.  It is also read at the end of each
 * bucket. */
void session_look_at_peak(struct session *session);

/* Asks for a look at the pages soon, whenever the next one is due. */
void session_ask_pages(struct session *session);

/* Returns whether session_tick would do something: a bucket is due, or another memoir may ask for a
 * look. */
bool session_is_due(const struct session *session, uint64_t now_ns);
/* Closes the bucket when it is due and writes what is new, so often that the file is never older
 * than a second.  If a write fails, e.g. because the disk is full, it is tried again later; only
 * the first failure is returned, as -errno with `fault`.  Else returns 0. */
int session_tick(struct session *session, uint64_t now_ns, struct fault *fault);
bool session_has_failed(const struct session *session); /* The last write failed. */

/* What the threads of a process with books counted. */
struct session_counts {
    struct totals exact;                   /* Calls, bytes, frees. */
    uint64_t thinned_calls, thinned_bytes; /* Part of `exact` that is known by samples. */
};

/* How the process ended. */
struct session_end {
    uint64_t now_ns;
    int32_t exit_status;    /* As waitpid gives it; -1: unknown. */
    enum recording_end end; /* What became of the process. */
    const char *death;      /* How the process died; NULL when it ended by itself. */
    struct cost cost;
    /* For a session with books.  Read from the arena when no thread writes any more; all 0: could
     * not be counted. */
    struct session_counts counts;
    struct totals pools;  /* Calls, bytes. */
    uint64_t lost_events; /* Includes those that no GAP record counts. */
};
/* Ends the session: it takes no more data.  Closes the last bucket and frees most of the memory. */
int session_end(struct session *session, const struct session_end *end, struct fault *fault);
/* Adds a sentence for the quality part of the reports. */
void session_note(struct session *session, const char *text);
/* Forgets the session, and removes its file, or keeps it claimed for the next session of that
 * name. */
void session_abandon(struct session *session);

/* Asks for the names of all frames.  With `wait`, waits for them; else returns whether all are
 * there.  Returns true also when names are not looked up. */
bool session_name(struct session *session, bool wait);
/* Writes the last part of the recording and frees the session. */
int session_close(struct session *session, struct fault *fault);
