/* pprof_rates.h - the rates at which Go programs sample contention (mutex) and waits (block): set
 * during a watch, and restored at its end.
 *
 * The old rates of a node are written to rates.jsonl of the run, on disk, before they are changed.
 * So the next watch into this folder restores what a watch that died had changed.  A rate that is
 * not 0 was set by the user, and is not changed.  Only nodes whose class has a `settings` path can
 * be set. */
#pragma once

#include "scrape/http/http.h"
#include "scrape/nodes/node_list.h"
#include "scrape/watch/run_writer.h"

struct pprof_rates;

struct pprof_rates_wish {
    uint64_t mutex_rate, block_rate_ns;
    uint32_t captures; /* for nodes without captures of their own */
    void (*said)(void *context, const char *sentence);
    void *context;
};

/* Returns NULL when out of memory.  All arguments must outlive the result. */
struct pprof_rates *pprof_rates_create(const struct node_list *list, struct run_writer *writer,
                                       const struct pprof_rates_wish *wish);
void pprof_rates_destroy(struct pprof_rates *rates); /* NULL is allowed */

/* Call it at each tick.  Reads the rates of every node whose mutex or block profiles are wanted,
 * and sets rates that are 0; so a restarted node is set again.  Nodes that an earlier watch left
 * set, and that this watch does not want, get their old rates back. */
void pprof_rates_check(struct pprof_rates *rates, struct http *http);
/* Call it when the node with this index in the list has a new address or token. */
void pprof_rates_renew(struct pprof_rates *rates, size_t index);
/* Sets nothing from now on.  True once nothing is being set: call it until then, because a node may
 * serve a request whose answer was not awaited after the one that restores its rates. */
bool pprof_rates_end(struct pprof_rates *rates);
/* Restores the rates of all nodes, with requests in `http`.  Call pprof_rates_forget when they are
 * answered. */
void pprof_rates_restore(struct pprof_rates *rates, struct http *http);
/* Removes restored rates from rates.jsonl.  Returns the number of nodes that could not be restored,
 * or may have set what was sent to them before and not answered in time. */
unsigned pprof_rates_forget(struct pprof_rates *rates);
