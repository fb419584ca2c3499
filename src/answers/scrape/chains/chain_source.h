/* chain_source.h - asks a node for block headers by HTTP: for the newest height, for headers by
 * height, and for the next header, waiting.
 *
 * algod has a REST interface: header-only if the node supports that, and waiting as long as the
 * node holds the request.  monero and ethereum have JSON-RPC without a request that waits, so a
 * caller must ask again.  One request at a time per source.  Every request has a time limit. */
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
    const char *why; /* sentence without secrets */
    /* of the newest block; for the answers of chain_ask_height and chain_ask_wait */
    uint64_t height;
    uint64_t asked_ns; /* monotonic times of the request and of the answer */
    uint64_t answered_ns;
    /* ascending, without gaps; maybe fewer than requested; valid during `done` */
    const struct block_header *headers;
    size_t header_count;
};
typedef void (*chain_done_fn)(void *context, const struct chain_answer *answer);

/* Returns NULL with `fault` if the class of the node has no chain, or no address.  `http` and
 * `node` must outlive the source. */
struct chain_source *chain_source_create(struct http *http, const struct node *node,
                                         struct fault *fault);
/* Cancels a request without calling `done`. */
void chain_source_destroy(struct chain_source *source);
bool chain_source_waits(const struct chain_source *source); /* chain_ask_wait may be used */

/* Each function calls `done` once, from http_wait, after it has returned.  Returns 0; or -errno
 * with `fault`, and `done` is not called. */
int chain_ask_height(struct chain_source *source, chain_done_fn done, void *context,
                     struct fault *fault);
/* Answers when the node has a height above `height`, or after one minute. */
int chain_ask_wait(struct chain_source *source, uint64_t height, chain_done_fn done, void *context,
                   struct fault *fault);
/* Asks for headers from `first` on, at most `count`; fewer if the node should not have to send so
 * many. */
int chain_ask_headers(struct chain_source *source, uint64_t first, uint64_t count,
                      chain_done_fn done, void *context, struct fault *fault);

/* The newest header of a node as the text of a .blockinfo.json: {"block":{"rnd":…,"ts":…,"tc":…,…}}
 * on one line, bytes as base64, without transactions and certificate.  `error` and `why` are as in
 * struct chain_answer. */
struct chain_blockinfo {
    int error;
    const char *why;
    struct slice json; /* valid during `done` */
    struct block_header header;
    uint64_t begin_ns, end_ns; /* CLOCK_REALTIME, as in struct http_answer */
};
typedef void (*chain_blockinfo_fn)(void *context, const struct chain_blockinfo *info);
/* Calls `done` once, from http_wait or http_destroy.  Sends two or three requests, each with a
 * limit of `timeout_ms` (0: the limit of the node, or 15 s).  Returns 0; or -errno with `fault`,
 * and `done` is not called. */
int chain_ask_blockinfo(struct http *http, const struct node *node, uint64_t timeout_ms,
                        chain_blockinfo_fn done, void *context, struct fault *fault);
