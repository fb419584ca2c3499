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
    bool is_busy[RUN_KINDS]; /* has not answered the question before */
    unsigned gaps_in_a_row[RUN_KINDS];
    unsigned unreached;       /* fetches without any answer, in a row */
    unsigned goroutine_rests; /* ticks to leave out, because it has very many */
    unsigned rss_gaps;
    uint32_t pid;           /* of its process, at the last snapshot; 0: not known */
    struct tcp_account tcp; /* of its process */
    uint64_t failed_in;     /* serial number of the snapshot it was last counted as failed in */
};

/* One tick while it is answered. */
struct node_snapshot {
    uint64_t serial;
    char stamp[RUN_STAMP_MAX];
    int64_t stamp_us;
    bool is_cpu, is_asked; /* all questions of it were put */
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
    struct watched *nodes; /* as in the list */
    struct watch_schedule schedule, cpu_schedule;
    struct round_set rounds;
    int64_t last_stamp;
    uint64_t end_ns;    /* CLOCK_MONOTONIC */
    unsigned pending;   /* fetches */
    uint64_t snapshots; /* serial number of the last one */
    struct pprof_rates *rates;
    size_t rounds_written;
    uint64_t rounds_ns; /* when */
    int timer_fd, signal_fd;
    sigset_t signals_before;
    struct tcp_sockets sockets; /* of this machine, at the snapshot of this serial number */
    uint64_t sockets_of;
    bool has_sockets;
    bool is_disk_full;            /* and that is told */
    bool had_no_room, wrote_some; /* since the last tick */
};

/* A sentence for people, and for watch.log. */
void watch_say(struct watch *watch, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline bool is_no_room(int err)
{
    return err == -ENOSPC || err == -EDQUOT;
}
/* After each thing that is to be written: a full disk is told once.  There is room again when a
 * whole tick could be written; a line may fit where a capture does not. */
void watch_note_disk(struct watch *watch, int err);

/* Tells of the snapshot and frees it, if all is asked and all is answered. */
void snapshot_check(struct watch *watch, struct node_snapshot *snapshot);

/* Asks one node for one thing, if it can be asked; what cannot be begun is a gap. */
void fetch_begin(struct watch *watch, struct watched *watched, enum run_kind kind,
                 struct node_snapshot *snapshot);
