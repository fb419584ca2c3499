/* net.h - a private network: what was planned of it, and how each of its processes is.  All of
 * it is one file, DIR/net.json.
 *
 * The keeper writes the file, by rename; everyone may read it.  Texts are owned by the network,
 * and NULL when there is none. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/slice.h"
#include "base/vec.h"
#include "scrape/nodes/node.h"
#include "scrape/nodes/text_list.h"

#define NET_PARTS_MAX 512u
#define NET_MARK                                                                                   \
    "MEMOIR_NET" /* a variable in the environment of all that a network starts: its id */

enum net_state { NET_STARTING, NET_UP, NET_FAILED, NET_STOPPING, NET_DOWN, NET_STATES };
extern const char *const net_state_names[NET_STATES];

/* In the order they are started; each kind waits for the one before it. */
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

/* ENDED: as it was meant to; CRASHED: by itself. */
enum part_state { PART_PLANNED, PART_STARTED, PART_READY, PART_ENDED, PART_CRASHED, PART_STATES };
extern const char *const part_state_names[PART_STATES];

struct net_port {
    char *name;
    uint16_t number;
};

/* When a node counts as ready: all that is given holds. */
struct net_ready {
    char *url;        /* answers 200 … */
    char *contains;   /* … with this text in it */
    char *file;       /* exists */
    uint16_t port;    /* 127.0.0.1 takes connections there */
    uint32_t seconds; /* else it has failed */
};

/* One process. */
struct net_part {
    char *name;
    enum part_kind kind;
    unsigned stage; /* begins when all of the stages before are ready; they end in reverse */
    char *role, *class_name;
    text_list argv;
    text_list env;  /* "NAME=value", beside what the keeper has */
    char *folder;   /* of its data */
    char *pid_file; /* without argv: another program starts it and writes the PID */
    char *url, *metrics_url, *pprof_url, *data_folder; /* where to watch it */
    VEC(struct net_port) ports;
    struct net_ready ready;

    bool is_wrapped; /* it is a recorder that runs the node */
    bool is_held;    /* its process waits to begin, so that recorders see all of it */

    enum part_state state;
    uint32_t pid;
    uint32_t program; /* the pid of the node itself, which a recorder may run; 0: not known yet */
    /* start time of that pid, in ticks since boot: shows that a PID was reused */
    uint64_t born;
    char *why; /* a sentence, if it crashed */
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
    bool fresh;   /* data goes when the network does */
    bool restart; /* a node that crashed is started again */
    uint32_t grace_seconds;
    VEC(struct net_part) parts;
};

void net_fini(struct net *net);
/* Adds an empty one; NULL when out of memory or there are too many. */
struct net_part *net_add(struct net *net, const char *name, enum part_kind kind);
struct net_part *net_find(const struct net *net, const char *name);
uint16_t net_port_of(const struct net_part *part, const char *name); /* 0: none */
size_t net_count(const struct net *net, enum part_kind kind, enum part_state at_least);

/* DIR/NAME; the caller frees.  NULL when out of memory. */
char *net_path(const struct net *net, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns 0 or -errno with a sentence. */
int net_parse(struct net *net, struct slice text, struct fault *fault);
int net_read(struct net *net, const char *dir,
             struct fault *fault); /* -ENOENT: none was ever there */
int net_write(const struct net *net, struct fault *fault);
/* nodes.yaml of the network, for memoir watch. */
int net_write_nodes(const struct net *net, struct fault *fault);

/* Replaces a text by a copy; false when out of memory. */
bool text_set(char **text, const char *value);
