/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/bandwidth/bandwidth.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/bandwidth/traffic_names.h"

#define WARM_UP     2 /* first points of the pool of each node, which are left out */
#define VERIFY_MS   "algod_agreement_proposal_verify_ms"
#define VERIFY_GOOD "algod_agreement_proposal_verify_good"

static bool is_name(const char *name, const char *wanted)
{
    return wanted && strcmp(name, wanted) == 0;
}

/* What any node of the run needs, asked of one node of each class: they are few, nodes and
 * series are many. */
struct wanting {
    const struct run *run;
    VEC(uint32_t) nodes; /* one of each class */
};

static int wanting_init(struct wanting *wanting, const struct run *run)
{
    *wanting = (struct wanting){.run = run};
    for (uint32_t node = 0; node < run->nodes.count; node++) {
        const char *class = run->nodes.items[node].class_name;
        bool is_known = false;
        vec_each (other, &wanting->nodes)
            is_known |= strcmp(run->nodes.items[*other].class_name, class) == 0;
        if (!is_known && !vec_push(&wanting->nodes, node))
            return -ENOMEM;
    }
    return 0;
}

static bool is_wanted(void *context, const struct exposition_series *series)
{
    const struct wanting *wanting = context;
    const struct run *run = wanting->run;
    if (is_name(series->name, VERIFY_MS) || is_name(series->name, VERIFY_GOOD))
        return true;
    vec_each (node, &wanting->nodes) {
        struct traffic_role role;
        traffic_role_of(run, *node, series, &role);
        if (role.way != TRAFFIC_NONE || is_name(series->name, traffic_pool(run, *node)) ||
            is_name(series->name, traffic_height(run, *node)) ||
            is_name(series->name, traffic_heap(run, *node)) ||
            is_name(series->name, traffic_transactions(run, *node)))
            return true;
    }
    return false;
}

static void add(double *sum, double value)
{
    if (!isnan(value))
        *sum = isnan(*sum) ? value : *sum + value;
}

/* TPS and time per block between two answers. */
static void fill_chain(const struct bandwidth *bandwidth, uint32_t from, uint32_t to,
                       double seconds, struct bandwidth_interval *interval)
{
    struct chain_point const a = bandwidth->chain.items[from], b = bandwidth->chain.items[to];
    if (seconds > 0 && b.transactions >= a.transactions)
        interval->tps = (b.transactions - a.transactions) / seconds;
    if (b.height > a.height)
        interval->block_seconds = seconds / (b.height - a.height);
}

static int make_intervals(struct bandwidth *bandwidth, uint32_t at)
{
    struct bandwidth_node *node = &bandwidth->nodes.items[at];
    uint32_t first;
    uint32_t const count = series_scrapes_of(&bandwidth->set, at, &first);
    int64_t before = -1;
    for (uint32_t i = first; i < first + count; i++) {
        const struct scrape *scrape = &bandwidth->set.scrapes.items[i];
        if (!scrape->is_read)
            continue;
        node->has_metrics = true;
        if (before >= 0) {
            const struct scrape *last = &bandwidth->set.scrapes.items[before];
            struct bandwidth_interval interval = {
                .end_us = scrape->time_us,
                .seconds = (double)(scrape->time_us - last->time_us) / 1e6,
                .sent = NAN,
                .received = NAN,
                .p2p_sent = NAN,
                .p2p_received = NAN,
                .tps = NAN,
                .block_seconds = NAN,
                .is_restart = scrape->is_restart};
            fill_chain(bandwidth, (uint32_t)before, i, interval.seconds, &interval);
            if (!vec_push(&node->intervals, interval))
                return -ENOMEM;
        }
        before = i;
    }
    return 0;
}

static struct bandwidth_interval *interval_at(struct bandwidth_node *node, int64_t end_us)
{
    size_t const at = vec_lower_bound(&node->intervals, interval, interval->end_us < end_us);
    return at < node->intervals.count && node->intervals.items[at].end_us == end_us
               ? &node->intervals.items[at]
               : NULL;
}

static struct bandwidth_tag *tag_of(struct bandwidth_node *node, const struct traffic_role *role)
{
    vec_each (tag, &node->tags)
        if (tag->is_p2p == role->is_p2p && strcmp(tag->name, role->tag) == 0)
            return tag;
    struct bandwidth_tag const tag = {.name = strdup(role->tag), .is_p2p = role->is_p2p};
    if (!tag.name || !vec_push(&node->tags, tag)) {
        free(tag.name);
        return NULL;
    }
    return &node->tags.items[node->tags.count - 1];
}

/* What counts: everything, unless only what is busy enough was asked for. */
static void judge_intervals(struct bandwidth_node *node, double least_tps)
{
    vec_each (interval, &node->intervals) {
        interval->is_counted =
            interval->seconds > 0 && (least_tps <= 0 || interval->tps >= least_tps);
        node->counted_seconds += interval->is_counted ? interval->seconds : 0;
    }
}

static void add_step(struct bandwidth_interval *interval, const struct traffic_role *role,
                     struct series_step step, struct bandwidth_tag *const into[2])
{
    bool const is_sent = role->way == TRAFFIC_SENT;
    interval->is_restart |= step.is_reset;
    if (role->is_total && step.seconds > 0) {
        double *rate = is_sent        ? role->is_p2p ? &interval->p2p_sent : &interval->sent
                       : role->is_p2p ? &interval->p2p_received
                                      : &interval->received;
        add(rate, step.increase / step.seconds);
    }
    for (int i = 0; i < 2; i++)
        if (into[i] && interval->is_counted) {
            into[i]->sent_bytes += is_sent ? step.increase : 0;
            into[i]->received_bytes += is_sent ? 0 : step.increase;
        }
}

static int add_traffic(struct bandwidth *bandwidth, const struct series *series)
{
    struct bandwidth_node *node = &bandwidth->nodes.items[series->node];
    struct traffic_role role;
    traffic_role_of(bandwidth->run, series->node, series->is, &role);
    if (role.way == TRAFFIC_NONE)
        return 0;
    struct bandwidth_tag *tag = role.is_part ? tag_of(node, &role) : NULL;
    if (role.is_part && !tag)
        return -ENOMEM;
    struct bandwidth_tag *const into[2] = {role.is_total ? &node->totals[role.is_p2p] : NULL, tag};
    for (size_t at = 0; at < series->points.count; at++) {
        struct series_step const step = series_step(&bandwidth->set, series, at);
        struct bandwidth_interval *interval =
            interval_at(node, series_time(&bandwidth->set, series->points.items[at]));
        if (interval && !isnan(step.increase))
            add_step(interval, &role, step, into);
    }
    return 0;
}

/* Over all points but the first two, which are the start of the load; if there are no more, over
 * those. */
static void fill_pool(struct bandwidth_node *node, const struct series *series)
{
    size_t const count = series->points.count;
    size_t const first = count > WARM_UP ? WARM_UP : 0;
    double sum = 0;
    size_t used = 0;
    for (size_t i = first; i < count; i++) {
        double const value = series_value(series->points.items[i]);
        if (isnan(value))
            continue;
        node->pool_min = fmin(node->pool_min, value);
        node->pool_max = fmax(node->pool_max, value);
        sum += value;
        used++;
    }
    if (count >= 2 && used)
        node->pool_mean = sum / (double)used;
}

static double last_value(const struct series *series)
{
    return series_value(series->points.items[series->points.count - 1]);
}

/* From the first to the last answer that has it. */
static void fill_whole_run(struct bandwidth *bandwidth, uint32_t at)
{
    struct bandwidth_node *node = &bandwidth->nodes.items[at];
    uint32_t first;
    uint32_t const count = series_scrapes_of(&bandwidth->set, at, &first);
    int64_t begin = -1, end = -1;
    for (uint32_t i = first; i < first + count; i++)
        if (bandwidth->set.scrapes.items[i].is_read &&
            bandwidth->chain.items[i].source != CHAIN_UNKNOWN) {
            begin = begin < 0 ? i : begin;
            end = i;
        }
    if (begin < 0 || end == begin)
        return;
    struct bandwidth_interval whole = {.tps = NAN, .block_seconds = NAN};
    double const seconds = (double)(bandwidth->set.scrapes.items[end].time_us -
                                    bandwidth->set.scrapes.items[begin].time_us) /
                           1e6;
    fill_chain(bandwidth, (uint32_t)begin, (uint32_t)end, seconds, &whole);
    node->tps = whole.tps;
    node->block_seconds = whole.block_seconds;
    node->chain = bandwidth->chain.items[end].source;
}

static void fill_others(struct bandwidth *bandwidth, uint32_t at)
{
    struct bandwidth_node *node = &bandwidth->nodes.items[at];
    const char *pool = traffic_pool(bandwidth->run, at);
    double verify_ms = NAN, verified = NAN;
    size_t count;
    const uint32_t *own = series_of_node(&bandwidth->set, at, &count);
    for (size_t i = 0; i < count; i++) {
        const struct series *series = &bandwidth->set.series.items[own[i]];
        if (is_name(series->is->name, pool))
            fill_pool(node, series);
        else if (is_name(series->is->name, VERIFY_MS))
            verify_ms = last_value(series);
        else if (is_name(series->is->name, VERIFY_GOOD))
            verified = last_value(series);
    }
    node->verify_ms = isfinite(verify_ms / verified) ? verify_ms / verified : NAN;
    fill_whole_run(bandwidth, at);
    vec_each (interval, &node->intervals)
        node->restarts += interval->is_restart;
}

static int make_nodes(struct bandwidth *bandwidth, const struct bandwidth_question *question)
{
    for (uint32_t i = 0; i < bandwidth->run->nodes.count; i++) {
        struct bandwidth_node const node = {.tps = NAN,
                                            .block_seconds = NAN,
                                            .pool_min = NAN,
                                            .pool_mean = NAN,
                                            .pool_max = NAN,
                                            .verify_ms = NAN};
        if (!vec_push(&bandwidth->nodes, node) || make_intervals(bandwidth, i) < 0)
            return -ENOMEM;
        judge_intervals(&bandwidth->nodes.items[i], question->least_tps);
    }
    vec_each (series, &bandwidth->set.series)
        if (add_traffic(bandwidth, series) < 0)
            return -ENOMEM;
    for (uint32_t i = 0; i < bandwidth->run->nodes.count; i++)
        fill_others(bandwidth, i);
    return 0;
}

int bandwidth_read(struct bandwidth *bandwidth, const struct run *run,
                   const struct bandwidth_question *question, struct fault *fault)
{
    struct wanting wanting;
    *bandwidth = (struct bandwidth){.run = run};
    int err = wanting_init(&wanting, run);
    if (err)
        fault_set(fault, err, "out of memory");
    else
        err = series_read(&bandwidth->set, run, question->all_counters ? NULL : is_wanted, &wanting,
                          fault);
    vec_free(&wanting.nodes);
    if (err)
        return err;
    err = chain_points_read(&bandwidth->set, &bandwidth->chain, &bandwidth->bad_headers);
    if (!err)
        err = make_nodes(bandwidth, question);
    if (err) {
        bandwidth_fini(bandwidth);
        return fault_set(fault, err, "out of memory while reading the metrics of %s", run->path);
    }
    return 0;
}

void bandwidth_fini(struct bandwidth *bandwidth)
{
    vec_each (node, &bandwidth->nodes) {
        vec_each (tag, &node->tags)
            free(tag->name);
        vec_free(&node->tags);
        vec_free(&node->intervals);
    }
    vec_free(&bandwidth->nodes);
    vec_free(&bandwidth->chain);
    series_fini(&bandwidth->set);
}
