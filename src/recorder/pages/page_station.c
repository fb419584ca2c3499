/* SPDX-License-Identifier: Apache-2.0 */
#include "pages/page_station.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "pages/station_parts.h"

#define TABLES_MAX ((size_t)512 << 20) /* of unwind tables */
#define ORDER_MS   6000                /* for the thread to do what it is asked */

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
        pthread_create(&station->thread, NULL, station_work, station) == 0)
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

/* Lets the thread execute the order, and waits. */
static int give_order(struct page_station *station, enum order order, uint32_t pid, bool is_whole,
                      struct fault *fault)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += ORDER_MS / 1000;
    pthread_mutex_lock(&station->lock);
    while (station->order != ORDER_NONE) /* an earlier order that timed out and still runs */
        pthread_cond_wait(&station->done, &station->lock);
    station->order_pid = pid;
    station->order_is_whole = is_whole;
    station->order_fault = fault;
    station->order = order;
    int late = 0;
    while (station->order != ORDER_NONE && late == 0)
        late = order == ORDER_LOOK ? pthread_cond_timedwait(&station->done, &station->lock, &until)
                                   : pthread_cond_wait(&station->done, &station->lock);
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

int page_station_await(struct page_station *station, const char *name, bool is_once,
                       struct fault *fault)
{
    if (station->uses_perf)
        return fault_set(fault, -ENOTSUP, "perf events do not report programs that start");
    pthread_mutex_lock(&station->lock);
    station->awaited = name;
    station->awaits_once = is_once;
    pthread_mutex_unlock(&station->lock);
    return give_order(station, ORDER_AWAIT, 0, false, fault);
}

uint64_t page_station_missed(struct page_station *station)
{
    pthread_mutex_lock(&station->lock);
    uint64_t const missed = station->missed;
    pthread_mutex_unlock(&station->lock);
    return missed;
}

bool page_station_look_now(struct page_station *station, uint32_t pid)
{
    return give_order(station, ORDER_LOOK, pid, false, NULL) == 0;
}

static void fill_state(const struct page_station *station, const struct page_watch *watch,
                       struct watched_pages *state)
{
    *state = (struct watched_pages){.sums = watch->sums,
                                    .has_ended = watch->has_ended,
                                    .has_execed = watch->has_execed,
                                    .agent_is_gone = !station->link,
                                    .gaps = station->gaps,
                                    .gap_ns = station->gap_ns,
                                    .counters = station->counters,
                                    .stacks = station_stacks_count(station->stacks)};
}

int page_station_collect(struct page_station *station, uint32_t pid, struct recording *recording,
                         struct bucket *bucket, struct watched_pages *state)
{
    pthread_mutex_lock(&station->lock);
    struct page_watch *watch = find_by_pid(station, pid);
    int err = watch ? 0 : -ESRCH;
    if (watch && !watch->is_wanted) {
        watch->is_wanted = watch->begins_anew = true;
        watch->next_look_ns = 0;
    }
    if (watch)
        watch->is_offered = false;
    if (watch && watch->has_ended)
        page_watch_add_cache(watch);
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

void page_station_leave_children(struct page_station *station)
{
    pthread_mutex_lock(&station->lock);
    vec_each (pid, &station->children) {
        struct page_watch *child = find_by_pid(station, *pid);
        if (!child || !child->is_offered)
            continue;
        child->is_wanted = child->is_offered = false;
        child->news.count = 0;
    }
    station->children.count = 0;
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
            child->is_wanted = child->is_offered = false;
        struct page_watch *parent = find_by_pid(station, child ? child->parent : 0);
        if (parent)
            parent->sums.children_missed++;
        pid = 0;
    }
    pthread_mutex_unlock(&station->lock);
    return pid;
}

bool page_station_state(struct page_station *station, uint32_t pid, struct watched_pages *state)
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
