/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/topology/topology_measures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Neighbours of node n: items[first[n]] up to items[first[n + 1]], rising. */
struct topology_links {
    size_t *first;
    uint32_t *items;
};

struct topology_work {
    size_t count;
    struct topology_links to, from, both;
    uint32_t *queue, *distance;
    double *share;
};

#define FAR UINT32_MAX

static void links_fini(struct topology_links *links)
{
    free(links->first);
    free(links->items);
}

struct pair {
    uint32_t a, b;
};

static int pair_order(const void *left, const void *right)
{
    const struct pair *x = left, *y = right;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

/* Takes the pairs, which may come twice. */
static int links_make(struct topology_links *links, size_t count, struct pair *pairs,
                      size_t pair_count)
{
    links->first = calloc(count + 1, sizeof(*links->first));
    links->items = calloc(pair_count + 1, sizeof(*links->items));
    if (!links->first || !links->items)
        return -ENOMEM;
    if (pair_count > 0)
        qsort(pairs, pair_count, sizeof(*pairs), pair_order);
    size_t used = 0, node = 0;
    for (size_t i = 0; i < pair_count; i++) {
        if (i > 0 && pair_order(&pairs[i - 1], &pairs[i]) == 0)
            continue;
        while (node < pairs[i].a)
            links->first[++node] = used;
        links->items[used++] = pairs[i].b;
    }
    while (node < count)
        links->first[++node] = used;
    return 0;
}

static int make_all_links(struct topology_work *work, const struct topology *topology)
{
    struct pair *pairs = calloc(2 * topology->edges.count + 1, sizeof(*pairs));
    struct topology_links *const kinds[] = {&work->to, &work->from, &work->both};
    int err = pairs ? 0 : -ENOMEM;
    for (size_t kind = 0; kind < 3 && !err; kind++) {
        size_t used = 0;
        vec_each (edge, &topology->edges) {
            if (edge->from == edge->to)
                continue;
            if (kind != 1)
                pairs[used++] = (struct pair){edge->from, edge->to};
            if (kind != 0)
                pairs[used++] = (struct pair){edge->to, edge->from};
        }
        err = links_make(kinds[kind], work->count, pairs, used);
    }
    free(pairs);
    return err;
}

/* Distances from `source`; how many nodes it reaches, with itself, nearest first in the queue. */
static size_t walk(struct topology_work *work, const struct topology_links *links, uint32_t source)
{
    size_t reached = 0;
    for (size_t i = 0; i < work->count; i++)
        work->distance[i] = FAR;
    work->distance[source] = 0;
    work->queue[reached++] = source;
    for (size_t i = 0; i < reached; i++) {
        uint32_t const node = work->queue[i];
        for (size_t at = links->first[node]; at < links->first[node + 1]; at++) {
            uint32_t const next = links->items[at];
            if (work->distance[next] != FAR)
                continue;
            work->distance[next] = work->distance[node] + 1;
            work->queue[reached++] = next;
        }
    }
    return reached;
}

/* Each node a source reaches sends one packet back; whoever passes it on is loaded with its
 * part. */
static void add_load(struct topology_work *work, uint32_t source, struct node_measures *nodes)
{
    size_t const reached = walk(work, &work->to, source);
    for (size_t i = 0; i < reached; i++)
        work->share[work->queue[i]] = 1;
    for (size_t i = reached; i-- > 1;) {
        uint32_t const node = work->queue[i];
        size_t before = 0;
        for (size_t at = work->from.first[node]; at < work->from.first[node + 1]; at++)
            before += work->distance[work->from.items[at]] + 1 == work->distance[node];
        for (size_t at = work->from.first[node]; at < work->from.first[node + 1]; at++) {
            uint32_t const previous = work->from.items[at];
            if (previous != source && work->distance[previous] + 1 == work->distance[node])
                work->share[previous] += work->share[node] / (double)before;
        }
    }
    for (size_t i = 1; i < reached; i++)
        nodes[work->queue[i]].load_centrality += work->share[work->queue[i]] - 1;
}

static bool is_linked(const struct topology_links *links, uint32_t a, uint32_t b)
{
    size_t low = links->first[a], high = links->first[a + 1];
    while (low < high) {
        size_t const middle = low + (high - low) / 2;
        if (links->items[middle] < b)
            low = middle + 1;
        else
            high = middle;
    }
    return low < links->first[a + 1] && links->items[low] == b;
}

static void measure_triangles(const struct topology_work *work, struct topology_measures *measures)
{
    double closed = 0, open = 0, sum = 0;
    for (uint32_t node = 0; node < work->count; node++) {
        size_t const begin = work->both.first[node], end = work->both.first[node + 1];
        double const pairs = (double)(end - begin) * (double)(end - begin - (end > begin)) / 2;
        double linked = 0;
        for (size_t i = begin; i < end; i++)
            for (size_t k = i + 1; k < end; k++)
                linked += is_linked(&work->both, work->both.items[i], work->both.items[k]);
        closed += linked;
        open += pairs;
        sum += pairs > 0 ? linked / pairs : 0;
    }
    measures->transitivity = open > 0 ? closed / open : 0;
    measures->mean_clustering = work->count ? sum / (double)work->count : 0;
}

static void measure_paths(struct topology_work *work, struct topology_measures *measures)
{
    double sum = 0, pairs = 0;
    for (uint32_t node = 0; node < work->count; node++) {
        size_t const reached = walk(work, &work->both, node);
        for (size_t i = 1; i < reached; i++)
            sum += work->distance[work->queue[i]];
        pairs += (double)(reached - 1);
        measures->apart += work->count - reached;
    }
    measures->apart /= 2; /* seen from both ends */
    measures->mean_path = pairs > 0 ? sum / pairs : 0;
}

static void measure_nodes(struct topology_work *work, struct topology_measures *measures)
{
    double const others = work->count > 1 ? (double)(work->count - 1) : 1;
    double const paths = work->count > 2 ? others * (others - 1) : 1;
    for (uint32_t node = 0; node < work->count; node++)
        add_load(work, node, measures->nodes);
    for (uint32_t node = 0; node < work->count; node++) {
        struct node_measures *about = &measures->nodes[node];
        about->in = (uint32_t)(work->from.first[node + 1] - work->from.first[node]);
        about->out = (uint32_t)(work->to.first[node + 1] - work->to.first[node]);
        about->degree_centrality = (about->in + about->out) / others;
        about->load_centrality /= paths;
        measures->edges += about->out;
    }
}

int topology_measure(const struct topology *topology, struct topology_measures *measures)
{
    struct topology_work work = {.count = topology->nodes.count};
    size_t const room = work.count + 1;
    memset(measures, 0, sizeof(*measures));
    measures->nodes = calloc(room, sizeof(*measures->nodes));
    work.queue = calloc(room, sizeof(*work.queue));
    work.distance = calloc(room, sizeof(*work.distance));
    work.share = calloc(room, sizeof(*work.share));
    int err = measures->nodes && work.queue && work.distance && work.share ? 0 : -ENOMEM;
    if (!err)
        err = make_all_links(&work, topology);
    if (!err) {
        measure_nodes(&work, measures);
        measure_triangles(&work, measures);
        measure_paths(&work, measures);
    }
    links_fini(&work.to);
    links_fini(&work.from);
    links_fini(&work.both);
    free(work.queue);
    free(work.distance);
    free(work.share);
    return err;
}

void topology_measures_fini(struct topology_measures *measures)
{
    free(measures->nodes);
    measures->nodes = NULL;
}
