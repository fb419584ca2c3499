/* session_parts.h - the books of a session, from inside: session_books.c, session_buckets.c for
 * what is kept of a stretch of time, session_rate.c for how much is traced, session_losses.c for
 * what was not, session_told.c for what the program itself tells, session_fork.c for what it has
 * from its parent, session_pages.c for who has its resident pages, and session_watch.c for a
 * watcher's looks. */
#pragma once

#include "base/allowance.h"
#include "capture/books/map_book.h"
#include "capture/pages/page_look.h"
#include "capture/books/pool_book.h"
#include "capture/programs/program_traits.h"
#include "capture/sessions/session_books.h"
#include "capture/sessions/session_core.h"
#include "capture/books/stack_import.h"
#include "capture/outside/watcher.h"
#include "procfs/cgroup/cgroup_memory.h"

struct owned_list {
    VEC(struct owned) items; /* by kind and site */
};

/* See session_mappings.c. */
struct kept_mappings {
    struct look_mappings list;
    char *names;      /* of each in turn, with its NUL */
    uint64_t time_ns; /* of the look */
};

/* See session_pages.c. */
struct session_pages {
    struct page_look look;
    uint64_t began_ns, next_ns;
    struct owned_list last;          /* as of the last look */
    struct owned_list touched_last;  /* likewise, by who touched it first */
    struct found_cells news;         /* since the last bucket, by site */
    struct found_cells touched_news; /* by toucher */
    uint64_t wanted_ns;              /* since when the next look waits to begin; 0: it does not */
    uint64_t cpu_ns;                 /* of all looks */
    struct residency found;          /* by the last look, until it is told; no looks: it has been */
    struct kept_mappings mappings;   /* as of the last look */
    VEC(struct page_span) earlier;   /* of a program that ran already: what was mapped then */
    bool has_failed;
};

/* What the rings of a process say: a part of those sessions whose process has our library in it. */
struct session_books {
    struct arena *arena;
    struct arena_process process; /* as it was when the session began */
    bool is_proved;               /* the kernel says that its pid is one that has the arena */
    uint32_t process_index;
    uint64_t look_every_ns; /* at its pages; 0: only when asked */
    const struct watcher *watcher;
    const struct recorder_attached *attached;
    uint32_t rings;      /* that events of it came in */
    bool has_local_tids; /* its threads' numbers are those of its own pid namespace */
    struct heap_book *heap;
    struct map_book *maps;
    struct pool_book *pools;  /* what the program tells through memoir.h: NULL until it does */
    struct map_book *regions; /* likewise */
    struct ordering *ordering;
    struct stack_import *stacks;
    uint64_t last_histograms_ns, last_peak_ns, written_peak, written_pool_peak;
    uint64_t bucket_lost;
    struct program_traits traits;
    /* of its parent's blocks: they are in the books, but were not allocated here */
    struct totals inherited;
    bool has_inherited;
    bool is_thinned; /* some allocations were left out because the program was not to wait */
    struct session_counts counts;     /* then: as of the last look */
    uint64_t told_events, told_frees; /* of the lost ones: those of gaps, whose times are known */
    uint64_t rate, rate_ns; /* what the heap is traced at, and until when that is in the books */
    uint64_t opened_monotonic_ns; /* by our own clock, whatever stamps say */
    uint32_t names_told;          /* of pools and regions */
    uint64_t memory_most;         /* resident or swapped, seen so far */
    uint64_t asked_memory_ns;
    uint64_t inherited_table_bytes; /* of our memory, for blocks of its parent */
    bool has_unfollowed; /* blocks to forget, as soon as looking at all of them is allowed again */
    struct allowance looks_allowed;    /* in blocks */
    struct allowance searches_allowed; /* for threads, in ns */
    struct session_pages pages;
    void *watch; /* the watcher's, of this process */
    bool is_watched;
    uint64_t watched_ns; /* when the next look is due */
    struct memory_status watched_memory;
};

/* From when the session has what it inherited; then with every bucket, by how much memory the
 * process has. */
void session_begin_limits(struct session *session);
void session_limit_blocks(struct session *session, int64_t memory_bytes);
/* A sentence about blocks beyond. */
void session_tell_refused(struct session *session);

/* With every tick, and at the end: what session_rate has left to do. */
void session_tick_rate(struct session *session, uint64_t now);
void session_end_rate(struct session *session, uint64_t now);

/* Totals as the program counted them itself, and which numbers are in doubt; while the books are
 * open. */
void session_settle_totals(struct session *session, const struct session_end *end);

/* Adds what is live now to `pin`, by stack.  0 or -ENOMEM. */
int session_picture(struct session *session, struct pin *pin);
/* The watcher's last look, and its leave.  Not `in_order`: the books are closed, or nobody wants
 * to know. */
void session_end_watch(struct session *session, bool in_order);

/* Keeps a picture, whose cells it takes; a peak takes the place of the one before.  0 or
 * -ENOMEM. */
int session_add_pin(struct session *session, struct pin *pin);
/* The pictures of the peaks, if there were new ones.  0 or -ENOMEM. */
int session_pin_peaks(struct session *session);

/* The shared memory that is in use; the program has touched nearly all of it. */
int64_t session_own_bytes(const struct session *session);

void session_settle_thinned(struct session *session);
/* How far the books may be off, into the recording. */
void session_copy_doubts(struct session *session);
/* A thread is seen again whenever it allocates. */
void session_note_thread(struct session *session, uint32_t row, uint64_t now);

/* What was told since the last bucket, as further cells of `bucket`.  0 or -ENOMEM. */
int session_close_told(struct session *session, struct bucket *bucket, bool histograms);
/* Totals of pools and regions into the recording. */
void session_sum_told(struct session *session);
void session_told_fini(struct session *session);

/* Begins a look at the pages when one is due, and takes what the last one found. */
void session_look_at_pages(struct session *session, uint64_t now);
/* What looks found since the last bucket, as further cells of `bucket`.  0 or -ENOMEM. */
int session_close_pages(struct session *session, struct bucket *bucket);
void session_pages_fini(struct session *session);
/* Keeps what a program that ran already has mapped now: what comes elsewhere is not from before. */
void session_note_earlier(struct session *session);

/* Takes the mappings out of what a look found; puts them into the recording when that is due, or
 * these are the last. */
void session_keep_mappings(struct session *session, struct page_look_result *result);
void session_tell_mappings(struct session *session, bool is_last);
void session_mappings_fini(struct session *session);
