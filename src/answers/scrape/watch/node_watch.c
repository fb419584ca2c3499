/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/watch/node_watch.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "scrape/local/local_watch.h"
#include "scrape/watch/node_watch_parts.h"
#include "scrape/watch/pprof_rates.h"
#include "scrape/watch/run_manifest.h"

#define RESTORE_NS      (6u * (uint64_t)NS_PER_SECOND)
#define ROUNDS_EVERY_NS (10u * (uint64_t)NS_PER_SECOND) /* rounds.json is brought up to date */

void watch_say(struct watch *watch, const char *format, ...)
{
    char sentence[1000];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(sentence, sizeof(sentence), format, arguments);
    va_end(arguments);
    run_writer_log(watch->writer, sentence);
    watch->ears->said(watch->ears->context, sentence);
}

static void said_by_rates(void *context, const char *sentence)
{
    watch_say(context, "%s", sentence);
}

void watch_note_disk(struct watch *watch, int err)
{
    watch->wrote_some |= !err;
    watch->had_no_room |= is_no_room(err);
    if (!is_no_room(err) || watch->is_disk_full)
        return;
    watch->is_disk_full = true;
    watch_say(watch, "there is no room left in %s: data is lost until there is room again",
              run_writer_path(watch->writer));
}

/* At a tick. */
static void look_at_disk(struct watch *watch)
{
    if (watch->is_disk_full && watch->wrote_some && !watch->had_no_room) {
        watch_say(watch, "there is room in %s again", run_writer_path(watch->writer));
        watch->is_disk_full = false;
    }
    watch->wrote_some = watch->had_no_room = false;
}

static struct node_snapshot *snapshot_begin(struct watch *watch, bool is_cpu, int64_t stamp_us)
{
    struct node_snapshot *snapshot = calloc(1, sizeof(*snapshot));
    bool const with_fraction =
        watch->options->every_ns > 0 && watch->options->every_ns < NS_PER_SECOND;

    if (!snapshot) {
        watch_say(watch, "a snapshot is left out: out of memory");
        return NULL;
    }
    snapshot->serial = ++watch->snapshots;
    snapshot->is_cpu = is_cpu;
    snapshot->stamp_us = stamp_us;
    run_stamp_text(stamp_us, with_fraction, snapshot->stamp);
    snapshot->begin_ns = unix_ns();
    snapshot->told.stamp = snapshot->stamp;
    snapshot->told.is_cpu = is_cpu;
    snapshot->told.slowest = "";
    return snapshot;
}

void snapshot_check(struct watch *watch, struct node_snapshot *snapshot)
{
    if (!snapshot->is_asked || snapshot->pending)
        return;
    snapshot->told.dropped = watch->schedule.dropped;
    if (snapshot->end_ns > snapshot->begin_ns)
        snapshot->told.span_ns = snapshot->end_ns - snapshot->begin_ns;
    watch->ears->tick(watch->ears->context, &snapshot->told);
    free(snapshot);
}

/* Whether a node has too many goroutines to be asked for them at every tick. */
static bool rests(struct watched *watched, enum run_kind kind)
{
    if (kind != RUN_GOROUTINE || watched->goroutine_rests == 0)
        return false;
    watched->goroutine_rests--;
    return true;
}

static void ask_node(struct watch *watch, struct watched *watched, struct node_snapshot *snapshot)
{
    unsigned asked = 0;

    for (enum run_kind kind = 0; kind < RUN_KINDS; kind++) {
        if (!(watched->captures & 1u << kind) || !node_gives(watched->node, kind) ||
            (kind == RUN_CPU) != snapshot->is_cpu || rests(watched, kind))
            continue;
        fetch_begin(watch, watched, kind, snapshot);
        asked++;
    }
    if (!snapshot->is_cpu)
        asked += local_watch_sample(watch, watched, snapshot);
    snapshot->told.nodes += asked > 0;
}

/* A node that cannot be reached may have been started again, at another address. */
static void look_again(struct watch *watch, size_t index)
{
    struct watched *watched = &watch->nodes[index];
    struct node *node = watch->list->nodes.items[index];
    struct node_headers headers, admin_headers;

    for (enum run_kind kind = 0; kind < RUN_KINDS; kind++)
        if (watched->is_busy[kind])
            return; /* somebody reads what would change */
    if (!watched->unreached || !node_reread(node))
        return;
    bool const has_room =
        node_headers_init(&headers, node, false) & node_headers_init(&admin_headers, node, true);
    node_headers_fini(has_room ? &watched->headers : &headers);
    node_headers_fini(has_room ? &watched->admin_headers : &admin_headers);
    if (has_room) {
        watched->headers = headers;
        watched->admin_headers = admin_headers;
    }
    pprof_rates_renew(watch->rates, index);
    watch_say(watch, "%s: its data folder has another address or token now: %s", node->name,
              node->base_url);
}

static void ask_all(struct watch *watch, bool is_cpu, int64_t stamp_us)
{
    struct node_snapshot *snapshot = snapshot_begin(watch, is_cpu, stamp_us);

    if (!snapshot)
        return;
    for (size_t i = 0; i < watch->list->nodes.count; i++) {
        look_again(watch, i);
        ask_node(watch, &watch->nodes[i], snapshot);
    }
    snapshot->is_asked = true;
    snapshot_check(watch, snapshot);
}

/* Asks for what is due. */
static void handle_ticks(struct watch *watch)
{
    uint64_t const now_ns = monotonic_ns();
    uint64_t const dropped_before = watch->schedule.dropped;
    bool const is_tick = watch_schedule_tick(&watch->schedule, now_ns);
    bool const is_cpu = watch_schedule_tick(&watch->cpu_schedule, now_ns);

    if (!is_tick && !is_cpu)
        return;
    if (watch->schedule.dropped > dropped_before)
        watch_say(watch, "%llu ticks dropped: this machine slept or memoir was stopped",
                  (unsigned long long)(watch->schedule.dropped - dropped_before));
    watch->last_stamp =
        watch_stamp_after(watch->last_stamp, (int64_t)(unix_ns() / 1000u),
                          watch->options->every_ns > 0 && watch->options->every_ns < NS_PER_SECOND);
    if (is_tick) {
        look_at_disk(watch);
        ask_all(watch, false, watch->last_stamp);
        pprof_rates_check(watch->rates, watch->http);
    }
    if (is_cpu)
        ask_all(watch, true, watch->last_stamp);
}

static void write_rounds(struct watch *watch)
{
    uint64_t const now_ns = monotonic_ns();

    if (watch->rounds.all.count == watch->rounds_written ||
        now_ns < watch->rounds_ns + ROUNDS_EVERY_NS)
        return;
    watch->rounds_ns = now_ns;
    watch->rounds_written = watch->rounds.all.count;
    watch_note_disk(watch, round_set_write(&watch->rounds, watch->writer));
}

/* Whether it is time to end, for a reason that is then in end->why. */
static bool is_over(struct watch *watch)
{
    const struct node_watch_options *options = watch->options;
    bool const no_more =
        watch->schedule.next_ns == SCHEDULE_NEVER && watch->cpu_schedule.next_ns == SCHEDULE_NEVER;
    const char *why = NULL;

    if (options->rounds && watch->rounds.has_any &&
        watch->rounds.max >= watch->rounds.first + options->rounds)
        why = "rounds";
    else if (options->every_ns == 0 && no_more)
        why = "once";
    else if (watch->end_ns != SCHEDULE_NEVER && monotonic_ns() >= watch->end_ns)
        why = "for";
    if (!why)
        return false;
    watch->schedule.next_ns = watch->cpu_schedule.next_ns = SCHEDULE_NEVER;
    snprintf(watch->end->why, sizeof(watch->end->why), "%s", why);
    return watch->pending == 0;
}

static void arm(struct watch *watch)
{
    uint64_t next_ns = watch->schedule.next_ns;

    if (watch->cpu_schedule.next_ns < next_ns)
        next_ns = watch->cpu_schedule.next_ns;
    if (watch->end_ns < next_ns && monotonic_ns() < watch->end_ns)
        next_ns = watch->end_ns;
    struct itimerspec const at = {
        .it_value = {.tv_sec = next_ns == SCHEDULE_NEVER ? 0 : (time_t)(next_ns / NS_PER_SECOND),
                     .tv_nsec = next_ns == SCHEDULE_NEVER ? 0 : (long)(next_ns % NS_PER_SECOND)}};
    timerfd_settime(watch->timer_fd, TFD_TIMER_ABSTIME, &at, NULL);
}

/* Whether somebody wants it to end. */
static bool handle_signal(struct watch *watch)
{
    struct signalfd_siginfo info;
    if (read(watch->signal_fd, &info, sizeof(info)) != sizeof(info))
        return false;
    snprintf(watch->end->why, sizeof(watch->end->why), "SIG%s", sigabbrev_np((int)info.ssi_signo));
    watch->end->was_stopped = true;
    return true;
}

static int wait_for_anything(struct watch *watch, int timeout_ms)
{
    struct pollfd others[] = {{.fd = watch->timer_fd, .events = POLLIN},
                              {.fd = watch->signal_fd, .events = POLLIN}};
    uint64_t times;
    int const err = http_wait(watch->http, others, 2, timeout_ms);

    if (read(watch->timer_fd, &times, sizeof(times)) < 0 && errno != EAGAIN)
        return -errno;
    return err == -EINTR ? 0 : err;
}

/* Until it is time, or somebody wants it to end. */
static int watch_on(struct watch *watch)
{
    int err = 0;

    while (!err && !handle_signal(watch)) {
        handle_ticks(watch);
        if (is_over(watch))
            break;
        arm(watch);
        err = wait_for_anything(watch, -1);
        write_rounds(watch);
        watch_note_disk(watch, run_writer_flush(watch->writer));
    }
    return err;
}

/* What is under way is told as given up, but for rates that are being set.  A second signal ends
 * that, too; returns whether one came. */
static bool end_requests(struct watch *watch)
{
    uint64_t const end_ns = monotonic_ns() + RESTORE_NS;
    bool is_hurried = false;

    while (!pprof_rates_end(watch->rates) && monotonic_ns() < end_ns && !is_hurried &&
           wait_for_anything(watch, 1000) == 0)
        is_hurried = handle_signal(watch);
    http_destroy(watch->http);
    watch->http = NULL;
    return is_hurried;
}

/* Puts rates back; a second signal ends that. */
static void put_back(struct watch *watch)
{
    uint64_t const end_ns = monotonic_ns() + RESTORE_NS;
    bool const is_hurried = end_requests(watch);

    run_writer_flush(watch->writer);
    watch->http = is_hurried ? NULL : http_create(NULL);
    if (watch->http)
        pprof_rates_restore(watch->rates, watch->http);
    while (watch->http && http_under_way(watch->http) && monotonic_ns() < end_ns &&
           wait_for_anything(watch, 1000) == 0)
        if (handle_signal(watch))
            break;
    http_destroy(watch->http);
    unsigned const left = pprof_rates_forget(watch->rates);
    if (left)
        watch_say(watch,
                  "mutex and block rates of %u node%s may still be set; the next memoir watch into "
                  "%s restores them",
                  left, left == 1 ? "" : "s", run_writer_path(watch->writer));
}

static int open_descriptors(struct watch *watch, struct fault *fault)
{
    sigset_t signals;

    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    sigprocmask(SIG_BLOCK, &signals, &watch->signals_before);
    watch->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    watch->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (watch->signal_fd < 0 || watch->timer_fd < 0)
        return fault_set(fault, -errno, "no timer: %s", strerror(errno));
    return 0;
}

static int open_nodes(struct watch *watch, struct fault *fault)
{
    size_t const count = watch->list->nodes.count;

    watch->nodes = calloc(count + 1, sizeof(watch->nodes[0]));
    for (size_t i = 0; watch->nodes && i < count; i++) {
        struct watched *watched = &watch->nodes[i];
        watched->node = watch->list->nodes.items[i];
        watched->captures =
            watched->node->captures ? watched->node->captures : watch->options->captures;
        if (!node_headers_init(&watched->headers, watched->node, false) ||
            !node_headers_init(&watched->admin_headers, watched->node, true))
            return fault_set(fault, -ENOMEM, "out of memory");
    }
    return watch->nodes ? 0 : fault_set(fault, -ENOMEM, "out of memory");
}

static void open_schedules(struct watch *watch)
{
    const struct node_watch_options *options = watch->options;
    uint64_t const now_ns = monotonic_ns();
    bool const has_cpu = options->cpu_ns > 0;

    watch->end_ns = options->for_ns ? now_ns + options->for_ns : SCHEDULE_NEVER;
    watch_schedule_init(&watch->schedule, now_ns, options->every_ns, watch->end_ns);
    watch_schedule_init(&watch->cpu_schedule, now_ns + options->cpu_after_ns, options->cpu_every_ns,
                        watch->end_ns);
    if (!has_cpu)
        watch->cpu_schedule.next_ns = SCHEDULE_NEVER;
    watch->last_stamp = run_writer_last_stamp(watch->writer);
    round_set_read(&watch->rounds, run_writer_folder(watch->writer));
}

static struct run_segment segment_of(const struct watch *watch, uint64_t begin_us)
{
    const struct node_watch_options *options = watch->options;
    return (struct run_segment){.begin_us = begin_us,
                                .command = options->command,
                                .every_ns = options->every_ns,
                                .for_ns = options->for_ns,
                                .timeout_ms = options->timeout_ms,
                                .cpu_ns = options->cpu_ns,
                                .cpu_after_ns = options->cpu_after_ns,
                                .rounds = options->rounds,
                                .captures = options->captures,
                                .ticks = watch->end->ticks,
                                .ticks_dropped = watch->end->ticks_dropped,
                                .fetches = watch->end->fetches,
                                .gaps = watch->end->gaps};
}

static void write_end(struct watch *watch, struct run_manifest *manifest, uint64_t begin_us)
{
    watch->end->ticks = watch->schedule.ticks;
    watch->end->ticks_dropped = watch->schedule.dropped;
    struct run_segment segment = segment_of(watch, begin_us);
    segment.end_us = unix_ns() / 1000u;
    segment.why = watch->end->why;
    watch_note_disk(watch, round_set_write(&watch->rounds, watch->writer));
    watch_note_disk(watch, run_manifest_write(manifest, watch->list, &segment));
    watch_say(watch, "ended (%s): %llu snapshots, %llu ticks dropped, %llu fetches, %llu gaps",
              watch->end->why, (unsigned long long)watch->end->ticks,
              (unsigned long long)watch->end->ticks_dropped,
              (unsigned long long)watch->end->fetches, (unsigned long long)watch->end->gaps);
    run_writer_flush(watch->writer);
}

static void close_watch(struct watch *watch)
{
    for (size_t i = 0; watch->nodes && i < watch->list->nodes.count; i++) {
        node_headers_fini(&watch->nodes[i].headers);
        node_headers_fini(&watch->nodes[i].admin_headers);
        tcp_account_fini(&watch->nodes[i].tcp);
    }
    tcp_sockets_fini(&watch->sockets);
    free(watch->nodes);
    round_set_fini(&watch->rounds);
    pprof_rates_destroy(watch->rates);
    if (watch->timer_fd >= 0)
        close(watch->timer_fd);
    if (watch->signal_fd >= 0) {
        close(watch->signal_fd);
        sigprocmask(SIG_SETMASK, &watch->signals_before, NULL); /* one that waits ends us now */
    }
}

/* With everything open. */
static int run(struct watch *watch, struct run_manifest *manifest, struct fault *fault)
{
    uint64_t const begin_us = unix_ns() / 1000u;
    struct run_segment const segment = segment_of(watch, begin_us);
    int err = run_manifest_write(manifest, watch->list, &segment);

    if (err)
        return fault_set(fault, err, "%s cannot be written into: %s",
                         run_writer_path(watch->writer), strerror(-err));
    watch->http = http_create(fault);
    if (!watch->http)
        return -ENOMEM;
    open_schedules(watch);
    err = watch_on(watch);
    if (err)
        snprintf(watch->end->why, sizeof(watch->end->why), "%s", strerror(-err));
    if (watch->end->was_stopped)
        watch_say(watch, "stopped by %s", watch->end->why);
    put_back(watch);
    write_end(watch, manifest, begin_us);
    return 0;
}

int node_watch(const struct node_list *list, const struct node_watch_options *options,
               struct run_writer *writer, const struct node_watch_ears *ears,
               struct node_watch_end *end, struct fault *fault)
{
    struct watch watch = {.list = list,
                          .options = options,
                          .writer = writer,
                          .ears = ears,
                          .end = end,
                          .timer_fd = -1,
                          .signal_fd = -1};
    struct pprof_rates_wish const wish = {options->mutex_rate, options->block_rate_ns,
                                          options->captures, said_by_rates, &watch};
    struct run_manifest *manifest = run_manifest_create(writer);

    *end = (struct node_watch_end){0};
    watch.rates = pprof_rates_create(list, writer, &wish);
    int err = manifest && watch.rates ? 0 : fault_set(fault, -ENOMEM, "out of memory");
    if (!err)
        err = open_descriptors(&watch, fault);
    if (!err)
        err = open_nodes(&watch, fault);
    if (!err)
        err = run(&watch, manifest, fault);
    close_watch(&watch);
    run_manifest_destroy(manifest);
    return err;
}
