/* station_parts.h - internals of a page station: page_station.c has the public functions,
 * station_thread.c the work of the thread. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "kernel_events/agent_link.h"
#include "pages/page_station.h"
#include "kernel_events/station_stacks.h"

/* An order to the thread; one at a time. */
enum order { ORDER_NONE, ORDER_WATCH, ORDER_NEXT, ORDER_AWAIT, ORDER_LOOK };

struct page_station {
    struct page_station_options options;
    pthread_t thread;
    pthread_mutex_t lock; /* Protects what the public functions read: news, sums, stacks, watches */
    pthread_cond_t done;  /* Signalled when the order is done. */
    enum order order;
    uint32_t order_pid;
    bool order_is_whole;
    int order_err; /* Result of the order. */
    struct fault *order_fault;
    atomic_bool stop;
    struct agent_link *link; /* NULL: there is no agent (any more). */
    bool uses_perf;          /* The source is perf events: there never was an agent. */
    struct code_store *codes;
    struct station_stacks *stacks;
    VEC(struct page_watch *) watches;
    VEC(uint32_t) children;       /* PIDs that page_station_next_child has not returned yet. */
    const char *awaited;          /* Program name of page_station_await, or NULL. */
    bool awaits_once;             /* Only the first process of that name. */
    uint64_t missed;              /* Awaited processes that ended too early. */
    uint32_t self;                /* Our own PID in records, while we watch our next child. */
    struct page_watch *looked_at; /* Watch of the look in progress; NULL: no look. */
    uint64_t drained_ns;          /* CPU time spent on reading records. */
    struct agent_counters counters;
    /* Times: of the last counters, of the last attempt to connect, since when the agent is gone;
     * then the number of gaps and their total length. */
    uint64_t counted_ns, tried_ns, gone_ns, gaps, gap_ns;
};

/* Returns the newest watch of a PID (as this process sees it), or NULL. */
static inline struct page_watch *find_by_pid(const struct page_station *station, uint32_t pid)
{
    for (size_t i = station->watches.count; i-- > 0;)
        if (station->watches.items[i]->pid == pid)
            return station->watches.items[i];
    return NULL;
}

/* Main function of the thread, for pthread_create. */
void *station_work(void *station);
