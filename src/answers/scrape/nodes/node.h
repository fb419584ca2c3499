/* node.h - one watched process of a cluster, as configuration describes it: where to ask for
 * what, and what its numbers mean.
 *
 * Texts are owned by the node or the class, and NULL when there is none. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

/* What kind of block headers a node hands out. */
enum chain_kind { CHAIN_NONE, CHAIN_ALGOD, CHAIN_MONERO, CHAIN_ETHEREUM };

typedef VEC(char *) text_list;

/* A kind of node: data, not code.  The shipped ones are src/answers/scrape/nodes/classes.yaml; a
 * configuration adds its own. */
struct node_class {
    char *name;    /* "algod" */
    uint16_t port; /* where inventories do not say; 0: none */
    char *metrics; /* path, "/metrics"; with a port of its own: ":26660/metrics" */
    char *pprof;   /* path of the folder, "/debug/pprof/"; with a port as above */
    /* path of mutex and block rates, read and written as JSON: "/debug/settings/pprof" */
    char *settings;
    char *token_header; /* "X-Algo-API-Token"; "Authorization: Bearer" */
    enum chain_kind chain;
    char *chain_path;   /* of the chain's interface: "/json_rpc"; "" */
    char *height;       /* metric */
    char *transactions; /* metric: a counter of transactions */
    char *pool;         /* metric: a gauge */
    text_list sent,
        /* metrics: counters of bytes, summed over names and labels; a name that ends in * is a
         * prefix for tags */
        received;
    /* "column=metric" of memoir ram: "inuse=algod_go_memory_classes_heap_objects_bytes" */
    text_list heap_metrics;
    char *address_file, *token_file, *admin_token_file,
        *pid_file; /* in a data folder: "algod.net" and so on; address_file is how one is known */
};

/* A process on this machine; the first of these fields that is set counts. */
struct node_process {
    uint32_t pid;
    char *pid_file;                 /* read anew each time: nodes restart */
    char *name;                     /* of the program; the only one, or it is told */
    uint16_t port;                  /* the port that it listens on */
    struct node_pid_memory *memory; /* of node_pid: the process that it found last time */
};

/* What is taken of a node at each snapshot.  CAPTURE_RSS: of its process, if it is on this
 * machine. */
enum node_capture {
    CAPTURE_HEAP = 1u << 0,
    CAPTURE_GOROUTINE = 1u << 1,
    CAPTURE_MUTEX = 1u << 2,
    CAPTURE_BLOCK = 1u << 3,
    CAPTURE_CPU = 1u << 4,
    CAPTURE_METRICS = 1u << 5,
    CAPTURE_BLOCKINFO = 1u << 6,
    CAPTURE_RSS = 1u << 7
};
/* What memoir itself records of a process on this machine during the whole run: local_capture.h. */
enum node_recording {
    RECORDING_HEAP = 1u << 0,
    RECORDING_PAGES = 1u << 1,
    RECORDING_CPU = 1u << 2
};

struct node {
    char *name; /* for people: "r1" */
    /* in file names, as the original has them: "Primary", "203.0.113.11:8580"; no slash, not
     * empty, not beginning with a dot */
    char *nick;
    char *role; /* "relay", "node", "npn", or what was configured; "" when nothing says */
    const struct node_class *class;
    /* paths are put right behind it: "http://10.0.0.1:8580", "unix:/run/node.sock:"; NULL: a
     * process only */
    char *base_url;
    char *metrics_url, *pprof_url; /* whole; NULL: none */
    char *folder;              /* its data folder, where address and tokens are from; NULL: none */
    text_list headers;         /* "Name: value", with every request; never printed */
    char *token, *admin_token; /* sent in class->token_header; never printed, never in an address */
    struct node_process process;
    bool has_process;
    bool gives_blocks;   /* asked for block headers, if its class has a chain */
    uint32_t captures;   /* enum node_capture; 0: what all nodes are asked for */
    uint32_t recordings; /* enum node_recording; 0: none */
    uint64_t timeout_ms; /* 0: what all nodes have */
};
