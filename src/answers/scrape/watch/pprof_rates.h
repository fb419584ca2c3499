/* pprof_rates.h - how much Go programs sample of contention (mutex) and waits (block): switched
 * on while we watch, and put back.
 *
 * What a node had is in the run's rates.jsonl, on disk, before it is changed: what a watch that
 * died had changed is put back by the next one into that folder.  A rate that is not 0 was chosen
 * by the user and is left.  Only nodes whose class has a `settings` path can be set. */
#pragma once

#include "scrape/http/http.h"
#include "scrape/nodes/node_list.h"
#include "scrape/watch/run_writer.h"

struct pprof_rates;

struct pprof_rates_wish {
    uint64_t mutex_rate, block_rate_ns;
    uint32_t captures; /* of nodes that do not say it themselves */
    void (*said)(void *context, const char *sentence);
    void *context;
};

/* NULL when out of memory.  All of it must live on. */
struct pprof_rates *pprof_rates_create(const struct node_list *list, struct run_writer *writer,
                                       const struct pprof_rates_wish *wish);
void pprof_rates_destroy(struct pprof_rates *rates); /* NULL is allowed */

/* At a tick: looks at every node whose mutex or block profiles are wanted, and sets what is 0; a
 * node that was restarted is set again.  Nodes that an earlier watch left set and this one does
 * not want get back what they had. */
void pprof_rates_check(struct pprof_rates *rates, struct http *http);
/* The node of that place in the list has another address or token. */
void pprof_rates_renew(struct pprof_rates *rates, size_t index);
/* Gives all nodes back what they had; questions are then under way in `http`.  Once they are
 * answered, pprof_rates_forget. */
void pprof_rates_restore(struct pprof_rates *rates, struct http *http);
/* Takes from rates.jsonl what was put back.  The number of nodes that were not. */
unsigned pprof_rates_forget(struct pprof_rates *rates);
