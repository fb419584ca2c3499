/* page_station.h - watches the pages of processes, in a thread of its own: reads what the kernel tells through the agent,
 * walks new stacks, looks at the pages now and then.
 *
 * All functions may be called from one other thread. */
#pragma once

#include <stdbool.h>

#include "base/fault.h"
#include "model/recording.h"
#include "pages/page_watch.h"

struct page_station;
struct stack_intern;

/* Who tells of page faults. */
enum page_source {
    PAGE_SOURCE_ANY, /* the agent if there is one */
    PAGE_SOURCE_AGENT,
    PAGE_SOURCE_PERF /* perf events: needs nobody, costs more, sees no page cache */
};

struct watched_pages {
    struct page_watch_sums sums;
    bool has_ended, has_execed; /* the latter since it was last asked */
    bool agent_is_gone;         /* now */
    uint64_t gaps, gap_ns;      /* times without the agent */
    struct agent_counters counters;
    uint64_t stacks; /* distinct ones, of all processes */
};

struct page_station_options {
    const char *socket; /* of the agent */
    enum page_source source;
    uint32_t watch;         /* enum agent_watch */
    uint64_t look_every_ns; /* at the pages of a process, or less often if that costs too much */
};

/* Connects and begins.  NULL with `fault`. */
struct page_station *page_station_open(const struct page_station_options *options,
                                       struct fault *fault);
void page_station_close(struct page_station *station); /* also NULL */

/* Whether it does without the agent. */
bool page_station_uses_perf(const struct page_station *station);

/* `is_whole`: nothing of it is older than this call but what an exec will throw away.  0 or -errno with `fault`. */
int page_station_watch(struct page_station *station, uint32_t pid, bool is_whole,
                       struct fault *fault);

/* The same for the next process that we fork, before it is there. */
int page_station_watch_next(struct page_station *station, struct fault *fault);

/* The same for whoever becomes a program of this name, from its first instruction on; page_station_next_child tells of it.
 * `is_once`: the first alone.  `name` must last.  0; -ENOTSUP where nobody can tell; or -errno with `fault`. */
int page_station_await(struct page_station *station, const char *name, bool is_once,
                       struct fault *fault);
/* How many of those were over before anything could be read of them. */
uint64_t page_station_missed(struct page_station *station);

/* What changed since the last time, as cells of `bucket`, its stacks put into `recording`, which must be the same one each time;
 * `state` is of the same instant.  0; -ESRCH when it is not watched; -ENOMEM. */
int page_station_take(struct page_station *station, uint32_t pid, struct recording *recording,
                      struct bucket *bucket, struct watched_pages *state);
/* Has the pages of `pid` looked at, now.  Whether that was possible. */
bool page_station_look_now(struct page_station *station, uint32_t pid);
/* Calls `visit` while nobody else uses the watch, and returns what that returns.  `is_still`: nor does its book change; -EAGAIN while pages
 * are looked at.  -ESRCH when it is not watched.  What is called must be quick, and not ask the station. */
typedef int (*page_visit_fn)(void *context, struct page_watch *watch,
                             const struct recording *stacks);
int page_station_visit(struct page_station *station, uint32_t pid, bool is_still,
                       page_visit_fn visit, void *context);
/* Whoever took what changed is gone.  If somebody else asks, he is told all from the beginning. */
void page_station_forget(struct page_station *station, uint32_t pid);

/* What happened to processes that nobody asked about: a child of a watched one that is watched too.  0: none.
 * One that is over already, and of which nothing was seen, is only counted, with its parent. */
uint32_t page_station_next_child(struct page_station *station);
/* Nobody will ask so: whoever wants a child knows its number. */
void page_station_leave_children(struct page_station *station);

/* false when `pid` is not watched. */
bool page_station_state(struct page_station *station, uint32_t pid, struct watched_pages *state);
