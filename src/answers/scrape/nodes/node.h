/* node.h - one watched process of a cluster, as a configuration describes it: its addresses, and
 * the meaning of its metrics.
 *
 * Texts are owned by the node or the class, and NULL if there is none. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

/* The kind of block headers that a node has. */
enum chain_kind { CHAIN_NONE, CHAIN_ALGOD, CHAIN_MONERO, CHAIN_ETHEREUM };

typedef VEC(char *) text_list;

/* A kind of node.  The shipped classes are in src/answers/scrape/nodes/classes.yaml; a
 * configuration can add its own. */
struct node_class {
    char *name;    /* "algod" */
    uint16_t port; /* default port; 0: none */
    char *metrics; /* path, "/metrics"; with a port of its own: ":26660/metrics" */
    char *pprof;   /* path of the folder, "/debug/pprof/"; with a port as above */
    /* path of mutex and block rates, read and written as JSON: "/debug/settings/pprof" */
    char *settings;
    char *token_header; /* "X-Algo-API-Token"; "Authorization: Bearer" */
    enum chain_kind chain;
    char *chain_path;   /* of the chain's interface: "/json_rpc"; "" */
    char *height;       /* name of the metric of the height */
    char *transactions; /* name of the metric: a counter of transactions */
    char *pool;         /* name of the metric of the pool: a gauge */
    /* names of metrics: counters of bytes, summed over names and labels; in "NAME*" the rest of
     * a matching name is a tag */
    text_list sent, received;
    /* "column=metric" for memoir ram: "inuse=algod_go_memory_classes_heap_objects_bytes" */
    text_list heap_metrics;
    /* files in a data folder: "algod.net" and so on; a folder with address_file belongs to this
     * class */
    char *address_file, *token_file, *admin_token_file, *pid_file;
};

/* A process on this machine.  The first of these fields that is set is used. */
struct node_process {
    uint32_t pid;
    char *pid_file; /* read again each time, because nodes restart */
    char *name;     /* of the program; if several processes have it, that is an error */
    uint16_t port;  /* the port that it listens on */
    struct node_pid_memory *memory; /* for node_pid: the process that it found last time */
};

/* What is captured of a node at each snapshot.  CAPTURE_RSS: memory of its process, if that is on
 * this machine. */
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
/* What memoir records of a process on this machine during the whole run: see local_capture.h. */
enum node_recording {
    RECORDING_HEAP = 1u << 0,
    RECORDING_PAGES = 1u << 1,
    RECORDING_CPU = 1u << 2
};

struct node {
    char *name; /* for people: "r1" */
    /* for file names, as in the original tool: "Primary", "203.0.113.11:8580"; no slash, not empty,
     * does not begin with a dot */
    char *nick;
    char *role; /* "relay", "node", "npn", or a configured role; "" if unknown */
    const struct node_class *class;
    /* paths are appended to it: "http://10.0.0.1:8580", "unix:/run/node.sock:"; NULL: the node is
     * only a process */
    char *base_url;
    char *metrics_url, *pprof_url; /* complete addresses; NULL: none */
    char *folder;      /* its data folder, which has its address and tokens; NULL: none */
    text_list headers; /* "Name: value", sent with every request; never printed */
    /* sent in class->token_header; never printed, and never part of an address */
    char *token, *admin_token;
    struct node_process process;
    bool has_process;
    bool gives_blocks;   /* the node is asked for block headers, if its class has a chain */
    uint32_t captures;   /* enum node_capture; 0: the captures of all nodes */
    uint32_t recordings; /* enum node_recording; 0: none */
    uint64_t timeout_ms; /* 0: the limit of all nodes */
};
