/* session.h - the recording of one process: its books, its file, its threads.
 *
 * The recorder feeds it events; it closes time buckets and writes them out.  A session lives as
 * long as its process, and opens by the first event of it, or when we are in a process that ran already.  Not thread-safe. */
#pragma once

#include "capture/rings/arena.h"
#include "capture/sessions/cell_source.h"
#include "capture/rings/ordering.h"
#include "capture/pages/pss_reader.h"
#include "capture/sessions/symbol_queue.h"
#include "capture/rings/tick_clock.h"
#include "model/recording.h"

struct session;
struct watcher;           /* of watcher.h */
struct recorder_attached; /* of recorder.h */

struct session_options {
    const char
        *output; /* of the first process; others, and all when NULL: PROGRAM.PID.memoir ... */
    const char *folder; /* ... in this folder; PROGRAM.PID-2.memoir and so on if there is one */
    int *claim;         /* to `output`, taken when the file is made; NULL, or -1 there: none */
    bool made_output;   /* nothing was there before us */
    uint64_t age_ns;    /* since it began */
    uint64_t max_bytes;
    uint64_t look_every_ns; /* at its pages; 0: only when asked */
    const char *command_line;
    struct symbol_queue *symbols;
    struct write_behind *disk;       /* who writes files; NULL: the caller waits for the disk */
    struct pss_reader *pss;          /* NULL: it is not read */
    const char *source;              /* which command records */
    const struct watcher *watcher;   /* NULL: none */
    const struct cell_source *cells; /* who looks at it from outside; NULL: nobody */
    const struct recorder_attached
        *attached; /* what is known of a program that ran already; NULL of others */
};

/* `process` is the index in the arena; its recording begins at `begin_ns`, when the process did.  NULL with `fault` filled. */
struct session *session_open(struct arena *arena, uint32_t process,
                             const struct session_options *options, uint64_t begin_ns,
                             struct fault *fault);

uint32_t session_process(const struct session *session);
uint32_t session_pid(const struct session *session);      /* 0 when the number is not known */
bool session_saw_oom_kill(const struct session *session); /* in the cgroup of the process */
const char *session_path(const struct session *session);
struct recording *session_recording(const struct session *session);

/* Time of this recording, from the recorder's. */
uint64_t session_time(const struct session *session, uint64_t now_ns);

/* Events of another ring come from now on: what threads do at the same time has an order only as fine as their stamps. */
void session_note_ring(struct session *session);
/* The row of a thread that begins to write.  Never fails: too many threads share the last row. */
uint32_t session_thread(struct session *session, uint32_t tid, uint64_t now_ns);

/* One event.  0; by how many numbers it is ahead of its turn (see ordering_book; `now` does not ask); -ENOMEM. */
int session_book(struct session *session, const struct heap_event *event, bool now);
/* Where a stack of the trie allocates: the site for blocks.  0 or -ENOMEM. */
int session_site(struct session *session, uint32_t node, uint64_t rate, uint32_t *site);
/* The allocations of a thread are samples from now on, or no longer.  Blocks that were followed one by one are lost
 * sight of when samples begin. */
void session_rate(struct session *session, uint64_t rate, uint64_t now_ns);
/* Books what the arena says is traced now, whether or not a thread has noticed; to be called whenever that changes. */
void session_note_rate(struct session *session, uint64_t now_ns);
int session_map(struct session *session, uint64_t address, uint64_t length, uint32_t node);
int session_unmap(struct session *session, uint64_t address, uint64_t length);

/* The process forks: what it had then can be asked for, for a while.  0 or -ENOMEM. */
int session_fork(struct session *session, uint32_t id, uint64_t now_ns);
/* A process that began by fork takes over, once, what its parent had when it forked; `parent` NULL: that is not known. */
bool session_waits_for_parent(const struct session *session);
uint32_t session_parent(const struct session *session); /* in the arena's list, or PROCESS_NONE */
bool session_has_forked(const struct session *parent, const struct session *session);
void session_inherit(struct session *session, const struct session *parent);

/* What the program tells through memoir.h; texts need no NUL.  An event of a pool's block returns as session_book
 * does; the others 0 or -ENOMEM. */
struct told_block {
    struct heap_event event; /* HEAP_ALLOC or HEAP_FREE; its site is found here */
    uint32_t node, fill;
};
int session_told_block(struct session *session, struct told_block *told, bool now);
int session_told_pool(struct session *session, uint32_t fill, uint32_t before, struct slice name,
                      uint64_t time_ns);
struct told_region {
    uint64_t start, length;
    uint32_t node;
    struct slice name; /* size 0: it has no name any more */
};
int session_told_region(struct session *session, const struct told_region *region);
/* An instant: what was booked so far was before it.  Too many of them are only counted. */
int session_told_mark(struct session *session, enum mark_kind kind, struct slice text,
                      uint64_t time_ns);

void session_lost(struct session *session, uint64_t events);
/* A thread recorded nothing for a while: its ring was full, and it was not to wait any longer. */
struct session_gap {
    uint64_t events; /* of them: */
    uint64_t calls, bytes, frees;
    uint64_t begin_ns, end_ns;
};
void session_gap(struct session *session, const struct session_gap *gap);
/* The allocations of a thread are samples for a while, because its ring is nearly full; blocks that were recorded one by one
 * are still followed. */
void session_thinned(struct session *session, uint64_t rate);
/* Whether its tables are too large for the cache; then what an event of `address` will touch is worth
 * bringing in beforehand. */
bool session_is_large(const struct session *session);
void session_prefetch(const struct session *session, uint64_t address);

/* Asks for the names of frames that are new, so that they are there at the next write. */
void session_ask_names(struct session *session);
/* What recording has cost so far; written with the next bucket. */
void session_set_cost(struct session *session, const struct cost *cost);

/* Has its pages looked at soon, whenever that is due otherwise. */
void session_ask_pages(struct session *session);

/* Closes the bucket when it is due and writes what is new, so often that the file is never older
 * than a second.  A full disk is told once, in `fault`, and tried again later. */
bool session_is_due(const struct session *session, uint64_t now_ns);
int session_tick(struct session *session, uint64_t now_ns, struct fault *fault);

/* The watcher's look, once a second. */
bool session_wants_look(const struct session *session, uint64_t now_ns);
void session_look(struct session *session, uint64_t now_ns);

/* What the threads counted. */
struct session_counts {
    struct totals exact;                   /* calls, bytes, frees */
    uint64_t thinned_calls, thinned_bytes; /* of them: known by samples */
};
/* Of a session that is thinned, as it goes on: its totals are these from now on. */
bool session_is_thinned(const struct session *session);
void session_count(struct session *session, const struct session_counts *counts);

/* Exact totals, read from the arena when nobody writes any more. */
struct session_end {
    uint64_t now_ns;
    int32_t exit_status;          /* as waitpid gives it; -1 unknown */
    enum recording_end end;       /* what became of it */
    const char *death;            /* how it died, NULL when it ended by itself */
    struct session_counts counts; /* all 0: nobody could count */
    struct totals pools;          /* calls, bytes */
    uint64_t lost_events;         /* also those that no GAP tells of */
    struct cost cost;
};
/* Takes no event from here on: the books are closed, and most of the memory is given back. */
int session_end(struct session *session, const struct session_end *end, struct fault *fault);
/* A sentence for the quality part of its reports. */
void session_note(struct session *session, const char *text);
/* Every block of an allocator in the executable comes to us.  To be known before the first tick. */
void session_sees_allocator(struct session *session);
/* Forgets it: the file goes too. */
void session_abandon(struct session *session);

/* Asks for the names of all frames, and waits for them or, unless `wait`, says whether they are all there.  true
 * also when names are not looked for. */
bool session_name(struct session *session, bool wait);
/* Writes the last of it and frees the session. */
int session_close(struct session *session, struct fault *fault);
