/* station_parts.h - the inside of a page station, shared by its files: page_station.c for those who ask, station_thread.c for what
 * the thread does. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "kernel_events/agent_link.h"
#include "pages/page_station.h"
#include "kernel_events/station_stacks.h"

/* What the thread is to do; one at a time. */
enum order { ORDER_NONE, ORDER_WATCH, ORDER_NEXT, ORDER_AWAIT, ORDER_LOOK };

struct page_station {
    struct page_station_options options;
    pthread_t thread;
    pthread_mutex_t lock; /* of what take, state and so on read: news, sums, stacks, the list */
    pthread_cond_t done;  /* with the order */
    enum order order;
    uint32_t order_pid;
    bool order_is_whole;
    int order_err;
    struct fault *order_fault;
    atomic_bool stop;
    struct agent_link *link; /* NULL: the agent is gone */
    bool uses_perf;          /* and there never was one */
    struct code_store *codes;
    struct station_stacks *stacks;
    VEC(struct page_watch *) watches;
    VEC(uint32_t) children;       /* that nobody has asked for yet */
    const char *awaited;          /* the name of who is, or NULL */
    bool awaits_once;             /* the first alone */
    uint64_t missed;              /* awaited ones that were over too soon */
    uint32_t self;                /* what records call us, when we watch our next child */
    struct page_watch *looked_at; /* just now; NULL: none */
    uint64_t drained_ns;          /* CPU time that went into reading records */
    struct agent_counters counters;
    uint64_t counted_ns, tried_ns, gone_ns, gaps, gap_ns;
};

/* The watch of a process, by the number that we see; the newest, or NULL. */
static inline struct page_watch *find_by_pid(const struct page_station *station, uint32_t pid)
{
    for (size_t i = station->watches.count; i-- > 0;)
        if (station->watches.items[i]->pid == pid)
            return station->watches.items[i];
    return NULL;
}

/* The thread, for pthread_create. */
void *station_work(void *station);
