/* load.h - a load generator: calls at a fixed rate, also when servers are slow.
 *
 * Open loop: call number k is due at the start + k / rate, and its latency counts from then, so
 * that a server that stalls is seen as stalling.  Targets take turns.  One thread; calls to a
 * target share one connection where the protocol can (gRPC over HTTP/2). */
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
    const char *name; /* keys begin with it, so that generators do not write each other's */
    double tps;
    size_t value_bytes;
    const char *wallet;
    text_list targets; /* http://host:port */
};

/* What calls of a kind look like. */
struct load_kind {
    const char *name;
    bool is_grpc;
    /* The body of call `number`, and its path. */
    void (*make)(const struct load_options *options, uint64_t number, struct protobuf_out *body,
                 const char **path);
};
const struct load_kind *load_kind_find(const char *name); /* NULL: none */

/* Runs until a signal comes on `stop` (a descriptor that becomes readable).  Writes a JSON line
 * each second, and a last one with "final":true.  Returns 0 or -errno with a sentence. */
int load_run(const struct load_options *options, int stop, FILE *log, struct fault *fault);
