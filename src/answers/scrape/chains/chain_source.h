/* chain_source.h - block headers from a node, by HTTP: how high it is, headers by height, and
 * waiting for the next one.
 *
 * algod: its REST interface, header-only where the node can do that, waiting as long as the node
 * holds the request.  monero and ethereum: JSON-RPC; they have no way to wait, so a caller that
 * follows them asks again.  One question at a time per source.  Every question has a deadline. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "cluster/blocks/block_record.h"
#include "scrape/http/http.h"
#include "scrape/nodes/node.h"

struct chain_source;

struct chain_answer {
    /* 0 or -errno: -ENODATA (the node has no such height now), -EACCES (the node wants another
     * token), -EAGAIN (the node is catching up), or an error of http.h */
    int error;
    const char *why;   /* a sentence without secrets */
    uint64_t height;   /* of the newest block: of CHAIN_HEIGHT and CHAIN_WAIT */
    uint64_t asked_ns; /* monotonic: when the question left and when the answer was here */
    uint64_t answered_ns;
    /* ascending, without a hole; maybe fewer than asked for; gone after `done` */
    const struct block_header *headers;
    size_t header_count;
};
typedef void (*chain_done_fn)(void *context, const struct chain_answer *answer);

/* NULL with `fault`: the node's class has no chain, or no address.  `http` and `node` must live
 * on. */
struct chain_source *chain_source_create(struct http *http, const struct node *node,
                                         struct fault *fault);
/* What is under way is ended, without an answer. */
void chain_source_destroy(struct chain_source *source);
bool chain_source_waits(const struct chain_source *source); /* chain_ask_wait may be used */

/* Each calls `done` once, from http_wait, and never before it returns.  Returns 0 or -errno with
 * `fault`. */
int chain_ask_height(struct chain_source *source, chain_done_fn done, void *context,
                     struct fault *fault);
/* Answers once the node is higher than `height`, or after a minute without that. */
int chain_ask_wait(struct chain_source *source, uint64_t height, chain_done_fn done, void *context,
                   struct fault *fault);
/* From `first` on, at most `count`; fewer come if that is kinder to the node. */
int chain_ask_headers(struct chain_source *source, uint64_t first, uint64_t count,
                      chain_done_fn done, void *context, struct fault *fault);

/* The newest header of a node as the text of a .blockinfo.json:
 * {"block":{"rnd":…,"ts":…,"tc":…,…}} on one line, bytes as base64; no transactions, no
 * certificate.  `error` and `why` as above. */
struct chain_blockinfo {
    int error;
    const char *why;
    struct slice json; /* gone after `done` */
    struct block_header header;
    uint64_t begin_ns, end_ns; /* CLOCK_REALTIME, as http_answer */
};
typedef void (*chain_blockinfo_fn)(void *context, const struct chain_blockinfo *info);
/* Calls `done` once, from http_wait or http_destroy, after at most `timeout_ms` per request (two or
 * three; 0: 15 s).  Returns 0 or -errno with `fault`: then not at all. */
int chain_ask_blockinfo(struct http *http, const struct node *node, uint64_t timeout_ms,
                        chain_blockinfo_fn done, void *context, struct fault *fault);
