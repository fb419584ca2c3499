/* target_list.h - all targets of one server: a process, or several recordings and runs.  The first
 * target is meant if a request does not name one.
 *
 * A run has one target for the whole run, and one for each node and kind of profile.  At most
 * TARGETS_OPEN_MOST of these nodes are in memory at once: those that clients asked for last. */
#pragma once

#include "base/vec.h"
#include "serve/http/exchange.h"
#include "serve/targets/target.h"

#define TARGETS_MOST      64 /* on the command line */
#define TARGETS_OPEN_MOST 8  /* nodes of runs in memory */

#define SUMS_BYTES_MOST ((size_t)192 << 20)

struct node_known;  /* a node of a run that has a target */
struct run_served { /* a served run */
    struct served_run *run;
    struct target_options options;  /* options of its targets */
    uint64_t version;               /* version of the run when the targets were updated */
    VEC(struct node_known *) nodes; /* sorted by nick */
};

struct target_list {
    VEC(struct target *) items; /* owned; not empty while the server runs */
    VEC(struct run_served) runs;
    unsigned named;
};

/* Opens a target and adds it.  Returns 0; or -errno with a sentence, and targets opened before
 * stay. */
int target_list_open(struct target_list *list, const struct target_options *options,
                     struct fault *fault);
/* Like target_list_open, for the folder of a run, options->path. */
int target_list_open_run(struct target_list *list, const struct target_options *options,
                         struct fault *fault);
/* Call it before each request: appends targets for new nodes of runs, and drops from memory what no
 * client has asked for lately. */
void target_list_tend(struct target_list *list);
/* Call it while there is no request: makes sums of large recordings for about `budget_ns`, with at
 * most SUMS_BYTES_MOST of memory for all of them.  Returns whether there is more to do. */
bool target_list_sum_up(struct target_list *list, uint64_t budget_ns);
void target_list_close(struct target_list *list);

/* Returns the target of ?target=ID or ?pid=; the first one without these parameters.  NULL, with an
 * error in `answer`, if there is none.  An id is the index in the list plus 1; targets are never
 * removed. */
struct target *target_list_select(const struct target_list *list, const struct request *request,
                                  struct answer *answer);

/* Returns the target with this id; NULL if there is none. */
struct target *target_list_find(const struct target_list *list, const char *id);
