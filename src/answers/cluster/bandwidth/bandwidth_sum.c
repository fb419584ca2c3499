/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/bandwidth/bandwidth.h"
#include "cluster/bandwidth/traffic_names.h"

/* A mean over what is known. */
struct mean {
    double sum;
    uint32_t count;
};

static void mean_add(struct mean *mean, double value)
{
    if (isnan(value))
        return;
    mean->sum += value;
    mean->count++;
}

static double mean_of(struct mean mean)
{
    return mean.count ? mean.sum / mean.count : NAN;
}

/* Sent, received, and both of p2p, each the mean over the counted intervals of a node. */
static void node_rates(const struct bandwidth_node *node, double rates[4])
{
    struct mean means[4] = {{0}};
    vec_each (interval, &node->intervals) {
        if (!interval->is_counted)
            continue;
        mean_add(&means[0], interval->sent);
        mean_add(&means[1], interval->received);
        mean_add(&means[2], interval->p2p_sent);
        mean_add(&means[3], interval->p2p_received);
    }
    for (int i = 0; i < 4; i++)
        rates[i] = mean_of(means[i]);
}

static void add_pool(struct bandwidth_sum *sum, const struct bandwidth_node *node,
                     struct mean *means)
{
    sum->pool[0] = fmin(sum->pool[0], node->pool_min);
    sum->pool[1] = fmin(sum->pool[1], node->pool_mean);
    sum->pool[3] = fmax(sum->pool[3], node->pool_mean);
    sum->pool[4] = fmax(sum->pool[4], node->pool_max);
    mean_add(means, node->pool_mean);
}

static int add_tags(struct bandwidth_sum *sum, const struct bandwidth_node *node)
{
    for (int i = 0; i < 2; i++) {
        sum->totals[i].sent_bytes += node->totals[i].sent_bytes;
        sum->totals[i].received_bytes += node->totals[i].received_bytes;
    }
    vec_each (tag, &node->tags) {
        struct bandwidth_tag *into = NULL;
        vec_each (known, &sum->tags)
            if (known->is_p2p == tag->is_p2p && strcmp(known->name, tag->name) == 0)
                into = known;
        if (into) {
            into->sent_bytes += tag->sent_bytes;
            into->received_bytes += tag->received_bytes;
        } else if (!vec_push(&sum->tags, *tag)) {
            return -ENOMEM;
        }
    }
    return 0;
}

static int tag_order(const void *left, const void *right)
{
    const struct bandwidth_tag *a = left, *b = right;
    if (a->is_p2p != b->is_p2p)
        return a->is_p2p ? 1 : -1;
    if (a->received_bytes != b->received_bytes)
        return a->received_bytes > b->received_bytes ? -1 : 1;
    if (a->sent_bytes != b->sent_bytes)
        return a->sent_bytes > b->sent_bytes ? -1 : 1;
    return strcmp(a->name, b->name);
}

static void divide_tags(struct bandwidth_sum *sum, double seconds)
{
    for (int i = 0; i < 2; i++) {
        sum->totals[i].sent_bytes /= seconds;
        sum->totals[i].received_bytes /= seconds;
    }
    vec_each (tag, &sum->tags) {
        tag->sent_bytes /= seconds;
        tag->received_bytes /= seconds;
    }
    if (sum->tags.count)
        qsort(sum->tags.items, sum->tags.count, sizeof(sum->tags.items[0]), tag_order);
}

int bandwidth_sum_make(const struct bandwidth *bandwidth, const struct node_group *group,
                       struct bandwidth_sum *sum)
{
    struct mean tps = {0}, block = {0}, rates[4] = {{0}}, pool = {0}, verify = {0};
    double seconds = 0;
    *sum = (struct bandwidth_sum){
        .pool = {NAN, NAN, NAN, NAN, NAN}, .verify_min = NAN, .verify_max = NAN};
    vec_each (at, &group->nodes) {
        const struct bandwidth_node *node = &bandwidth->nodes.items[*at];
        double of_node[4];
        if (!node->has_metrics)
            continue;
        sum->nodes++;
        sum->without_chain += isnan(node->tps);
        sum->by_metrics += node->chain == CHAIN_METRICS;
        sum->has_p2p |= traffic_has_p2p(bandwidth->run, *at);
        mean_add(&tps, node->tps);
        mean_add(&block, node->block_seconds);
        node_rates(node, of_node);
        for (int i = 0; i < 4; i++)
            mean_add(&rates[i], of_node[i]);
        add_pool(sum, node, &pool);
        sum->verify_min = fmin(sum->verify_min, node->verify_ms);
        sum->verify_max = fmax(sum->verify_max, node->verify_ms);
        mean_add(&verify, node->verify_ms);
        seconds += node->counted_seconds;
        if (add_tags(sum, node) < 0) {
            bandwidth_sum_fini(sum);
            return -ENOMEM;
        }
    }
    sum->tps = mean_of(tps);
    sum->block_seconds = mean_of(block);
    sum->sent = mean_of(rates[0]);
    sum->received = mean_of(rates[1]);
    sum->p2p_sent = mean_of(rates[2]);
    sum->p2p_received = mean_of(rates[3]);
    sum->pool[2] = mean_of(pool);
    sum->verify_mean = mean_of(verify);
    divide_tags(sum, seconds > 0 ? seconds : 1);
    return 0;
}

void bandwidth_sum_fini(struct bandwidth_sum *sum)
{
    vec_free(&sum->tags);
}
