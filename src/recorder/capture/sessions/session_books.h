/* session_books.h - the books of a process with our library in it, which are fed from its rings:
 * heap, mappings, what the program tells.
 *
 * They are a part of a session, from when that is opened until it is ended; these functions want
 * a session that has them. */
#pragma once

#include "capture/rings/arena.h"
#include "capture/rings/ordering.h"
#include "capture/rings/tick_clock.h"
#include "capture/sessions/session.h"

struct watcher;           /* of watcher.h */
struct recorder_attached; /* of recorder.h */

struct session_rings {
    struct arena *arena;
    uint32_t process;              /* its index in the arena */
    uint32_t program_pid;          /* of the program, as the kernel says */
    uint64_t look_every_ns;        /* at its pages; 0: only when asked */
    const struct watcher *watcher; /* NULL: none */
    /* what is known of a program that ran already; NULL of others */
    const struct recorder_attached *attached;
};

uint32_t session_process(const struct session *session); /* its index in the arena */

/* Events of another ring come from now on: what threads do at the same time has an order only as
 * fine as their stamps. */
void session_note_ring(struct session *session);
/* The row of a thread that begins to write.  Never fails: too many threads share the last row. */
uint32_t session_thread(struct session *session, uint32_t tid, uint64_t now_ns);

/* One event.  0; by how many numbers it is ahead of its turn (see ordering_book; `now` does not
 * ask); -ENOMEM. */
int session_book(struct session *session, const struct heap_event *event, bool now);
/* Where a stack of the trie allocates: the site for blocks.  0 or -ENOMEM. */
int session_site(struct session *session, uint32_t node, uint64_t rate, uint32_t *site);
/* The allocations of a thread are samples from now on, or no longer.  Blocks that were followed
 * one by one are lost sight of when samples begin. */
void session_rate(struct session *session, uint64_t rate, uint64_t now_ns);
/* Books what the arena says is traced now, whether or not a thread has noticed; to be called
 * whenever that changes. */
void session_note_rate(struct session *session, uint64_t now_ns);
int session_map(struct session *session, uint64_t address, uint64_t length, uint32_t node);
int session_unmap(struct session *session, uint64_t address, uint64_t length);

/* The process forks: what it had then can be asked for, for a while.  0 or -ENOMEM. */
int session_fork(struct session *session, uint32_t id, uint64_t now_ns);
/* A process that began by fork takes over, once, what its parent had when it forked; `parent`
 * NULL: that is not known. */
bool session_waits_for_parent(const struct session *session);
uint32_t session_parent(const struct session *session); /* in the arena's list, or PROCESS_NONE */
bool session_has_forked(const struct session *parent, const struct session *session);
void session_inherit(struct session *session, const struct session *parent);

/* What the program tells through memoir.h; texts need no NUL.  An event of a pool's block
 * returns as session_book does; the others 0 or -ENOMEM. */
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
/* The allocations of a thread are samples for a while, because its ring is nearly full; blocks
 * that were recorded one by one are still followed. */
void session_thinned(struct session *session, uint64_t rate);
/* Whether its tables are too large for the cache; then what an event of `address` will touch is
 * worth bringing in beforehand. */
bool session_is_large(const struct session *session);
void session_prefetch(const struct session *session, uint64_t address);

/* The watcher's look, once a second. */
bool session_wants_look(const struct session *session, uint64_t now_ns);
void session_look(struct session *session, uint64_t now_ns);

/* Of a session that is thinned, as it goes on: its totals are these from now on. */
bool session_is_thinned(const struct session *session);
void session_count(struct session *session, const struct session_counts *counts);

/* Every block of an allocator in the executable comes to us.  To be known before the first tick. */
void session_sees_allocator(struct session *session);
