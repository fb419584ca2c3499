/* page_watch.h - the pages of one process: books its events, looks at its resident pages, and keeps
 * the changes until a caller fetches them.
 *
 * Numbers of stacks refer to one table that all watches of a station share: the stacks of a
 * recording that is never written (page_station.h). */
#pragma once

#include "base/vec.h"
#include "kernel_events/station_stacks.h"
#include "model/recording.h"
#include "pages/cache_book.h"
#include "pages/page_book.h"
#include "pages/page_carry.h"
#include "pages/resident_look.h"
#include "wire/agent.h"

/* Counts and sums since the watch began. */
struct page_watch_sums {
    uint64_t faults;
    uint64_t stack_ends[STACK_END_KINDS]; /* Faults by how their stack walk ended. */
    uint64_t assumed;                     /* Faults whose stack was assumed, not compared. */
    uint64_t lost;                        /* Lost events. */
    uint64_t looks, look_ns, took_ns;     /* Number of looks, total time, time of the last look. */
    uint64_t looked_ns;                   /* Begin of the last look; CLOCK_MONOTONIC. */
    uint64_t bytes[LOOK_KINDS];           /* At the last look, by enum page_kind. */
    uint64_t rule_bytes[PAGE_RULES];      /* At the last look. */
    struct memory_status before, after;   /* Kernel counters before and after the last look. */
    /* Part of `bytes` that no look has found: the process ended before a look. */
    uint64_t touched;
    /* Touched pages that are not in `bytes`, because some of them were freed again. */
    uint64_t untold;
    uint64_t exit_bytes;      /* Resident bytes at exit, counted by the kernel; 0: unknown. */
    uint64_t children_missed; /* Children that ended before anything was seen of them. */
};

struct page_watch {
    uint32_t pid, known_as;   /* PID that this process sees, and PID in records. */
    uint32_t parent;          /* PID of the watched parent; 0: the parent is not watched. */
    struct station_code own;  /* `is_old`: files were mapped since the code was read. */
    uint64_t code_since_ns;   /* With perf events: when the code was last marked as old. */
    struct page_book book;    /* Pages by virtual address. */
    struct cache_book cache;  /* Page cache. */
    struct perf_faults *perf; /* Source of page faults; NULL: the agent is the source. */
    struct resident_look look;
    VEC(struct cell) news; /* Pending changes; keys: stacks of the shared table, or PAGES_... */
    uint64_t next_look_ns; /* Time of the next look; 0: as soon as possible. */
    uint64_t exit_bytes;   /* Resident bytes at exit, as told by the kernel; 0: not told. */
    struct page_watch_sums sums;
    bool has_ended, has_execed; /* `has_execed` is cleared by page_station_state. */
    bool is_ending;             /* A look found no memory, and there is no exit event yet. */
    bool is_execing;  /* There was an exec during a look: events are lost until the look ends. */
    bool is_wanted;   /* A caller fetches the changes; otherwise none are collected. */
    bool is_offered;  /* No caller has fetched or forgotten the watch yet, but one may do so. */
    bool begins_anew; /* The next look reports all pages, not only changes. */
    struct page_carry carry;
};

/* `is_whole`: the process begins now, with an exec.  Returns 0 or -errno. */
int page_watch_init(struct page_watch *watch, struct code_store *codes, uint32_t pid,
                    uint32_t known_as, bool is_whole);
/* Initialises the watch of a forked child with a copy of the parent's book.  Returns 0 or
 * -errno. */
int page_watch_init_child(struct page_watch *watch, struct code_store *codes, uint32_t pid,
                          uint32_t known_as, struct page_watch *parent);
void page_watch_fini(struct page_watch *watch);
/* Whether the process has ended before anything was seen of it. */
bool page_watch_was_missed(const struct page_watch *watch);

/* Handles a record about pages.  `stack` is the number of its stack in the shared table, or
 * PAGES_NO_STACK. */
void page_watch_record(struct page_watch *watch, const struct agent_record *record, uint32_t stack,
                       enum stack_end end);
/* Call after the exit event, when no look is in progress.  Pages that were touched since the last
 * look are reported as resident, if their sum agrees with the kernel's count of resident bytes. */
void page_watch_end(struct page_watch *watch);
/* The process became another program: reports all its pages as gone and begins anew. */
void page_watch_exec(struct page_watch *watch, struct code_store *codes);

/* Looks at all pages of the process.  Returns 0 or -errno.  If 0, the caller passes `result` to
 * page_watch_apply while no other thread uses the watch.  The caller ends `result` with
 * resident_result_fini in every case. */
int page_watch_look(struct page_watch *watch, catch_up_fn catch_up, void *context,
                    struct resident_result *result);
void page_watch_apply(struct page_watch *watch, const struct resident_result *result);
/* Adds changes of the page cache to `news`.  The page cache outlives its process, so this also
 * works after the process has ended and there is nothing to look at. */
void page_watch_add_cache(struct page_watch *watch);
