/* chain_follow.h - writes the blocks of one node's chain to a file: every height once, in order.
 *
 * Missing heights are fetched, also after the node or this program was down.  If a block was
 * replaced by another one (a reorganised chain), the new one is written with the hash of the old
 * one; at most CHAIN_REMEMBERED heights back.  Heights that the node has deleted are reported, and
 * noted in the file.  An error of the node is reported once, and the request is repeated every
 * second.  An error of the file, or a refused token in the very first answer, ends the follower.
 * The arrival time of a block is known if the node was known to lack the block shortly before: see
 * block_record.h. */
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
    uint64_t from; /* first height of a new file; without: the height after the newest block */
    bool has_to;
    uint64_t to;       /* last height */
    uint64_t every_ns; /* time between two requests, if the node has no request that waits */
    /* Unix time minus monotonic time; the same for all nodes, so that their times can be
     * compared */
    int64_t unix_offset_ns;
    void (*tell)(void *context, const char *name, const char *sentence);
    void *context;
};

struct chain_follow_facts {
    uint64_t written, replaced, missing; /* heights since this follower began */
    bool has_last, has_head;
    uint64_t last, head; /* newest height in the file, and newest known height of the node */
    bool is_troubled;    /* the last answer of the node was an error */
    bool is_over;        /* `to` was reached, or an error ended the follower: see `fault` */
    const struct fault *fault;
};

/* Creates a follower.  `http`, `node` and what `options` points to must outlive it.  Returns NULL
 * with a sentence. */
struct chain_follow *chain_follow_create(struct http *http, const struct node *node,
                                         const char *path,
                                         const struct chain_follow_options *options,
                                         struct fault *fault);
/* Sends the requests that are due.  Returns the monotonic time of the next call; UINT64_MAX: call
 * again after the next http_wait. */
uint64_t chain_follow_step(struct chain_follow *follow, uint64_t now_ns);
struct chain_follow_facts chain_follow_tell(const struct chain_follow *follow);
/* Syncs the file to disk; any thread. */
void chain_follow_sync(struct chain_follow *follow);
/* Syncs the file and frees the follower.  Returns 0 or -errno with a sentence. */
int chain_follow_destroy(struct chain_follow *follow, struct fault *fault);
