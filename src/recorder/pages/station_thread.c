/* SPDX-License-Identifier: Apache-2.0 */
/* station_thread.c - reads the events of the watched processes, and looks at their pages when a
 * look is due. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "pages/perf_faults.h"
#include "pages/station_parts.h"
#include "procfs/process/process_named.h"

#define WAIT_MS          20
#define AT_ONCE          4096u /* records */
#define LOOK_SHARE       100u  /* looks take at most 1/100 of the time */
#define END_NS           100000000ull
#define CONNECT_NS       NS_PER_SECOND
#define COUNTERS_NS      500000000ull
#define PERF_STACK_BYTES 8192u
#define PERF_RING_BYTES  (32u << 20)
#define PERF_RING_LEAST  (128u << 10)
#define PERF_WAITS_MAX   64u
#define CODE_OLD_NS      10000000u
#define CHILDREN_MAX     4096u

static struct page_watch *find_by_record(const struct page_station *station, uint32_t known_as)
{
    vec_each (watch, &station->watches)
        if ((*watch)->known_as == known_as && !(*watch)->has_ended)
            return *watch;
    return NULL;
}

/* Begins to watch a forked process.  `parent` NULL: its parent is this process. */
static void begin_child(struct page_station *station, struct page_watch *parent, uint32_t pid)
{
    struct page_watch *child = calloc(1, sizeof(*child));
    /* Only if this process sees the same PIDs as the kernel (no PID namespace). */
    bool const is_seen =
        parent ? parent->pid == parent->known_as : station->self == (uint32_t)getpid();
    int err = child && is_seen && station->children.count < CHILDREN_MAX ? 0 : -ENOMEM;
    if (err == 0)
        err = parent ? page_watch_init_child(child, station->codes, pid, pid, parent)
                     : page_watch_init(child, station->codes, pid, pid, false);
    if (err < 0) {
        free(child);
        if (parent)
            parent->sums.children_missed++;
        return;
    }
    child->is_wanted = child->is_offered = true;
    if (vec_reserve(&station->children, 1) && vec_push(&station->watches, child)) {
        (void)vec_push(&station->children, pid);
    } else {
        page_watch_fini(child);
        free(child);
    }
}

static int await(struct page_station *station, struct fault *fault)
{
    struct agent_time_wishes const wishes = {
        .watch = station->options.watch | (station->awaits_once ? AGENT_WATCH_ONCE : 0)};
    if (!station->link)
        return fault_set(fault, -EPIPE,
                         "the agent has ended: start a new one with sudo memoir agent");
    return agent_link_await(station->link, station->awaited, &wishes, fault);
}

/* A process executed a program of the awaited name.  The kernel knows only the begin of a long
 * name. */
static void begin_awaited(struct page_station *station, uint32_t pid)
{
    struct page_watch *watch = calloc(1, sizeof(*watch));
    bool const is_cut = station->awaited && strlen(station->awaited) >= AGENT_NAME_BYTES;
    bool const is_meant = station->awaited && (!is_cut || process_is_named(pid, station->awaited));
    int err = watch && is_meant && station->children.count < CHILDREN_MAX ? 0 : -ESRCH;
    if (err == 0)
        err = page_watch_init(watch, station->codes, pid, pid, true);
    if (err == 0) {
        watch->is_wanted = watch->is_offered = true;
        watch->own.is_old = true; /* the loader is at work */
        if (vec_reserve(&station->children, 1) && vec_push(&station->watches, watch)) {
            (void)vec_push(&station->children, pid);
            return;
        }
        page_watch_fini(watch);
    }
    free(watch);
    station->missed += is_meant;
    if (station->link)
        (void)agent_link_unwatch(station->link, pid);
    if (station->awaits_once)
        (void)await(station, NULL);
}

/* Handles a fork or an exec.  Returns false if the record must wait until the look at the process
 * is over. */
static bool begin_or_change(struct page_station *station, struct page_watch *watch,
                            const struct agent_record *record)
{
    if (watch == station->looked_at)
        return false;
    if (record->kind != AGENT_FORK)
        page_watch_exec(watch, station->codes);
    else if (station->options.watch & AGENT_WATCH_CHILDREN) /* perf events tell it unasked */
        begin_child(station, watch, (uint32_t)record->address);
    return true;
}

/* A page that left the page cache is gone for all processes. */
static bool drop_from_cache(struct page_station *station, const struct agent_cache *cache)
{
    struct cache_span const span = {.inode = cache->inode,
                                    .first = cache->record.address,
                                    .device = cache->device,
                                    .pages = cache->pages};
    pthread_mutex_lock(&station->lock);
    vec_each (watch, &station->watches)
        cache_book_drop(&(*watch)->cache, &span);
    pthread_mutex_unlock(&station->lock);
    return true;
}

static bool on_record(void *context, const struct agent_record *record)
{
    struct page_station *station = context;
    struct page_watch *watch = find_by_record(station, record->pid);
    bool const is_ours = record->pid == station->self && record->kind == AGENT_FORK;
    bool is_taken = true;
    if (record->kind == AGENT_CACHE_DROP)
        return drop_from_cache(station, (const struct agent_cache *)record);
    if (!watch && !is_ours && record->kind != AGENT_STARTED)
        return true;
    pthread_mutex_lock(&station->lock);
    if (record->kind == AGENT_STARTED) {
        begin_awaited(station, record->pid);
        pthread_mutex_unlock(&station->lock);
        return true;
    }
    if (is_ours) {
        begin_child(station, NULL, (uint32_t)record->address);
        pthread_mutex_unlock(&station->lock);
        return true;
    }
    if (record->kind == AGENT_COPY) {
        if (watch->perf && monotonic_ns() - watch->code_since_ns > CODE_OLD_NS) {
            watch->own.is_old = true;
            watch->code_since_ns = monotonic_ns();
        }
        station_stacks_learn(station->stacks, &watch->own, (const struct agent_copy *)record,
                             station->link);
    } else if (record->kind == AGENT_FORK || record->kind == AGENT_EXEC) {
        is_taken = begin_or_change(station, watch, record);
    } else {
        enum stack_end end;
        uint32_t const stack = station_stacks_find(station->stacks, record->stack, &end);
        page_watch_record(watch, record, stack == AGENT_STACK_NONE ? PAGES_NO_STACK : stack, end);
        if (watch->has_ended && watch != station->looked_at)
            page_watch_end(watch);
    }
    pthread_mutex_unlock(&station->lock);
    return is_taken;
}

static void on_perf_record(void *context, const struct agent_record *record, size_t size)
{
    struct page_station *station = context;
    struct page_watch *watch = find_by_record(station, record->pid);
    (void)size;
    if (watch && watch->is_execing) {
        watch->book.lost++;
        watch->sums.lost++;
    } else if (!on_record(station, record) && watch && record->kind == AGENT_EXEC) {
        watch->is_execing = true;
    }
}

/* With perf events, losses are known per process. */
static void drain_perf(struct page_station *station, struct page_watch *watch)
{
    uint64_t const before = perf_faults_count(watch->perf).lost;
    (void)perf_faults_drain(watch->perf, on_perf_record, station);
    uint64_t const more = perf_faults_count(watch->perf).lost - before;
    watch->book.lost += more;
    watch->sums.lost += more;
}

static void drain(void *context)
{
    struct page_station *station = context;
    uint64_t const began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    for (size_t i = 0; station->uses_perf && i < station->watches.count; i++)
        if (station->watches.items[i]->perf)
            drain_perf(station, station->watches.items[i]);
    while (station->link && agent_link_drain(station->link, AT_ONCE, on_record, station) == AT_ONCE)
        ;
    station->drained_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - began;
}

/* A process without memory is about to end.  Waits a little for the exit event; the second time,
 * takes the process for ended. */
static void await_end(struct page_watch *watch)
{
    watch->has_ended = watch->is_ending;
    watch->is_ending = true;
    watch->next_look_ns = monotonic_ns() + END_NS;
}

static void look(struct page_station *station, struct page_watch *watch)
{
    struct resident_result result;
    uint64_t const began = clock_ns(CLOCK_THREAD_CPUTIME_ID) - station->drained_ns;
    uint64_t const began_ns = monotonic_ns();
    watch->book.lost +=
        !station->link && !station->uses_perf; /* without a source, events are being lost */
    pthread_mutex_lock(&station->lock);
    station->looked_at = watch;
    pthread_mutex_unlock(&station->lock);
    int err = page_watch_look(watch, drain, station, &result);
    drain(station); /* the process may have ended meanwhile */
    pthread_mutex_lock(&station->lock);
    station->looked_at = NULL;
    if (err == 0) {
        page_watch_apply(watch, &result);
        watch->sums.looked_ns = began_ns;
    }
    uint64_t const cost =
        (clock_ns(CLOCK_THREAD_CPUTIME_ID) - station->drained_ns - began) * LOOK_SHARE;
    uint64_t const rest =
        cost > station->options.look_every_ns ? cost : station->options.look_every_ns;
    watch->next_look_ns = monotonic_ns() + rest;
    if (watch->has_ended)
        page_watch_end(watch);
    else if (err == -ESRCH || err == -ENOENT)
        await_end(watch);
    if (watch->is_execing) {
        watch->is_execing = false;
        page_watch_exec(watch, station->codes);
    }
    pthread_mutex_unlock(&station->lock);
    resident_result_fini(&result);
}

/* The agent counts losses per link: every watched process may be affected. */
static void count(struct page_station *station, uint64_t now)
{
    struct agent_counters counters;
    if (now - station->counted_ns < COUNTERS_NS || !station->link)
        return;
    station->counted_ns = now;
    if (agent_link_counters(station->link, &counters) < 0)
        return;
    pthread_mutex_lock(&station->lock);
    uint64_t const more = counters.lost - station->counters.lost;
    station->counters = counters;
    vec_each (watch, &station->watches) {
        (*watch)->sums.lost += more;
        (*watch)->book.lost += more;
    }
    pthread_mutex_unlock(&station->lock);
}

static void lose_agent(struct page_station *station, uint64_t now)
{
    pthread_mutex_lock(&station->lock);
    agent_link_close(station->link);
    station->link = NULL;
    station->gone_ns = station->tried_ns = now;
    station->gaps++;
    station->counters = (struct agent_counters){0};
    pthread_mutex_unlock(&station->lock);
}

/* Connects to a new agent and asks for everything again.  The new agent knows no stacks, so they
 * come as copies. */
static void find_agent(struct page_station *station, uint64_t now)
{
    if (now - station->tried_ns < CONNECT_NS)
        return;
    station->tried_ns = now;
    struct agent_link *link = agent_link_open(station->options.socket, NULL);
    if (!link)
        return;
    pthread_mutex_lock(&station->lock);
    station->link = link;
    station->gap_ns += now - station->gone_ns;
    if (station->awaited && !(station->awaits_once && station->watches.count > 0))
        (void)await(station, NULL);
    vec_each (watch, &station->watches) {
        if (!(*watch)->has_ended)
            (void)agent_link_watch(link, (pid_t)(*watch)->pid, station->options.watch,
                                   &(*watch)->known_as, NULL);
        (*watch)->book.lost++; /* whatever happened meanwhile */
        (*watch)->sums.lost++;
        (*watch)->next_look_ns = 0;
    }
    pthread_mutex_unlock(&station->lock);
}

static void look_where_due(struct page_station *station)
{
    for (size_t i = 0; i < station->watches.count; i++) {
        struct page_watch *watch = station->watches.items[i];
        if (!watch->has_ended && monotonic_ns() >= watch->next_look_ns)
            look(station, watch);
    }
}

static int begin_watch(struct page_station *station, uint32_t pid, bool is_whole,
                       struct fault *fault)
{
    struct page_watch *watch = calloc(1, sizeof(*watch));
    struct perf_faults *perf = NULL;
    uint32_t known_as = pid;
    int err = watch ? 0 : -ENOMEM;
    if (station->uses_perf) {
        struct perf_faults_options options = {
            .pid = pid, .stack_bytes = PERF_STACK_BYTES, .ring_bytes = PERF_RING_BYTES};
        struct fault why = {.code = 0};
        while (!(perf = perf_faults_open(&options, &why)) && why.code == -ENOBUFS &&
               options.ring_bytes > PERF_RING_LEAST)
            options.ring_bytes /= 2; /* so much may not be allowed */
        if (!perf)
            fault_set(fault, why.code, "%s", why.text);
        err = perf ? err : -EPERM;
    } else if (!station->link)
        err =
            fault_set(fault, -EPIPE, "the agent has ended: start a new one with sudo memoir agent");
    else if (err == 0)
        err = agent_link_watch(station->link, (pid_t)pid, station->options.watch, &known_as, fault);
    if (err == 0) {
        err = page_watch_init(watch, station->codes, pid, known_as, is_whole);
        if (err < 0 && station->link)
            (void)agent_link_unwatch(station->link, known_as);
        if (err < 0)
            fault_set(fault, err, "the code of process %u cannot be read: %s", pid, strerror(-err));
    }
    if (err < 0) {
        perf_faults_close(perf);
        free(watch);
        return err;
    }
    watch->perf = perf;
    watch->is_wanted = watch->is_offered =
        true; /* also if it ends before anybody collects anything */
    pthread_mutex_lock(&station->lock);
    err = vec_push(&station->watches, watch) ? 0 : -ENOMEM;
    pthread_mutex_unlock(&station->lock);
    if (err < 0) {
        if (station->link)
            (void)agent_link_unwatch(station->link, known_as);
        page_watch_fini(watch);
        free(watch);
    }
    return err;
}

static int begin_next(struct page_station *station, struct fault *fault)
{
    if (station->uses_perf)
        return 0; /* it is watched when it is there */
    if (!station->link)
        return fault_set(fault, -EPIPE,
                         "the agent has ended: start a new one with sudo memoir agent");
    return agent_link_watch(station->link, getpid(), station->options.watch | AGENT_WATCH_NEXT,
                            &station->self, fault);
}

static void obey(struct page_station *station)
{
    pthread_mutex_lock(&station->lock);
    enum order const order = station->order;
    pthread_mutex_unlock(&station->lock);
    if (order == ORDER_NONE)
        return;
    struct page_watch *watch = find_by_pid(station, station->order_pid);
    int err = 0;
    if (order == ORDER_WATCH)
        err =
            begin_watch(station, station->order_pid, station->order_is_whole, station->order_fault);
    else if (order == ORDER_NEXT)
        err = begin_next(station, station->order_fault);
    else if (order == ORDER_AWAIT)
        err = await(station, station->order_fault);
    else if (watch && !watch->has_ended)
        look(station, watch);
    else
        err = -ESRCH;
    pthread_mutex_lock(&station->lock);
    station->order = ORDER_NONE;
    station->order_err = err;
    pthread_cond_broadcast(&station->done);
    pthread_mutex_unlock(&station->lock);
}

/* Frees the watches of processes that have ended and that no caller wants. */
static void clear_away(struct page_station *station)
{
    pthread_mutex_lock(&station->lock);
    for (size_t i = station->watches.count; i-- > 0;) {
        struct page_watch *watch = station->watches.items[i];
        if (watch->is_wanted || watch->is_offered || !watch->has_ended)
            continue;
        page_watch_fini(watch);
        free(watch);
        station->watches.items[i] = station->watches.items[--station->watches.count];
    }
    pthread_mutex_unlock(&station->lock);
}

/* Until a ring fills up. */
static void wait_for_perf(const struct page_station *station)
{
    struct pollfd rings[PERF_WAITS_MAX];
    nfds_t count = 0;
    vec_each (watch, &station->watches)
        for (unsigned i = 0; (*watch)->perf && count < PERF_WAITS_MAX; i++) {
            int const fd = perf_faults_fd((*watch)->perf, i);
            if (fd < 0)
                break;
            rings[count++] = (struct pollfd){.fd = fd, .events = POLLIN};
        }
    (void)poll(rings, count, WAIT_MS);
}

void *station_work(void *context)
{
    struct page_station *station = context;
    while (!atomic_load(&station->stop)) {
        if (!station->link)
            wait_for_perf(station);
        else if (agent_link_wait(station->link, WAIT_MS) < 0)
            lose_agent(station, monotonic_ns());
        drain(station);
        if (!station->link && !station->uses_perf)
            find_agent(station, monotonic_ns());
        count(station, monotonic_ns());
        obey(station);
        look_where_due(station);
        clear_away(station);
    }
    return NULL;
}
