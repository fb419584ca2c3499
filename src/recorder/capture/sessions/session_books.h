/* session_books.h - the books of a process with our library in it, filled from its rings: heap,
 * mappings, what the program tells.
 *
 * The books are a part of a session from when it is opened until it is ended.  These functions may
 * only be called for a session with books. */
#pragma once

#include "capture/rings/arena.h"
#include "capture/rings/ordering.h"
#include "capture/rings/tick_clock.h"
#include "capture/sessions/session.h"

struct memory_bound;      /* In memory_bound.h. */
struct watcher;           /* In watcher.h. */
struct recorder_attached; /* In recorder.h. */

struct session_rings {
    struct arena *arena;
    uint32_t process;              /* Index of the process in the arena. */
    uint32_t program_pid;          /* PID of the program, as the kernel says. */
    uint64_t look_every_ns;        /* How often to look at its pages; 0: only when asked. */
    const struct watcher *watcher; /* NULL: none. */
    struct memory_bound *memory;   /* NULL: the recorder's memory has no bound. */
    /* What is known of a program that already ran when its recording began; NULL for others. */
    const struct recorder_attached *attached;
};

uint32_t session_process(const struct session *session); /* Its index in the arena. */

/* To be called when events of another ring begin to arrive.  What threads do at the same time is
 * ordered only as finely as their stamps are. */
void session_note_ring(struct session *session);
/* Returns the row of a thread that begins to write.  Never fails: if there are too many threads,
 * they share the last row. */
uint32_t session_thread(struct session *session, uint32_t tid, uint64_t now_ns);

/* Books one event.  Returns as ordering_book does, also for `now`. */
int session_book(struct session *session, const struct heap_event *event, bool now);
/* Finds the site for blocks that a stack of the trie allocates.  Returns 0 or -ENOMEM. */
int session_site(struct session *session, uint32_t node, uint64_t rate, uint32_t *site);
/* The allocations of a thread are samples from now on; or no longer, if `rate` is 0.  When samples
 * begin, blocks that were followed one by one are forgotten. */
void session_rate(struct session *session, uint64_t rate, uint64_t now_ns);
/* Books the rate that the arena says is traced now, even if no thread has noticed it.  To be called
 * whenever the rate changes. */
void session_note_rate(struct session *session, uint64_t now_ns);
int session_map(struct session *session, uint64_t address, uint64_t length, uint32_t node);
int session_unmap(struct session *session, uint64_t address, uint64_t length);

/* The process forks: what it has now can be inherited for a while.  Returns 0 or -ENOMEM. */
int session_fork(struct session *session, uint32_t id, uint64_t now_ns);
/* A process that began by fork inherits, once, what its parent had when it forked.  `parent` NULL:
 * that is unknown. */
bool session_waits_for_parent(const struct session *session);
uint32_t session_parent(const struct session *session); /* Index in the arena, or PROCESS_NONE. */
bool session_has_forked(const struct session *parent, const struct session *session);
void session_inherit(struct session *session, const struct session *parent);

/* What the program tells through memoir.h; texts need no NUL.  session_told_block returns as
 * session_book does, the others 0 or -ENOMEM. */
struct told_block {
    struct heap_event event; /* HEAP_ALLOC or HEAP_FREE; its site is found by the callee. */
    uint32_t node, fill;
};
int session_told_block(struct session *session, struct told_block *told, bool now);
int session_told_pool(struct session *session, uint32_t fill, uint32_t before, struct slice name,
                      uint64_t time_ns);
struct told_region {
    uint64_t start, length;
    uint32_t node;
    struct slice name; /* Size 0: the region has no name any more. */
};
int session_told_region(struct session *session, const struct told_region *region);
/* An instant: all that was booked so far happened before it.  If there are too many, they are only
 * counted. */
int session_told_mark(struct session *session, enum mark_kind kind, struct slice text,
                      uint64_t time_ns);

void session_lost(struct session *session, uint64_t events);
/* A thread recorded nothing for a while: its ring was full, and it must not wait longer. */
struct session_gap {
    uint64_t events; /* Events in all; of these: */
    uint64_t calls, bytes, frees;
    uint64_t begin_ns, end_ns;
};
void session_gap(struct session *session, const struct session_gap *gap);
/* For a while, the allocations of a thread are samples, because its ring is nearly full.  Blocks
 * that were recorded one by one are still followed. */
void session_thinned(struct session *session, uint64_t rate);
/* session_is_large returns whether the tables are too large for the processor's cache; then
 * session_prefetch, called before an event of `address` is booked, saves time. */
bool session_is_large(const struct session *session);
void session_prefetch(const struct session *session, uint64_t address);

/* session_look lets the watcher look; session_wants_look returns whether a look is due, once a
 * second or because the watcher has news. */
bool session_wants_look(const struct session *session, uint64_t now_ns);
void session_look(struct session *session, uint64_t now_ns);

/* For a session that goes on and is thinned: sets its totals. */
bool session_is_thinned(const struct session *session);
/* The process was seen to have become another program. */
bool session_was_replaced(const struct session *session);
void session_count(struct session *session, const struct session_counts *counts);

/* Notes that the recording sees every block of an allocator in the executable.  To be called before
 * the first tick. */
void session_sees_allocator(struct session *session);
