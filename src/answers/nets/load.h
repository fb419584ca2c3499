/* load.h - a load generator: sends calls at a fixed rate, also if servers are slow.
 *
 * Call number k is due at start + k / rate, and its latency counts from then, so a stalled server
 * is visible in all calls that it delays ("open loop").  Calls go to the targets in turn.  One
 * thread.  Calls to one target share a connection if the protocol allows that (gRPC over
 * HTTP/2). */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/fault.h"
#include "formats/encodings/protobuf_out.h"
#include "scrape/nodes/node.h"

#define LOAD_TPS_MAX       1e6
#define LOAD_UNDER_WAY_MAX 5000u /* calls; those due beyond are left out, and counted */

struct load_options {
    const char *kind; /* "etcd", "monero" */
    const char *name; /* prefix of keys, so that generators do not write each other's keys */
    double tps;
    size_t value_bytes;
    const char *wallet;
    text_list targets; /* http://host:port */
};

/* The calls of a kind of server. */
struct load_kind {
    const char *name;
    bool is_grpc;
    /* Makes the body and the path of call `number`. */
    void (*make)(const struct load_options *options, uint64_t number, struct protobuf_out *body,
                 const char **path);
};
const struct load_kind *load_kind_find(const char *name); /* NULL: none */

/* Runs until the descriptor `stop` is readable, which means that a signal came.  Writes a JSON line
 * each second, and a last one with "final":true.  Returns 0 or -errno with a sentence. */
int load_run(const struct load_options *options, int stop, FILE *log, struct fault *fault);
