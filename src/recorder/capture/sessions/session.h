/* session.h - one recording: its file, its time buckets, the names of its frames.
 *
 * What is recorded comes from sources that are plugged in.  A process with our library in it has
 * books that are fed from its rings (session_books.h); whoever looks from outside
 * (cell_source.h) is asked when a bucket closes.  A recording from outside is a session without
 * books.  Not thread-safe. */
#pragma once

#include <stdbool.h>

#include "base/fault.h"
#include "base/say.h"
#include "capture/pages/pss_reader.h"
#include "capture/sessions/cell_source.h"
#include "capture/sessions/symbol_queue.h"
#include "model/recording.h"

struct session;
struct session_rings; /* of session_books.h */
struct write_behind;

struct session_options {
    /* of the first process; others, and all when NULL: PROGRAM.PID.memoir ... */
    const char *output;
    const char *folder; /* ... in this folder; PROGRAM.PID-2.memoir and so on if there is one */
    int *claim;         /* to `output`, taken when the file is made; NULL, or -1 there: none */
    bool made_output;   /* nothing was there before us */
    uint64_t age_ns;    /* since it began */
    uint64_t max_bytes;
    say_fn say;                        /* who tells the person; NULL: nobody does */
    const char *command_line;          /* that it has, or is about to have; NULL: nobody knows */
    struct symbol_queue *symbols;      /* NULL: names are not looked for */
    struct write_behind *disk;         /* who writes files; NULL: the caller waits for the disk */
    struct pss_reader *pss;            /* NULL: it is not read */
    const char *source;                /* which command records */
    const struct cell_source *cells;   /* who looks at it from outside; NULL: nobody */
    const struct session_rings *rings; /* NULL: there is no hook in it; then: */
    uint32_t pid;                      /* 0: it is about several, and `program` says whom */
    const char *program;               /* that it is about to become; NULL: it is it already */
    const char *otherwise;             /* what to call it when it is gone already; NULL: nothing */
    bool has_begun;                    /* it ran before we looked */
};

/* Its recording begins at `begin_ns`, when the process did: on the clock of the rings, the
 * monotonic one without.  NULL with `fault` filled. */
struct session *session_open(const struct session_options *options, uint64_t begin_ns,
                             struct fault *fault);

uint32_t session_pid(const struct session *session); /* 0 when the number is not known */
/* Whether the kernel says that it is this process, and not only the program. */
bool session_is_proved(const struct session *session);
bool session_saw_oom_kill(const struct session *session); /* in the cgroup of the process */
const char *session_path(const struct session *session);
struct recording *session_recording(const struct session *session);

/* Time of this recording, from the recorder's. */
uint64_t session_time(const struct session *session, uint64_t now_ns);

/* It has become another program: that is what a recording from outside is about from now on. */
void session_renamed(struct session *session);

/* Asks for the names of frames that are new, so that they are there at the next write. */
void session_ask_names(struct session *session);
/* What recording has cost so far; written with the next bucket. */
void session_set_cost(struct session *session, const struct cost *cost);

/* Reads the kernel's mark of its resident memory, which ends with the process: the oftener, the
 * less of the last rise is missed.  It is read at the end of each bucket anyhow. */
void session_look_at_peak(struct session *session);

/* Has its pages looked at soon, whenever that is due otherwise. */
void session_ask_pages(struct session *session);

/* Whether session_tick would do something: a bucket is due, or somebody may ask for a look. */
bool session_is_due(const struct session *session, uint64_t now_ns);
/* Closes the bucket when it is due and writes what is new, so often that the file is never older
 * than a second.  A full disk is told once, in `fault`, and tried again later. */
int session_tick(struct session *session, uint64_t now_ns, struct fault *fault);
bool session_has_failed(const struct session *session); /* the last write did */

/* What the threads of a process with books counted. */
struct session_counts {
    struct totals exact;                   /* calls, bytes, frees */
    uint64_t thinned_calls, thinned_bytes; /* of them: known by samples */
};

/* How it ended. */
struct session_end {
    uint64_t now_ns;
    int32_t exit_status;    /* as waitpid gives it; -1 unknown */
    enum recording_end end; /* what became of it */
    const char *death;      /* how it died, NULL when it ended by itself */
    struct cost cost;
    /* Of a session with books: */
    /* read from the arena when nobody writes any more; all 0: nobody could count */
    struct session_counts counts;
    struct totals pools;  /* calls, bytes */
    uint64_t lost_events; /* also those that no GAP tells of */
};
/* Takes nothing from here on: the last bucket is closed, and most of the memory is given back. */
int session_end(struct session *session, const struct session_end *end, struct fault *fault);
/* A sentence for the quality part of its reports. */
void session_note(struct session *session, const char *text);
/* Forgets it: the file goes too, or stays claimed for the next session of that name. */
void session_abandon(struct session *session);

/* Asks for the names of all frames, and waits for them or, unless `wait`, says whether they are
 * all there.  true also when names are not looked for. */
bool session_name(struct session *session, bool wait);
/* Writes the last of it and frees the session. */
int session_close(struct session *session, struct fault *fault);
