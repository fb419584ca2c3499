/* node_watch_parts.h - what the files of node_watch share. */
#pragma once

#include <errno.h>
#include <signal.h>
#include <stdbool.h>

#include "scrape/http/http.h"
#include "scrape/watch/node_request.h"
#include "scrape/watch/node_watch.h"
#include "scrape/watch/round_set.h"
#include "scrape/http/tcp_sockets.h"
#include "scrape/watch/watch_schedule.h"

/* A node while it is watched. */
struct watched {
    const struct node *node;
    uint32_t captures;
    struct node_headers headers, admin_headers;
    bool is_busy[RUN_KINDS]; /* the last request has no answer yet */
    unsigned gaps_in_a_row[RUN_KINDS];
    unsigned unreached; /* number of fetches in a row without any answer */
    /* number of ticks to skip, because the node has very many goroutines */
    unsigned goroutine_rests;
    unsigned rss_gaps;
    uint32_t pid;           /* PID at the last snapshot; 0: not known */
    struct tcp_account tcp; /* of its process */
    uint64_t failed_in;     /* serial number of the last snapshot that counted the node as failed */
};

/* A snapshot whose answers are not complete yet. */
struct node_snapshot {
    uint64_t serial;
    char stamp[RUN_STAMP_MAX];
    int64_t stamp_us;
    bool is_cpu, is_asked; /* is_asked: all its requests were sent */
    unsigned pending;
    struct node_watch_tick told;
    uint64_t begin_ns, end_ns;
};

struct watch {
    const struct node_list *list;
    const struct node_watch_options *options;
    struct run_writer *writer;
    const struct node_watch_ears *ears;
    struct node_watch_end *end;
    struct http *http;
    struct watched *nodes; /* in the order of the list */
    struct watch_schedule schedule, cpu_schedule;
    struct round_set rounds;
    int64_t last_stamp;
    uint64_t end_ns;    /* CLOCK_MONOTONIC */
    unsigned pending;   /* running fetches */
    uint64_t snapshots; /* serial number of the last snapshot */
    struct pprof_rates *rates;
    size_t rounds_written;
    uint64_t rounds_ns; /* when */
    int timer_fd, signal_fd;
    sigset_t signals_before;
    struct tcp_sockets sockets; /* of this machine, at the snapshot with serial number sockets_of */
    uint64_t sockets_of;
    bool has_sockets;
    bool is_disk_full;            /* and that was reported */
    bool had_no_room, wrote_some; /* since the last tick */
};

/* Reports a sentence, and adds it to watch.log. */
void watch_say(struct watch *watch, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline bool is_no_room(int err)
{
    return err == -ENOSPC || err == -EDQUOT;
}
/* Call it after each write.  A full disk is reported once, until a whole tick could be written: a
 * line may fit where a capture does not. */
void watch_note_disk(struct watch *watch, int err);

/* Reports the snapshot and frees it, if all its requests were sent and answered. */
void snapshot_check(struct watch *watch, struct node_snapshot *snapshot);

/* Starts one fetch from one node, if the node supports it.  A fetch that cannot start is a gap. */
void fetch_begin(struct watch *watch, struct watched *watched, enum run_kind kind,
                 struct node_snapshot *snapshot);
