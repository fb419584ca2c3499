/* chain_follow.h - follows the chain of one node into its history: every height once, in order.
 *
 * What is missing is fetched, after the node or we were away as well.  A block that was replaced
 * by another (a reorganised chain) is written again, with the hash it replaces; at most
 * CHAIN_REMEMBERED heights back.  Heights that the node threw away are told, and noted in the
 * file.  Errors of the node are told once and tried again every second; those of the file, and a
 * refused token at the very first question, end the following. The arrival of a block is known
 * when the node was known not to have it shortly before: see block_record.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "scrape/http/http.h"
#include "scrape/nodes/node.h"

#define CHAIN_REMEMBERED 256u

struct chain_follow;

struct chain_follow_options {
    bool has_from;
    uint64_t from; /* where a new file begins; without: after the newest block */
    bool has_to;
    uint64_t to;       /* the last height */
    uint64_t every_ns; /* between two questions, where the node cannot be waited for */
    /* Unix time minus the monotonic clock; equal for all, so that they can be compared */
    int64_t unix_offset_ns;
    void (*tell)(void *context, const char *name, const char *sentence);
    void *context;
};

struct chain_follow_facts {
    uint64_t written, replaced, missing; /* heights, since the beginning of this run */
    bool has_last, has_head;
    uint64_t last, head; /* newest in the file, and newest of the node as far as known */
    bool is_troubled;    /* the node did not answer as it should, the last time */
    bool is_over;        /* `to` was reached, or `fault` says why not */
    const struct fault *fault;
};

/* `http`, `node` and what `options` points to must live on.  NULL with a sentence. */
struct chain_follow *chain_follow_create(struct http *http, const struct node *node,
                                         const char *path,
                                         const struct chain_follow_options *options,
                                         struct fault *fault);
/* Begins what is due.  The monotonic time at which it wants to be called again; UINT64_MAX:
 * after the next http_wait. */
uint64_t chain_follow_step(struct chain_follow *follow, uint64_t now_ns);
struct chain_follow_facts chain_follow_tell(const struct chain_follow *follow);
/* Brings the file to the disk; another thread may do that. */
void chain_follow_sync(struct chain_follow *follow);
/* Syncs the file, and ends the follower.  Returns 0 or -errno with a sentence. */
int chain_follow_destroy(struct chain_follow *follow, struct fault *fault);
