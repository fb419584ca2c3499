/* node_watch.h - takes snapshots of all nodes of a list into the folder of a run, until it must
 * end.
 *
 * One thread with one loop.  At a tick, requests for everything are sent to all nodes at once.  A
 * node that does not answer causes only a gap of its own: it gets a new request at the next tick;
 * what it has not answered by then is a gap.  CPU profiles have a schedule of their own.  SIGINT,
 * SIGTERM and SIGHUP end the watch: running requests are cancelled, and reported as such.  Memory
 * is some kilobytes per node and running request, whatever the answers are. */
#pragma once

#include "scrape/nodes/node_list.h"
#include "scrape/watch/run_writer.h"

struct node_watch_options {
    uint32_t captures; /* enum node_capture, for nodes without captures of their own */
    uint64_t every_ns; /* 0: one snapshot */
    uint64_t for_ns;   /* 0: until a signal */
    uint64_t timeout_ms;
    uint64_t cpu_ns, cpu_after_ns, cpu_every_ns; /* for CPU profiles; cpu_every_ns 0: one profile */
    /* ends when the highest block is this much above the first one seen; 0: no limit */
    uint64_t rounds;
    uint64_t mutex_rate;    /* one of this many contentions is sampled */
    uint64_t block_rate_ns; /* one wait per this time is sampled */
    const char *command;    /* for the manifest; without secrets */
};

/* Result of a snapshot, after its last answer. */
struct node_watch_tick {
    const char *stamp;
    bool is_cpu; /* a snapshot of CPU profiles only */
    unsigned nodes, nodes_failed;
    unsigned fetches, gaps;
    uint64_t span_ns;    /* from the first request to the last good answer */
    const char *slowest; /* name of the node whose good answer took longest; "": none */
    uint64_t slowest_ns;
    uint64_t dropped; /* dropped ticks so far */
};

struct node_watch_ears {
    void *context;
    void (*tick)(void *context, const struct node_watch_tick *tick);
    void (*said)(void *context, const char *sentence); /* the sentence is in watch.log, too */
};

struct node_watch_end {
    char why[64];     /* "for", "once", "rounds", "SIGTERM", … */
    bool was_stopped; /* by a signal */
    uint64_t ticks, ticks_dropped, fetches, gaps;
};

/* Watches until the end.  Returns 0; or -errno with a sentence if the watch could not begin.  A gap
 * is not a failure. */
int node_watch(const struct node_list *list, const struct node_watch_options *options,
               struct run_writer *writer, const struct node_watch_ears *ears,
               struct node_watch_end *end, struct fault *fault);

/* Returns whether a node supports a kind of capture. */
bool node_gives(const struct node *node, enum run_kind kind);
