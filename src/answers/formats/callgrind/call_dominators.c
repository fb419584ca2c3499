/* SPDX-License-Identifier: Apache-2.0 */
/* call_dominators.c - finds, for each function, the functions that are on every path to it.  By
 * Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm": functions are numbered in the
 * order in which a walk leaves them, and each is put under what the paths of its callers have in
 * common, until nothing changes. */
#include "formats/callgrind/call_dominators.h"

#include <errno.h>
#include <stdlib.h>

#define UNKNOWN   UINT32_MAX
#define STEPS_MAX (UINT64_C(1) << 28) /* graphs of real programs take thousands */

/* Nodes are functions, and one more, the last, for the root. */
struct dominator_walk {
    const struct cost_graph *graph;
    uint32_t count, root, stands_for_root;
    uint32_t *first_out,
        *out;                /* callees of node n: out[first_out[n]] up to out[first_out[n + 1]] */
    uint32_t *first_in, *in; /* callers likewise */
    uint32_t *number;        /* by node: when the walk left it; UNKNOWN: not there yet */
    uint32_t *left;          /* nodes in that order */
    uint32_t *nearest;       /* by node */
    uint32_t *path, *at;     /* of the walk */
    uint32_t left_count;
    uint64_t steps;
};

static void walker_fini(struct dominator_walk *walker)
{
    free(walker->first_out);
    free(walker->out);
    free(walker->first_in);
    free(walker->in);
    free(walker->number);
    free(walker->left);
    free(walker->nearest);
    free(walker->path);
    free(walker->at);
}

static uint32_t node_of(const struct dominator_walk *walker, uint32_t function)
{
    return function == walker->stands_for_root ? walker->root : function;
}

/* Calls as lists, by caller or by callee. */
static void fill_lists(const struct dominator_walk *walker, uint32_t *first, uint32_t *list,
                       bool by_caller)
{
    size_t const calls = walker->graph->calls.count;
    for (size_t i = 0; i < calls; i++) {
        const struct cost_call *call = &walker->graph->calls.items[i];
        first[node_of(walker, by_caller ? call->caller : call->callee) + 2]++;
    }
    for (uint32_t i = 2; i < walker->count + 2; i++)
        first[i] += first[i - 1];
    for (size_t i = 0; i < calls; i++) {
        const struct cost_call *call = &walker->graph->calls.items[i];
        uint32_t const caller = node_of(walker, call->caller);
        uint32_t const callee = node_of(walker, call->callee);
        list[first[(by_caller ? caller : callee) + 1]++] = by_caller ? callee : caller;
    }
}

static int walker_init(struct dominator_walk *walker)
{
    size_t const nodes = (size_t)walker->count + 2, calls = walker->graph->calls.count + 1;
    walker->first_out = calloc(nodes + 1, sizeof(uint32_t));
    walker->first_in = calloc(nodes + 1, sizeof(uint32_t));
    walker->out = calloc(calls, sizeof(uint32_t));
    walker->in = calloc(calls, sizeof(uint32_t));
    walker->number = malloc(nodes * sizeof(uint32_t));
    walker->left = malloc(nodes * sizeof(uint32_t));
    walker->nearest = malloc(nodes * sizeof(uint32_t));
    walker->path = malloc(nodes * sizeof(uint32_t));
    walker->at = malloc(nodes * sizeof(uint32_t));
    if (!walker->first_out || !walker->first_in || !walker->out || !walker->in || !walker->number ||
        !walker->left || !walker->nearest || !walker->path || !walker->at)
        return -ENOMEM;
    for (size_t i = 0; i < nodes; i++)
        walker->number[i] = walker->nearest[i] = UNKNOWN;
    fill_lists(walker, walker->first_out, walker->out, true);
    fill_lists(walker, walker->first_in, walker->in, false);
    return 0;
}

/* Goes on from a node that was not there yet, and numbers all it leads to. */
static void walk_from(struct dominator_walk *walker, uint32_t start)
{
    uint32_t depth = 0;
    if (walker->number[start] != UNKNOWN)
        return;
    walker->path[depth] = start;
    walker->at[depth] = walker->first_out[start];
    walker->number[start] = 0; /* seen; its real number comes when it is left */
    for (;;) {
        uint32_t const node = walker->path[depth];
        if (walker->at[depth] < walker->first_out[node + 1]) {
            uint32_t const callee = walker->out[walker->at[depth]++];
            if (walker->number[callee] != UNKNOWN)
                continue;
            walker->number[callee] = 0;
            walker->path[++depth] = callee;
            walker->at[depth] = walker->first_out[callee];
            continue;
        }
        walker->number[node] = walker->left_count;
        walker->left[walker->left_count++] = node;
        if (depth-- == 0)
            return;
    }
}

static bool is_called(const struct dominator_walk *walker, uint32_t node)
{
    for (uint32_t i = walker->first_in[node]; i < walker->first_in[node + 1]; i++)
        if (walker->in[i] != node)
            return true;
    return false;
}

/* The root's own walk ends last: it is numbered by hand. */
static void walk_all(struct dominator_walk *walker)
{
    walker->number[walker->root] = 0;
    for (uint32_t i = walker->first_out[walker->root]; i < walker->first_out[walker->root + 1];
         i++) {
        walk_from(walker, walker->out[i]);
        walker->nearest[walker->out[i]] = walker->root;
    }
    for (int only_uncalled = 1; only_uncalled >= 0; only_uncalled--)
        for (uint32_t node = 0; node < walker->root; node++) {
            if (node == walker->stands_for_root || walker->number[node] != UNKNOWN ||
                (only_uncalled && is_called(walker, node)))
                continue;
            walker->nearest[node] = walker->root; /* a call of the root's */
            walk_from(walker, node);
        }
    walker->number[walker->root] = walker->left_count;
    walker->left[walker->left_count++] = walker->root;
    walker->nearest[walker->root] = walker->root;
}

/* The last node that is on the ways to both. */
static uint32_t meet(struct dominator_walk *walker, uint32_t a, uint32_t b)
{
    while (a != b) {
        for (; walker->number[a] < walker->number[b]; walker->steps++)
            a = walker->nearest[a];
        for (; walker->number[b] < walker->number[a]; walker->steps++)
            b = walker->nearest[b];
    }
    return a;
}

/* What the ways through all its callers have in common. */
static bool settle(struct dominator_walk *walker, const bool *is_start, uint32_t node)
{
    uint32_t nearest = is_start[node] ? walker->root : UNKNOWN;
    for (uint32_t i = walker->first_in[node]; i < walker->first_in[node + 1]; i++) {
        uint32_t const caller = walker->in[i];
        if (walker->number[caller] == UNKNOWN || walker->nearest[caller] == UNKNOWN)
            continue;
        nearest = nearest == UNKNOWN ? caller : meet(walker, caller, nearest);
    }
    bool const changes = walker->nearest[node] != nearest;
    walker->nearest[node] = nearest;
    return changes;
}

static int settle_all(struct dominator_walk *walker)
{
    bool *is_start = calloc((size_t)walker->count + 1, sizeof(bool));
    if (!is_start)
        return -ENOMEM;
    for (uint32_t node = 0; node < walker->root; node++)
        is_start[node] = walker->nearest[node] == walker->root;
    for (bool changes = true; changes && walker->steps < STEPS_MAX;) {
        changes = false;
        for (uint32_t i = walker->left_count - 1;
             i-- > 0;) /* callers before callees; not the root */
            changes |= walker->steps < STEPS_MAX && settle(walker, is_start, walker->left[i]);
        walker->steps += walker->left_count;
    }
    if (walker->steps >= STEPS_MAX) /* a graph made to take for ever: nothing is on every way */
        for (uint32_t node = 0; node < walker->root; node++)
            walker->nearest[node] = walker->root;
    free(is_start);
    return 0;
}

static int give(const struct dominator_walk *walker, struct call_dominators *dominators)
{
    size_t const count = walker->graph->functions.count;
    *dominators = (struct call_dominators){
        .nearest = malloc((count + 1) * sizeof(uint32_t)),
        .has_others = calloc(count + 1, sizeof(bool)),
        .order = malloc((count + 1) * sizeof(uint32_t)),
    };
    if (!dominators->nearest || !dominators->has_others || !dominators->order) {
        call_dominators_fini(dominators);
        return -ENOMEM;
    }
    size_t put = 0;
    for (uint32_t i = walker->left_count - 1; i-- > 0;) {
        uint32_t const node = walker->left[i], nearest = walker->nearest[node];
        dominators->order[put++] = node;
        dominators->nearest[node] = nearest == walker->root ? DOMINATOR_ROOT : nearest;
        for (uint32_t k = walker->first_in[node]; k < walker->first_in[node + 1]; k++)
            dominators->has_others[node] |= walker->in[k] != node && walker->in[k] != nearest;
    }
    if (walker->stands_for_root != DOMINATOR_ROOT) {
        dominators->order[put++] = walker->stands_for_root;
        dominators->nearest[walker->stands_for_root] = DOMINATOR_ROOT;
    }
    return put == count ? 0 : -EINVAL;
}

int call_dominators_make(const struct cost_graph *graph, uint32_t root,
                         struct call_dominators *dominators)
{
    struct dominator_walk walker = {.graph = graph,
                                    .root = (uint32_t)graph->functions.count,
                                    .stands_for_root = root,
                                    .count = (uint32_t)graph->functions.count + 1};
    *dominators = (struct call_dominators){0};
    int err = walker_init(&walker);
    if (!err) {
        walk_all(&walker);
        err = settle_all(&walker);
    }
    if (!err)
        err = give(&walker, dominators);
    walker_fini(&walker);
    return err;
}

void call_dominators_fini(struct call_dominators *dominators)
{
    free(dominators->nearest);
    free(dominators->has_others);
    free(dominators->order);
}
