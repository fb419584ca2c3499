/* page_watch.h - the pages of one process: takes what is told about it, looks at what is there, and keeps what changed
 * until somebody takes it.
 *
 * Stacks are numbers of one table that all watches share: stacks of a recording that is nobody's, see page_station.h. */
#pragma once

#include "base/vec.h"
#include "kernel_events/station_stacks.h"
#include "model/recording.h"
#include "pages/cache_book.h"
#include "pages/page_book.h"
#include "pages/page_carry.h"
#include "pages/resident_look.h"
#include "wire/agent.h"

/* What is known besides the pages themselves, since the beginning. */
struct page_watch_sums {
    uint64_t faults;
    uint64_t stack_ends[STACK_END_KINDS]; /* of faults */
    uint64_t assumed;                     /* faults: stack not compared */
    uint64_t lost;                        /* events */
    uint64_t looks, look_ns, took_ns;     /* how many, how long in all, and the last one */
    uint64_t looked_ns;                   /* when the last one began; CLOCK_MONOTONIC */
    uint64_t bytes[LOOK_KINDS];           /* at the last look, by enum page_kind */
    uint64_t rule_bytes[PAGE_RULES];
    struct memory_status before, after; /* by the kernel, around it */
    uint64_t touched;         /* bytes of `bytes` that no look has found: it ended too soon */
    uint64_t untold;          /* ... and that are not in `bytes`: some of them were given back */
    uint64_t exit_bytes;      /* resident when it ended, by the kernel's count; 0: not known */
    uint64_t children_missed; /* that ended before anything was seen of them */
};

struct page_watch {
    uint32_t pid, known_as;  /* as we and as records call it */
    uint32_t parent;         /* 0: it is nobody's child that we watch */
    struct station_code own; /* old: files were mapped since it was read */
    uint64_t code_since_ns;  /* where nobody tells of that: when it was last taken for old */
    struct page_book book;
    struct cache_book cache;
    struct perf_faults *perf; /* who tells of its faults, if not the agent */
    struct resident_look look;
    VEC(struct cell) news; /* what changed; keys are stacks of the shared table, or PAGES_... */
    uint64_t next_look_ns; /* 0: as soon as possible */
    uint64_t exit_bytes;   /* resident at its end, as the kernel told; 0: it did not */
    struct page_watch_sums sums;
    bool has_ended, has_execed; /* the latter until it is asked */
    bool is_ending;             /* a look found no memory, and nobody has told its end yet */
    bool is_execing;            /* while it was looked at: what it tells meanwhile is lost */
    bool is_wanted;             /* somebody takes the news; otherwise there are none */
    bool is_offered;            /* nobody has taken or forgotten it yet, but somebody may */
    bool begins_anew;           /* the next look tells all there is, not what changed */
    struct page_carry carry;
};

/* `is_whole`: it begins now, with an exec.  0 or -errno. */
int page_watch_init(struct page_watch *watch, struct code_store *codes, uint32_t pid,
                    uint32_t known_as, bool is_whole);
/* A forked process begins with what its parent has.  0 or -errno. */
int page_watch_init_child(struct page_watch *watch, struct code_store *codes, uint32_t pid,
                          uint32_t known_as, struct page_watch *parent);
void page_watch_fini(struct page_watch *watch);
/* Whether it is over, and nothing was seen of it. */
bool page_watch_was_missed(const struct page_watch *watch);

/* A record that is about pages; `stack` is its stack's number in the shared table, or PAGES_NO_STACK. */
void page_watch_record(struct page_watch *watch, const struct agent_record *record, uint32_t stack,
                       enum stack_end end);
/* Its end was told, and nobody looks at it: what it touched since the last look was there, as far as the kernel counted so much. */
void page_watch_end(struct page_watch *watch);
/* It is another program now. */
void page_watch_exec(struct page_watch *watch, struct code_store *codes);

/* Looks at all its pages; then, with nobody else about, takes what was found if that worked.  0 or -errno; the result is to be ended
 * in every case. */
int page_watch_look(struct page_watch *watch, catch_up_fn catch_up, void *context,
                    struct resident_result *result);
void page_watch_take(struct page_watch *watch, const struct resident_result *result);
/* What changed in the page cache, which stays when its process ends and there is nothing to look at. */
void page_watch_take_cache(struct page_watch *watch);
