/* net.h - a private network: its plan, and the state of each of its processes.  Everything is in
 * one file, DIR/net.json.
 *
 * The keeper writes the file, by rename; everyone may read it.  The network owns all texts, which
 * are NULL if there is none. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/slice.h"
#include "base/vec.h"
#include "scrape/nodes/node.h"
#include "scrape/nodes/text_list.h"

#define NET_PARTS_MAX 512u
/* In the environment of all processes of a network: NET_MARK=ID of the network. */
#define NET_MARK "MEMOIR_NET"

enum net_state { NET_STARTING, NET_UP, NET_FAILED, NET_STOPPING, NET_DOWN, NET_STATES };
extern const char *const net_state_names[NET_STATES];

/* In the order in which they are started; each kind waits for the one before. */
enum part_kind {
    PART_RECORD,
    PART_SETUP,
    PART_NODE,
    PART_LOAD,
    PART_WATCH,
    PART_TEARDOWN,
    PART_KINDS
};
extern const char *const part_kind_names[PART_KINDS];

/* ENDED: ended as planned; CRASHED: ended by itself. */
enum part_state { PART_PLANNED, PART_STARTED, PART_READY, PART_ENDED, PART_CRASHED, PART_STATES };
extern const char *const part_state_names[PART_STATES];

struct net_port {
    char *name;
    uint16_t number;
};

/* When a node counts as ready: all given conditions are met. */
struct net_ready {
    char *url;        /* answers with status 200 */
    char *contains;   /* and with this text in the body */
    char *file;       /* exists */
    uint16_t port;    /* accepts connections at 127.0.0.1 */
    uint32_t seconds; /* time limit; later the node has failed */
};

/* One process. */
struct net_part {
    char *name;
    enum part_kind kind;
    /* starts when all parts of earlier stages are ready; stages end in reverse order */
    unsigned stage;
    char *role, *class_name;
    text_list argv;
    text_list env; /* "NAME=value", added to the environment of the keeper */
    char *folder;  /* of the node's data */
    /* if there is no argv: another program starts the process and writes its PID here */
    char *pid_file;
    char *url, *metrics_url, *pprof_url, *data_folder; /* addresses and folder for memoir watch */
    VEC(struct net_port) ports;
    struct net_ready ready;

    bool is_wrapped; /* the process is a recorder that runs the node */
    bool is_held;    /* the process is held before it begins, so that recorders see all of it */

    enum part_state state;
    uint32_t pid;
    /* PID of the node itself, which a recorder may have started; 0: not known yet */
    uint32_t program;
    /* start time of `pid`, in ticks since boot: shows whether the PID was reused */
    uint64_t born;
    char *why; /* a sentence, if the process crashed */
    uint32_t restarts;
};

struct net {
    char *dir; /* absolute */
    char *template_name;
    char *id;
    enum net_state state;
    char *why;
    uint32_t keeper;
    uint64_t keeper_born;
    bool fresh;   /* data is removed with the network */
    bool restart; /* crashed nodes are restarted */
    uint32_t grace_seconds;
    VEC(struct net_part) parts;
};

void net_fini(struct net *net);
/* Adds an empty part; NULL when out of memory or there are too many. */
struct net_part *net_add(struct net *net, const char *name, enum part_kind kind);
struct net_part *net_find(const struct net *net, const char *name);
uint16_t net_port_of(const struct net_part *part, const char *name); /* 0: none */
size_t net_count(const struct net *net, enum part_kind kind, enum part_state at_least);

/* Returns the path DIR/NAME; the caller frees it.  NULL when out of memory. */
char *net_path(const struct net *net, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns 0 or -errno with a sentence. */
int net_parse(struct net *net, struct slice text, struct fault *fault);
int net_read(struct net *net, const char *dir,
             struct fault *fault); /* -ENOENT: there never was a network */
int net_write(const struct net *net, struct fault *fault);
/* Writes nodes.yaml of the network, for memoir watch. */
int net_write_nodes(const struct net *net, struct fault *fault);

/* Replaces a text by a copy.  Returns false when out of memory. */
bool text_set(char **text, const char *value);
