/* session_parts.h - the inside of a session's books.  session_books.c is the centre;
 * session_buckets.c closes buckets, session_rate.c handles changes of the sampling rate,
 * session_losses.c what was not traced, session_told.c what the program itself tells,
 * session_fork.c what a forked process inherits, session_own.c our own part of its memory,
 * session_pages.c resident pages and their owners, and session_watch.c the looks of a watcher. */
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
#include "procfs/memory/pagemap.h"

struct owned_list {
    VEC(struct owned) items; /* By kind and site. */
};

/* See session_mappings.c. */
struct kept_mappings {
    struct look_mappings list;
    char *names;      /* Name of each mapping in turn, with its NUL. */
    uint64_t time_ns; /* Of the look. */
};

/* See session_pages.c. */
struct session_pages {
    struct page_look look;
    uint64_t began_ns, next_ns;
    struct owned_list last;          /* As of the last look. */
    struct owned_list touched_last;  /* As of the last look, by who touched the pages first. */
    struct found_cells news;         /* Since the last bucket, by site. */
    struct found_cells touched_news; /* Since the last bucket, by toucher. */
    uint64_t wanted_ns;     /* Since when the next look waits to begin; 0: it does not wait. */
    uint64_t cpu_ns;        /* Of all looks. */
    struct residency found; /* Found by the last look; no looks in it: already reported. */
    struct kept_mappings mappings; /* As of the last look. */
    /* Mappings of a program that already ran when its recording began. */
    VEC(struct page_span) earlier;
    bool has_failed;
};

/* See session_own.c. */
struct session_own {
    struct pagemap pages; /* If it is open. */
    bool is_asked, is_open;
};

/* The books of a process with our library in it, filled from its rings.  Part of its session. */
struct session_books {
    struct arena *arena;
    struct arena_process process; /* As it was when the session began. */
    bool is_proved; /* The kernel says that the process with this PID has the arena. */
    uint32_t process_index;
    uint64_t look_every_ns; /* How often to look at its pages; 0: only when asked. */
    const struct watcher *watcher;
    struct memory_bound *memory;
    const struct recorder_attached *attached;
    uint32_t rings;      /* Number of rings that had its events. */
    bool has_local_tids; /* The thread IDs are those of the process's own PID namespace. */
    struct heap_book *heap;
    struct map_book *maps;
    struct pool_book *pools;  /* What the program tells through memoir.h; NULL until then. */
    struct map_book *regions; /* What the program tells through memoir.h; NULL until then. */
    struct ordering *ordering;
    struct stack_import *stacks;
    uint64_t last_histograms_ns, last_peak_ns, written_peak, written_pool_peak;
    uint64_t bucket_lost;
    struct program_traits traits;
    /* Blocks of its parent: they are in the books, but were not allocated here. */
    struct totals inherited;
    bool has_inherited;
    uint64_t file_device, file_inode; /* Of the executable; 0: unknown. */
    bool is_replaced;                 /* The process was seen to be another program. */
    bool is_thinned; /* Some allocations were left out because the program must not wait. */
    struct session_counts counts;     /* If is_thinned: as of the last look. */
    uint64_t told_events, told_frees; /* Lost events that belong to gaps, whose times are known. */
    uint64_t rate, rate_ns; /* Rate at which the heap is traced; the books have it up to rate_ns. */
    uint64_t opened_monotonic_ns; /* On our own clock, whatever the stamps say. */
    uint32_t names_told;          /* Number of names of pools and regions. */
    uint64_t memory_most;         /* Most resident or swapped memory seen so far. */
    uint64_t asked_memory_ns;
    uint64_t most_table_bytes;      /* Of ours for its blocks. */
    bool is_bounded;                /* That is less than its own memory calls for. */
    bool was_bounded;               /* Blocks were refused then. */
    uint64_t inherited_table_bytes; /* Memory of ours for blocks of its parent. */
    /* There are blocks to forget, once looking at all of them is allowed again. */
    bool has_unfollowed;
    struct allowance looks_allowed;    /* In blocks. */
    struct allowance searches_allowed; /* For threads, in ns. */
    struct session_pages pages;
    struct session_own own;
    void *watch; /* What the watcher keeps of this process. */
    bool is_watched;
    uint64_t watched_ns; /* When the next look is due. */
    struct memory_status watched_memory;
};

/* Limits how many blocks the books hold, by how much memory the process has.  session_begin_limits
 * is called once the session has what it inherited, session_limit_blocks with every bucket. */
void session_begin_limits(struct session *session);
void session_limit_blocks(struct session *session, int64_t memory_bytes);
/* Writes a sentence about blocks beyond the limits into the recording. */
void session_tell_refused(struct session *session);

/* Does what session_rate has left to do: with every tick, and at the end. */
void session_tick_rate(struct session *session, uint64_t now);
void session_end_rate(struct session *session, uint64_t now);

/* Sets the totals as the program counted them, and marks numbers that are in doubt.  To be called
 * while the books are open. */
void session_settle_totals(struct session *session, const struct session_end *end);

/* Adds the live memory to `pin`, by stack.  Returns 0 or -ENOMEM. */
int session_picture(struct session *session, struct pin *pin);
/* Lets the watcher look for the last time, and ends its work.  Not `in_order`: the books are
 * closed, or the recording is not wanted. */
void session_end_watch(struct session *session, bool in_order);

/* Adds a pin to the recording and takes its cells; a pin of a peak replaces the one before.
 * Returns 0 or -ENOMEM. */
int session_add_pin(struct session *session, struct pin *pin);
/* Adds the pins of new peaks, if any.  Returns 0 or -ENOMEM. */
int session_pin_peaks(struct session *session);

/* Returns how many bytes of shared memory are in use, by the program, other processes of it, and
 * the recorder. */
int64_t session_own_bytes(const struct session *session);
/* Returns how many of the resident bytes of the process are ours. */
int64_t session_own_part(struct session *session, const struct process_memory *memory);
/* The peak of resident memory in bytes, which the process tells at its end; 0: it has not. */
int64_t session_told_peak(const struct session *session);
void session_own_fini(struct session *session);

void session_settle_thinned(struct session *session);
/* Copies how far the books may be off into the recording. */
void session_copy_doubts(struct session *session);
/* Notes that a thread allocated at `now`. */
void session_note_thread(struct session *session, uint32_t row, uint64_t now);

/* Adds what the program told since the last bucket to `bucket`.  Returns 0 or -ENOMEM. */
int session_close_told(struct session *session, struct bucket *bucket, bool histograms);
/* Sets the totals of pools and regions in the recording. */
void session_sum_told(struct session *session);
void session_told_fini(struct session *session);

/* Begins a look at the pages when one is due, and takes the results of the last one. */
void session_look_at_pages(struct session *session, uint64_t now);
/* Adds what looks found since the last bucket to `bucket`.  Returns 0 or -ENOMEM. */
int session_close_pages(struct session *session, struct bucket *bucket);
void session_pages_fini(struct session *session);
/* Keeps the mappings that a program has when its recording begins: a mapping elsewhere is newer. */
void session_note_earlier(struct session *session);

/* session_keep_mappings moves the mappings out of the result of a look; session_tell_mappings puts
 * them into the recording when that is due, or if these are the last. */
void session_keep_mappings(struct session *session, struct page_look_result *result);
void session_tell_mappings(struct session *session, bool is_last);
void session_mappings_fini(struct session *session);
