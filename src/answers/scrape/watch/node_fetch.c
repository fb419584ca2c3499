/* SPDX-License-Identifier: Apache-2.0 */
/* node_fetch.c - sends one request to one node, and keeps the answer as a file of the run. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "formats/pprof/pprof_profile.h"
#include "scrape/chains/chain_source.h"
#include "scrape/watch/node_watch_parts.h"

#define GOROUTINES_MANY      10000u
#define GOROUTINE_RESTS_MOST 60u

/* Number of ticks to leave out after the goroutine profile `name` in `folder`: making such a
 * profile stops the program for as long as it has goroutines.  None below GOROUTINES_MANY, then one
 * per GOROUTINES_MANY. */
static unsigned rests_after(int folder, const char *name)
{
    int const fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    struct pprof_profile *profile = pprof_read_fd(fd, NULL);
    uint64_t const count = profile && profile->types.count ? (uint64_t)pprof_total(profile, 0) : 0;
    pprof_destroy(profile);
    close(fd);
    return count / GOROUTINES_MANY < GOROUTINE_RESTS_MOST ? (unsigned)(count / GOROUTINES_MANY)
                                                          : GOROUTINE_RESTS_MOST;
}

_Static_assert(CAPTURE_HEAP == 1u << RUN_HEAP && CAPTURE_GOROUTINE == 1u << RUN_GOROUTINE &&
                   CAPTURE_MUTEX == 1u << RUN_MUTEX && CAPTURE_BLOCK == 1u << RUN_BLOCK &&
                   CAPTURE_CPU == 1u << RUN_CPU && CAPTURE_METRICS == 1u << RUN_METRICS &&
                   CAPTURE_BLOCKINFO == 1u << RUN_BLOCKINFO,
               "a capture is the bit of its kind");

struct node_fetch {
    struct watch *watch;
    struct watched *watched;
    struct node_snapshot *snapshot;
    enum run_kind kind;
    struct run_capture capture;
};

struct outcome {
    uint64_t begin_ns, end_ns;
    long status;
    uint64_t bytes;
    const char *why; /* "": all is well */
    bool is_ours;    /* given up by us, or not to be written: no news of the node */
    bool is_whole;   /* it answered to the end, whatever it said */
};

bool node_gives(const struct node *node, enum run_kind kind)
{
    switch (kind) {
    case RUN_METRICS:
        return node->metrics_url != NULL;
    case RUN_BLOCKINFO:
        return node->gives_blocks && node->base_url && node->class &&
               node->class->chain != CHAIN_NONE;
    case RUN_HEAP:
    case RUN_GOROUTINE:
    case RUN_MUTEX:
    case RUN_BLOCK:
    case RUN_CPU:
        return node->pprof_url != NULL;
    case RUN_KINDS:
        break;
    }
    return false;
}

static const char *kind_for_people(enum run_kind kind)
{
    return kind == RUN_CPU         ? "CPU profile"
           : kind == RUN_BLOCKINFO ? "block header"
           : kind == RUN_METRICS   ? "metrics"
                                   : run_kind_suffix(kind);
}

/* A node that cannot be reached is told of once, whatever it was asked for.  Half an answer is
 * none: it is back when one is whole. */
static void tell_reach(struct node_fetch *fetch, const struct outcome *outcome)
{
    struct watched *watched = fetch->watched;

    if (outcome->status == 0 && watched->unreached++ == 0)
        watch_say(fetch->watch, "%s: %s", watched->node->name, outcome->why);
    if (outcome->is_whole && watched->unreached) {
        watch_say(fetch->watch, "%s: answers again, after %u gap%s", watched->node->name,
                  watched->unreached, watched->unreached == 1 ? "" : "s");
        watched->unreached = 0;
    }
}

static void tell_change(struct node_fetch *fetch, const struct outcome *outcome)
{
    const char *why = outcome->why;
    unsigned *gaps = &fetch->watched->gaps_in_a_row[fetch->kind];
    const char *name = fetch->watched->node->name, *kind = kind_for_people(fetch->kind);

    if (outcome->is_ours)
        return;
    if (fetch->kind != RUN_BLOCKINFO)
        tell_reach(fetch, outcome);
    if (fetch->kind != RUN_BLOCKINFO && outcome->status == 0)
        return;
    if (why[0] && (*gaps)++ == 0)
        watch_say(fetch->watch, "%s: no %s: %s", name, kind, why);
    if (!why[0] && *gaps) {
        watch_say(fetch->watch, "%s: %s again, after %u gap%s", name, kind, *gaps,
                  *gaps == 1 ? "" : "s");
        *gaps = 0;
    }
}

/* Whether a node of which nothing was known turns out not to have it: then it is not asked
 * again. */
static void leave_out(struct node_fetch *fetch, long status)
{
    struct watched *watched = fetch->watched;
    if (status == 404 && watched->node->class && strcmp(watched->node->class->name, "auto") == 0)
        watched->captures &= ~(1u << fetch->kind);
}

/* Writes the line about it, and counts. */
static void book(struct node_fetch *fetch, const struct outcome *outcome)
{
    struct watch *watch = fetch->watch;
    struct node_watch_tick *told = &fetch->snapshot->told;
    struct run_fetch const line = {.stamp = fetch->snapshot->stamp,
                                   .nick = fetch->watched->node->nick,
                                   .kind = run_kind_suffix(fetch->kind),
                                   .begin_us = outcome->begin_ns / 1000u,
                                   .end_us = outcome->end_ns / 1000u,
                                   .status = outcome->status,
                                   .bytes = outcome->bytes,
                                   .why = outcome->why};
    uint64_t const took_ns = outcome->end_ns - outcome->begin_ns;

    run_writer_add_fetch(watch->writer, &line);
    tell_change(fetch, outcome);
    watch->end->fetches++;
    told->fetches++;
    if (outcome->why[0]) {
        watch->end->gaps++;
        told->gaps++;
        told->nodes_failed += fetch->watched->failed_in != fetch->snapshot->serial;
        fetch->watched->failed_in = fetch->snapshot->serial;
        return;
    }
    if (outcome->end_ns > fetch->snapshot->end_ns)
        fetch->snapshot->end_ns = outcome->end_ns;
    if (took_ns > told->slowest_ns) {
        told->slowest_ns = took_ns;
        told->slowest = fetch->watched->node->name;
    }
}

/* The end of one that was under way. */
static void finish(struct node_fetch *fetch, const struct outcome *outcome)
{
    struct watch *watch = fetch->watch;

    fetch->watched->is_busy[fetch->kind] = false;
    watch->pending--;
    fetch->snapshot->pending--;
    book(fetch, outcome);
    snapshot_check(watch, fetch->snapshot);
    free(fetch);
}

static const char *why_not_kept(int err, char out[128])
{
    if (err == -EEXIST)
        snprintf(out, 128, "a file of that name exists already and is kept");
    else
        snprintf(out, 128, "it could not be written: %s", strerror(-err));
    return out;
}

static int handle_piece(void *context, struct slice piece)
{
    struct node_fetch *fetch = context;
    struct run_writer *writer = fetch->watch->writer;
    int err = 0;

    if (!fetch->capture.name[0])
        err = run_capture_begin(writer, &fetch->capture, fetch->watched->node->nick,
                                fetch->snapshot->stamp, fetch->kind);
    if (!err)
        err = run_capture_write(writer, &fetch->capture, piece);
    watch_note_disk(fetch->watch, err);
    return err;
}

/* What came is whole. */
static int keep_capture(struct node_fetch *fetch, uint64_t *bytes)
{
    char name[NAME_MAX + 1];
    *bytes = fetch->capture.bytes;
    memcpy(name, fetch->capture.name, sizeof(name));
    int const err = run_capture_keep(fetch->watch->writer, &fetch->capture);
    watch_note_disk(fetch->watch, err);
    if (!err && fetch->kind == RUN_GOROUTINE)
        fetch->watched->goroutine_rests =
            rests_after(run_writer_folder(fetch->watch->writer), name);
    return err;
}

static void handle_answer(void *context, const struct http_answer *answer)
{
    struct node_fetch *fetch = context;
    char why[128];
    struct outcome outcome = {.begin_ns = answer->begin_ns,
                              .end_ns = answer->end_ns,
                              .status = answer->status,
                              .why = answer->why,
                              .is_ours = answer->error == -ECANCELED || is_no_room(answer->error),
                              .is_whole = answer->error == 0};

    if (answer->error == 0 && !answer->why[0]) {
        int const err = fetch->capture.name[0] ? keep_capture(fetch, &outcome.bytes) : -ENODATA;
        if (err == -ENODATA)
            outcome.why = "the answer was empty";
        else if (err)
            outcome.why = why_not_kept(err, why);
        outcome.is_ours = is_no_room(err);
    }
    run_capture_drop(fetch->watch->writer, &fetch->capture);
    leave_out(fetch, answer->status);
    finish(fetch, &outcome);
}

static void handle_blockinfo(void *context, const struct chain_blockinfo *info)
{
    struct node_fetch *fetch = context;
    char why[128];
    struct outcome outcome = {.begin_ns = info->begin_ns,
                              .end_ns = info->end_ns,
                              .why = info->error ? info->why : "",
                              .is_ours = info->error == -ECANCELED};

    if (info->error == 0) {
        int err = handle_piece(fetch, info->json);
        if (!err)
            err = keep_capture(fetch, &outcome.bytes);
        outcome.status = 200;
        outcome.why = err ? why_not_kept(err, why) : "";
        outcome.is_ours = is_no_room(err);
        round_set_add(&fetch->watch->rounds, info->header.height);
    } else if (!info->why[0])
        outcome.why = "no block header";
    finish(fetch, &outcome);
}

/* -errno with a sentence: it could not be begun. */
static int ask_http(struct node_fetch *fetch, struct fault *fault)
{
    const struct node_watch_options *options = fetch->watch->options;
    const struct node *node = fetch->watched->node;
    bool const is_cpu = fetch->kind == RUN_CPU, is_metrics = fetch->kind == RUN_METRICS;
    const struct node_headers *headers =
        is_metrics ? &fetch->watched->headers : &fetch->watched->admin_headers;
    uint64_t const timeout_ms = node->timeout_ms ? node->timeout_ms : options->timeout_ms;
    char *url = NULL;
    int const made =
        is_metrics ? asprintf(&url, "%s", node->metrics_url)
        : is_cpu
            ? asprintf(&url, "%s%sprofile?seconds=%llu", node->pprof_url,
                       node->pprof_url[strlen(node->pprof_url) - 1] == '/' ? "" : "/",
                       (unsigned long long)(options->cpu_ns + NS_PER_SECOND - 1) / NS_PER_SECOND)
            : asprintf(&url, "%s%s%s", node->pprof_url,
                       node->pprof_url[strlen(node->pprof_url) - 1] == '/' ? "" : "/",
                       run_kind_suffix(fetch->kind));
    if (made < 0)
        return fault_set(fault, -ENOMEM, "out of memory");
    struct http_request const request = {
        .url = url,
        .headers = headers->items.items,
        .header_count = headers->items.count,
        .timeout_ms = is_cpu ? options->cpu_ns / 1000000u + timeout_ms : timeout_ms,
        .done = handle_answer,
        .context = fetch,
        .piece = handle_piece};
    uint64_t const number = http_ask(fetch->watch->http, &request, fault);
    free(url);
    return number ? 0 : fault->code;
}

static int ask(struct node_fetch *fetch, struct fault *fault)
{
    const struct node *node = fetch->watched->node;
    if (fetch->kind != RUN_BLOCKINFO)
        return ask_http(fetch, fault);
    uint64_t const timeout_ms =
        node->timeout_ms ? node->timeout_ms : fetch->watch->options->timeout_ms;
    return chain_ask_blockinfo(fetch->watch->http, node, timeout_ms, handle_blockinfo, fetch,
                               fault);
}

void fetch_begin(struct watch *watch, struct watched *watched, enum run_kind kind,
                 struct node_snapshot *snapshot)
{
    uint64_t const now_ns = unix_ns();
    struct node_fetch refused = {
        .watch = watch, .watched = watched, .snapshot = snapshot, .kind = kind, .capture.fd = -1};
    struct outcome outcome = {.begin_ns = now_ns, .end_ns = now_ns, .why = "out of memory"};
    struct fault fault = {0};

    if (watched->is_busy[kind]) {
        outcome.why = "the node has not answered the request of the previous snapshot yet";
        book(&refused, &outcome);
        return;
    }
    struct node_fetch *fetch = malloc(sizeof(*fetch));
    if (fetch)
        *fetch = refused;
    if (!fetch || ask(fetch, &fault)) {
        if (fault.text[0])
            outcome.why = fault.text;
        book(&refused, &outcome);
        free(fetch);
        return;
    }
    watched->is_busy[kind] = true;
    watch->pending++;
    snapshot->pending++;
}
