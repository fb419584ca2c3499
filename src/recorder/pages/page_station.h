/* page_station.h - watches the pages of processes, in a thread of its own: reads the kernel's
 * events (from the agent or perf events), walks new stacks, and regularly looks at the pages.
 *
 * All functions may be called from one other thread. */
#pragma once

#include <stdbool.h>

#include "base/fault.h"
#include "model/recording.h"
#include "pages/page_watch.h"

struct page_station;
struct stack_intern;

/* Source of page faults. */
enum page_source {
    PAGE_SOURCE_ANY, /* The agent if there is one, otherwise perf events. */
    PAGE_SOURCE_AGENT,
    PAGE_SOURCE_PERF /* Perf events: need no agent, cost more, do not see the page cache. */
};

struct watched_pages {
    struct page_watch_sums sums;
    bool has_ended, has_execed; /* `has_execed`: since the last page_station_state. */
    bool agent_is_gone;         /* There is no agent now. */
    uint64_t gaps, gap_ns;      /* How often the agent was gone, and for how long in total. */
    struct agent_counters counters;
    uint64_t stacks; /* Distinct stacks, of all processes. */
};

struct page_station_options {
    const char *socket; /* Path of the agent's socket. */
    enum page_source source;
    uint32_t watch; /* enum agent_watch */
    /* Time between two looks at a process; longer if looks cost too much. */
    uint64_t look_every_ns;
};

/* Connects to the source and starts the thread.  Returns NULL with `fault` on failure. */
struct page_station *page_station_open(const struct page_station_options *options,
                                       struct fault *fault);
void page_station_close(struct page_station *station); /* NULL is allowed. */

/* Whether the source is perf events. */
bool page_station_uses_perf(const struct page_station *station);

/* Starts to watch a process.  `is_whole`: the process has no memory from before this call, except
 * what an exec will discard.  Returns 0 or -errno with `fault`. */
int page_station_watch(struct page_station *station, uint32_t pid, bool is_whole,
                       struct fault *fault);

/* Starts to watch the next process that this process forks; call before the fork.  With perf
 * events this does nothing: call page_station_watch after the fork.  Returns 0 or -errno with
 * `fault`. */
int page_station_watch_next(struct page_station *station, struct fault *fault);

/* Starts to watch every process that executes a program of this name, from its first instruction;
 * page_station_next_child returns its PID.  `is_once`: only the first such process.  `name` must
 * outlive the station.  Returns 0, -ENOTSUP without an agent, or -errno with `fault`. */
int page_station_await(struct page_station *station, const char *name, bool is_once,
                       struct fault *fault);
/* Number of such processes that ended before anything could be read from them. */
uint64_t page_station_missed(struct page_station *station);

/* Adds the changes since the last call to `bucket` as cells, with their stacks in `recording`;
 * `state` is of the same instant.  Returns 0, -ESRCH if `pid` is not watched, or -ENOMEM. */
int page_station_collect(struct page_station *station, uint32_t pid, struct recording *recording,
                         struct bucket *bucket, struct watched_pages *state);
/* Looks at the pages of `pid` now.  Waits at most 6 seconds for the look.  Returns whether the look
 * took place. */
bool page_station_look_now(struct page_station *station, uint32_t pid);
/* Calls `visit` while the watch is locked, and returns the callback's return value.  `is_still`:
 * the book must not change either, so the function returns -EAGAIN during a look.  Returns -ESRCH
 * if `pid` is not watched.  The callback must be quick and must not call the station. */
typedef int (*page_visit_fn)(void *context, struct page_watch *watch,
                             const struct recording *stacks);
int page_station_visit(struct page_station *station, uint32_t pid, bool is_still,
                       page_visit_fn visit, void *context);
/* The caller of page_station_collect is gone: drops pending changes and collects no more.  A later
 * page_station_collect starts again with all pages. */
void page_station_forget(struct page_station *station, uint32_t pid);

/* Returns the PID of a watched process that nobody was told about yet: a child of a watched
 * process, or a process of page_station_await; 0: none.  A child that ended before anything was
 * seen of it is not returned, only counted with its parent. */
uint32_t page_station_next_child(struct page_station *station);
/* Nobody will call page_station_next_child: forgets the children that were not returned yet.
 * Callers that want a child know its PID. */
void page_station_leave_children(struct page_station *station);

/* Fills `state`; returns false if `pid` is not watched. */
bool page_station_state(struct page_station *station, uint32_t pid, struct watched_pages *state);
