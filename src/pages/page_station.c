/* SPDX-License-Identifier: Apache-2.0 */
#include "pages/page_station.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "pages/agent_link.h"
#include "pages/page_carry.h"
#include "pages/perf_faults.h"
#include "pages/station_stacks.h"

#define TABLES_MAX       ((size_t)512 << 20) /* of unwind tables */
#define WAIT_MS          20
#define AT_ONCE          4096u /* records */
#define LOOK_SHARE       100u  /* of the time may go into looks */
#define CONNECT_NS       1000000000ull
#define COUNTERS_NS      500000000ull
#define PERF_STACK_BYTES 8192u
#define PERF_RING_BYTES  (32u << 20)
#define PERF_WAITS_MAX   64u
#define CHILDREN_MAX     4096u
#define ORDER_MS         6000 /* for the thread to do what it is asked */

/* What the thread is to do; one at a time. */
enum order { ORDER_NONE, ORDER_WATCH, ORDER_NEXT, ORDER_LOOK };

struct page_station {
    struct page_station_options options;
    pthread_t thread;
    pthread_mutex_t lock; /* of what take, state and so on read: news, sums, stacks, the list */
    pthread_cond_t done;  /* with the order */
    enum order order;
    uint32_t order_pid;
    bool order_is_whole;
    int order_err;
    struct fault *order_fault;
    atomic_bool stop;
    struct agent_link *link; /* NULL: the agent is gone */
    bool uses_perf;          /* and there never was one */
    struct code_store *codes;
    struct station_stacks *stacks;
    VEC(struct page_watch *) watches;
    VEC(uint32_t) children;       /* that nobody has asked for yet */
    uint32_t self;                /* what records call us, when we watch our next child */
    struct page_watch *looked_at; /* just now; NULL: none */
    uint64_t drained_ns;          /* CPU time that went into reading records */
    struct agent_counters counters;
    uint64_t counted_ns, tried_ns, gone_ns, gaps, gap_ns;
};

#define now_ns() clock_ns(CLOCK_MONOTONIC)
static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static struct page_watch *find_by_record(const struct page_station *station, uint32_t known_as)
{
    vec_each (watch, &station->watches)
        if ((*watch)->known_as == known_as && !(*watch)->has_ended)
            return *watch;
    return NULL;
}

static struct page_watch *find_by_pid(const struct page_station *station, uint32_t pid)
{
    for (size_t i = station->watches.count; i-- > 0;)
        if (station->watches.items[i]->pid == pid)
            return station->watches.items[i];
    return NULL;
}

/* --- the thread --- */

/* `parent` NULL: we are. */
static void begin_child(struct page_station *station, struct page_watch *parent, uint32_t pid)
{
    struct page_watch *child = calloc(1, sizeof(*child));
    /* Only where we see processes by the same numbers as the kernel. */
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
    child->is_offered = true;
    if (!vec_push(&station->watches, child) || !vec_push(&station->children, pid)) {
        page_watch_fini(child);
        free(child);
    }
}

/* What concerns one process alone: false when it must wait until its pages have been looked at. */
static bool begin_or_change(struct page_station *station, struct page_watch *watch,
                            const struct agent_record *record)
{
    if (watch == station->looked_at)
        return false;
    if (record->kind == AGENT_FORK)
        begin_child(station, watch, (uint32_t)record->address);
    else
        page_watch_exec(watch, station->codes);
    return true;
}

/* Whoever it was that dropped it: it is gone for all. */
static bool drop_from_cache(struct page_station *station, const struct agent_cache *cache)
{
    struct cache_span const span = {.inode = cache->inode,
                                    .first = cache->record.address,
                                    .device = cache->device,
                                    .pages = cache->pages};
    vec_each (watch, &station->watches)
        cache_book_drop(&(*watch)->cache, &span);
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
    if (!watch && !is_ours)
        return true;
    pthread_mutex_lock(&station->lock);
    if (is_ours) {
        begin_child(station, NULL, (uint32_t)record->address);
        pthread_mutex_unlock(&station->lock);
        return true;
    }
    if (record->kind == AGENT_COPY) {
        station_stacks_learn(station->stacks, watch->code, &watch->code_is_old,
                             (const struct agent_copy *)record, station->link);
    } else if (record->kind == AGENT_FORK || record->kind == AGENT_EXEC) {
        is_taken = begin_or_change(station, watch, record);
    } else {
        enum stack_end end;
        uint32_t const stack = station_stacks_find(station->stacks, record->stack, &end);
        page_watch_record(watch, record, stack, end);
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
    } else if (!on_record(station, record) && record->kind == AGENT_EXEC) {
        watch->is_execing = true;
    }
}

/* Losses are known per process here. */
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

static void look(struct page_station *station, struct page_watch *watch)
{
    struct resident_result result;
    uint64_t const began = clock_ns(CLOCK_THREAD_CPUTIME_ID) - station->drained_ns;
    uint64_t const began_ns = now_ns();
    watch->book.lost += !station->link && !station->uses_perf; /* nobody tells what happens now */
    pthread_mutex_lock(&station->lock);
    station->looked_at = watch;
    pthread_mutex_unlock(&station->lock);
    int err = page_watch_look(watch, drain, station, &result);
    drain(station); /* it may have ended meanwhile, and its memory with it */
    pthread_mutex_lock(&station->lock);
    station->looked_at = NULL;
    bool const was_there =
        err == 0 && result.after.rss_bytes > 0 && !watch->has_ended; /* or it was about to end */
    if (was_there) {
        page_watch_take(watch, &result);
        watch->sums.looked_ns = began_ns;
    }
    uint64_t const cost =
        (clock_ns(CLOCK_THREAD_CPUTIME_ID) - station->drained_ns - began) * LOOK_SHARE;
    uint64_t const rest =
        cost > station->options.look_every_ns ? cost : station->options.look_every_ns;
    watch->next_look_ns = now_ns() + rest;
    if (err == -ESRCH || err == -ENOENT || (err == 0 && !was_there))
        watch->has_ended = true;
    if (watch->is_execing) {
        watch->is_execing = false;
        page_watch_exec(watch, station->codes);
    }
    pthread_mutex_unlock(&station->lock);
    resident_result_fini(&result);
}

/* Losses are of all processes of this link: each may be the one. */
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

/* A new agent: everything is told again.  Stacks that it does not know come as copies. */
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
        if (!watch->has_ended && now_ns() >= watch->next_look_ns)
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
        perf = perf_faults_open(&options, NULL);
        options.ring_bytes = 0; /* so much may not be allowed */
        if (!perf)
            perf = perf_faults_open(&options, fault);
        err = perf ? err : -EPERM;
    } else if (!station->link)
        err =
            fault_set(fault, -EPIPE, "the agent has ended: start it again with sudo memoir agent");
    else if (err == 0)
        err = agent_link_watch(station->link, (pid_t)pid, station->options.watch, &known_as, fault);
    if (err == 0) {
        err = page_watch_init(watch, station->codes, pid, known_as, is_whole);
        if (err < 0)
            fault_set(fault, err, "the code of process %u cannot be read: %s", pid, strerror(-err));
    }
    if (err < 0) {
        perf_faults_close(perf);
        free(watch);
        return err;
    }
    watch->perf = perf;
    pthread_mutex_lock(&station->lock);
    err = vec_push(&station->watches, watch) ? 0 : -ENOMEM;
    pthread_mutex_unlock(&station->lock);
    return err;
}

static int begin_next(struct page_station *station, struct fault *fault)
{
    if (station->uses_perf)
        return 0; /* it is watched when it is there */
    if (!station->link)
        return fault_set(fault, -EPIPE,
                         "the agent has ended: start it again with sudo memoir agent");
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

/* Processes that are over and of no interest to anybody. */
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

static void *work(void *context)
{
    struct page_station *station = context;
    while (!atomic_load(&station->stop)) {
        if (!station->link)
            wait_for_perf(station);
        else if (agent_link_wait(station->link, WAIT_MS) < 0)
            lose_agent(station, now_ns());
        drain(station);
        if (!station->link && !station->uses_perf)
            find_agent(station, now_ns());
        count(station, now_ns());
        obey(station);
        look_where_due(station);
        clear_away(station);
    }
    return NULL;
}

/* --- the others --- */

static void destroy(struct page_station *station)
{
    vec_each (watch, &station->watches) {
        page_watch_fini(*watch);
        free(*watch);
    }
    vec_free(&station->watches);
    vec_free(&station->children);
    agent_link_close(station->link);
    station_stacks_destroy(station->stacks);
    if (station->codes)
        code_store_destroy(station->codes);
    free(station);
}

struct page_station *page_station_open(const struct page_station_options *options,
                                       struct fault *fault)
{
    struct page_station *station = calloc(1, sizeof(*station));
    if (!station) {
        fault_set(fault, -ENOMEM, "out of memory before the start");
        return NULL;
    }
    station->options = *options;
    if (options->source != PAGE_SOURCE_PERF)
        station->link = agent_link_open(options->socket, fault);
    station->uses_perf = !station->link && options->source != PAGE_SOURCE_AGENT;
    station->codes = code_store_create(TABLES_MAX);
    station->stacks = station_stacks_create();
    pthread_mutex_init(&station->lock, NULL);
    pthread_cond_init(&station->done, NULL);
    if ((station->link || station->uses_perf) && station->codes && station->stacks &&
        pthread_create(&station->thread, NULL, work, station) == 0)
        return station;
    if (fault && !fault->code)
        fault_set(fault, -ENOMEM, "out of memory before the start");
    destroy(station);
    return NULL;
}

void page_station_close(struct page_station *station)
{
    if (!station)
        return;
    atomic_store(&station->stop, true);
    pthread_join(station->thread, NULL);
    destroy(station);
}

/* Has the thread do it, and waits. */
static int give_order(struct page_station *station, enum order order, uint32_t pid, bool is_whole,
                      struct fault *fault)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += ORDER_MS / 1000;
    pthread_mutex_lock(&station->lock);
    station->order_pid = pid;
    station->order_is_whole = is_whole;
    station->order_fault = fault;
    station->order = order;
    int late = 0;
    while (station->order != ORDER_NONE && (order != ORDER_LOOK || late == 0))
        late = pthread_cond_timedwait(&station->done, &station->lock, &until);
    int const err = station->order == ORDER_NONE ? station->order_err : -ETIMEDOUT;
    pthread_mutex_unlock(&station->lock);
    return err;
}

bool page_station_uses_perf(const struct page_station *station)
{
    return station->uses_perf;
}

int page_station_watch(struct page_station *station, uint32_t pid, bool is_whole,
                       struct fault *fault)
{
    return give_order(station, ORDER_WATCH, pid, is_whole, fault);
}

int page_station_watch_next(struct page_station *station, struct fault *fault)
{
    return give_order(station, ORDER_NEXT, 0, false, fault);
}

bool page_station_look_now(struct page_station *station, uint32_t pid)
{
    return give_order(station, ORDER_LOOK, pid, false, NULL) == 0;
}

static void fill_state(const struct page_station *station, const struct page_watch *watch,
                       struct page_state *state)
{
    *state = (struct page_state){.sums = watch->sums,
                                 .has_ended = watch->has_ended,
                                 .has_execed = watch->has_execed,
                                 .agent_is_gone = !station->link,
                                 .gaps = station->gaps,
                                 .gap_ns = station->gap_ns,
                                 .counters = station->counters,
                                 .stacks = station_stacks_count(station->stacks)};
}

int page_station_take(struct page_station *station, uint32_t pid, struct recording *recording,
                      struct bucket *bucket, struct page_state *state)
{
    pthread_mutex_lock(&station->lock);
    struct page_watch *watch = find_by_pid(station, pid);
    int err = watch ? 0 : -ESRCH;
    if (watch && !watch->is_wanted) {
        watch->is_wanted = watch->begins_anew = true;
        watch->is_offered = false;
        watch->next_look_ns = 0;
    }
    if (watch && watch->has_ended)
        page_watch_take_cache(watch);
    if (watch)
        err = page_carry(&watch->carry, station_stacks_recording(station->stacks), recording,
                         watch->news.items, watch->news.count, bucket);
    if (err == 0) {
        watch->news.count = 0;
        fill_state(station, watch, state);
    }
    pthread_mutex_unlock(&station->lock);
    return err;
}

int page_station_visit(struct page_station *station, uint32_t pid, bool is_still,
                       page_visit_fn visit, void *context)
{
    pthread_mutex_lock(&station->lock);
    struct page_watch *watch = find_by_pid(station, pid);
    int const err = !watch ? -ESRCH
                    : is_still && station->looked_at
                        ? -EAGAIN
                        : visit(context, watch, station_stacks_recording(station->stacks));
    pthread_mutex_unlock(&station->lock);
    return err;
}

void page_station_forget(struct page_station *station, uint32_t pid)
{
    pthread_mutex_lock(&station->lock);
    struct page_watch *watch = find_by_pid(station, pid);
    if (watch) {
        watch->is_wanted = watch->is_offered = false;
        watch->news.count = 0;
        page_carry_fini(&watch->carry);
    }
    pthread_mutex_unlock(&station->lock);
}

uint32_t page_station_next_child(struct page_station *station)
{
    uint32_t pid = 0;
    pthread_mutex_lock(&station->lock);
    while (pid == 0 && station->children.count > 0) {
        pid = station->children.items[--station->children.count];
        struct page_watch *child = find_by_pid(station, pid);
        if (child && (child->parent == 0 || !page_watch_was_missed(child)))
            break;
        if (child)
            child->is_offered = false;
        struct page_watch *parent = find_by_pid(station, child ? child->parent : 0);
        if (parent)
            parent->sums.children_missed++;
        pid = 0;
    }
    pthread_mutex_unlock(&station->lock);
    return pid;
}

bool page_station_state(struct page_station *station, uint32_t pid, struct page_state *state)
{
    pthread_mutex_lock(&station->lock);
    struct page_watch *watch = find_by_pid(station, pid);
    if (watch) {
        fill_state(station, watch, state);
        watch->has_execed = false;
    }
    pthread_mutex_unlock(&station->lock);
    return watch != NULL;
}
