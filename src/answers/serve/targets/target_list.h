/* target_list.h - all that one server serves: a process, or several recordings and runs.  The
 * first is meant when a request does not say which.
 *
 * Of a run there is a target for all of it, and one for each node and kind of profile; of those
 * TARGETS_OPEN_MOST are in memory at once, those that were asked for last. */
#pragma once

#include "base/vec.h"
#include "serve/http/exchange.h"
#include "serve/targets/target.h"

#define TARGETS_MOST      64 /* that can be named */
#define TARGETS_OPEN_MOST 8  /* nodes of runs */

#define SUMS_BYTES_MOST ((size_t)192 << 20)

struct node_known;  /* a node of a run that is among the targets */
struct run_served { /* and the run */
    struct served_run *run;
    struct target_options options;  /* of its targets */
    uint64_t version;               /* that the targets are as of */
    VEC(struct node_known *) nodes; /* by nick */
};

struct target_list {
    VEC(struct target *) items; /* owned; not empty while it is served */
    VEC(struct run_served) runs;
    unsigned named;
};

/* Returns 0 or -errno with a sentence; what was opened before stays. */
int target_list_open(struct target_list *list, const struct target_options *options,
                     struct fault *fault);
/* The same for the folder of a run, options->path. */
int target_list_open_run(struct target_list *list, const struct target_options *options,
                         struct fault *fault);
/* Before each request: takes in nodes that runs have got since, at the end of the list, and lets
 * go what nobody has asked for lately. */
void target_list_tend(struct target_list *list);
/* While nobody asks: makes sums of large recordings for about so long, in SUMS_BYTES_MOST of memory
 * for all of them together. Returns whether there is more to do. */
bool target_list_sum_up(struct target_list *list, uint64_t budget_ns);
void target_list_close(struct target_list *list);

/* Returns the first, or the one of ?target=ID or ?pid=; NULL with an answer when there is none.  An
 * id is the place in the list, from 1: nothing is ever taken out of it. */
struct target *target_list_select(const struct target_list *list, const struct request *request,
                                  struct answer *answer);

/* Returns the one of this id; NULL when there is none. */
struct target *target_list_find(const struct target_list *list, const char *id);
