/* node_watch.h - takes snapshots of all nodes of a list into the folder of a run, until it is
 * time to end.
 *
 * One thread, one loop.  At a tick all nodes are asked for everything at once.  A node that does
 * not answer costs its own gap: it is asked again at the next tick, and what it still owes is a
 * gap at once.  CPU profiles have a schedule of their own.  SIGINT, SIGTERM and SIGHUP end it:
 * what is under way is given up, and told as such. Memory: some kilobytes per node and request
 * under way, with any answer. */
#pragma once

#include "scrape/nodes/node_list.h"
#include "scrape/watch/run_writer.h"

struct node_watch_options {
    uint32_t captures; /* enum node_capture, of nodes that do not say it themselves */
    uint64_t every_ns; /* 0: one snapshot */
    uint64_t for_ns;   /* 0: until a signal */
    uint64_t timeout_ms;
    uint64_t cpu_ns, cpu_after_ns, cpu_every_ns; /* of CPU profiles; every 0: one */
    uint64_t rounds; /* ends once the highest block is that much above the first one seen; 0: not */
    uint64_t mutex_rate;    /* one in so many contentions is told */
    uint64_t block_rate_ns; /* one wait in so much time */
    const char *command;    /* for the manifest; without secrets */
};

/* How a snapshot went, when the last of it was answered. */
struct node_watch_tick {
    const char *stamp;
    bool is_cpu; /* of CPU profiles alone */
    unsigned nodes, nodes_failed;
    unsigned fetches, gaps;
    uint64_t span_ns;    /* from the first question to the last good answer */
    const char *slowest; /* name of the node whose good answer took longest; "": none */
    uint64_t slowest_ns;
    uint64_t dropped; /* ticks so far */
};

struct node_watch_ears {
    void *context;
    void (*tick)(void *context, const struct node_watch_tick *tick);
    void (*said)(void *context, const char *sentence); /* also in watch.log */
};

struct node_watch_end {
    char why[64];     /* "for", "once", "rounds", "SIGTERM", … */
    bool was_stopped; /* by a signal */
    uint64_t ticks, ticks_dropped, fetches, gaps;
};

/* Returns 0 or -errno with a sentence: it could not begin.  Gaps are no failure. */
int node_watch(const struct node_list *list, const struct node_watch_options *options,
               struct run_writer *writer, const struct node_watch_ears *ears,
               struct node_watch_end *end, struct fault *fault);

/* Returns whether a node can be asked for a kind of capture at all. */
bool node_gives(const struct node *node, enum run_kind kind);
