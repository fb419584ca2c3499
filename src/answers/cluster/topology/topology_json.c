/* SPDX-License-Identifier: Apache-2.0 */
/* topology_json.c - the file of the original's topology scripts, out and in. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_in.h"
#include "base/json_out.h"
#include "cluster/topology/topology.h"

#define NAME_MAX_BYTES 256

static void put_edge(struct json_out *json, const struct topology *topology,
                     const struct topology_edge *edge, bool times)
{
    char time[LOG_TIME_MAX];
    json_array_begin_inline(json);
    json_text(json, topology->nodes.items[edge->from].name);
    json_text(json, topology->nodes.items[edge->to].name);
    if (times && edge->time_us != INT64_MIN) {
        json_object_begin(json);
        json_text_field(json, "dt", log_date_render(edge->time_us, time));
        json_object_end(json);
    }
    json_array_end(json);
}

int topology_json_write(const struct topology *topology, bool times, FILE *out)
{
    struct json_out json;
    json_init(&json, out, true);
    json_object_begin(&json);
    json_key(&json, "mapping");
    json_object_begin(&json);
    vec_each (alias, &topology->aliases)
        json_text_field(&json, alias->id, alias->name);
    json_object_end(&json);
    json_key(&json, "nodes");
    json_array_begin(&json);
    vec_each (node, &topology->nodes)
        json_text(&json, node->name);
    json_array_end(&json);
    json_key(&json, "edges");
    json_array_begin(&json);
    vec_each (edge, &topology->edges)
        put_edge(&json, topology, edge, times);
    json_array_end(&json);
    json_object_end(&json);
    return json_finish(&json);
}

static int time_order(const void *left, const void *right)
{
    const struct topology_edge *a = left, *b = right;
    return (a->time_us > b->time_us) - (a->time_us < b->time_us);
}

int topology_times_write(const struct topology *topology, FILE *out)
{
    size_t const count = topology->edges.count;
    struct topology_edge *edges = calloc(count ? count : 1, sizeof(*edges));
    char time[LOG_TIME_MAX];
    if (!edges)
        return -ENOMEM;
    if (count > 0) {
        memcpy(edges, topology->edges.items, count * sizeof(*edges));
        qsort(edges, count, sizeof(*edges), time_order);
    }
    for (size_t i = 0; i < count; i++) {
        if (edges[i].time_us == INT64_MIN)
            snprintf(time, sizeof(time), "%-15s", "-");
        else
            log_clock_render(edges[i].time_us, time);
        fprintf(out, "%s %s -> %s\n", time, topology->nodes.items[edges[i].from].name,
                topology->nodes.items[edges[i].to].name);
    }
    free(edges);
    return 0;
}

/* The third member of an edge, if there is one. */
static int64_t read_edge_time(struct json_in *json)
{
    int64_t time_us = INT64_MIN;
    char key[16], text[64];
    for (json_in_object(json); json_in_key(json, key, sizeof(key));)
        if (strcmp(key, "dt") == 0 && json_in_text(json, text, sizeof(text)))
            log_time_parse(text, &time_us);
        else
            json_in_skip(json);
    return time_us;
}

static int read_edge(struct topology *topology, struct json_in *json)
{
    char ends[2][NAME_MAX_BYTES] = {"", ""};
    int64_t time_us = INT64_MIN;
    size_t member = 0;
    for (json_in_array(json); json_in_item(json); member++) {
        if (member < 2)
            json_in_text(json, ends[member], sizeof(ends[0]));
        else if (member == 2)
            time_us = read_edge_time(json);
        else
            json_in_skip(json);
    }
    if (json->failed || member < 2 || !ends[0][0] || !ends[1][0])
        return -EBADMSG;
    return topology_add(topology, ends[0], ends[1], time_us);
}

/* "nodes": names or ids; both become aliases of themselves until the mapping is known. */
static int read_names(struct topology *topology, struct json_in *json, bool is_mapping)
{
    char id[NAME_MAX_BYTES], name[NAME_MAX_BYTES];
    while (is_mapping ? json_in_key(json, id, sizeof(id)) : json_in_item(json)) {
        if (!json_in_text(json, name, sizeof(name)))
            return -EBADMSG;
        struct topology_node node = {.name = strdup(name), .id = is_mapping ? strdup(id) : NULL};
        bool const fits = topology->nodes.count + topology->aliases.count < TOPOLOGY_NODES_MAX;
        if (!fits || !node.name || (is_mapping && !node.id) ||
            !(is_mapping ? vec_push(&topology->aliases, node) : vec_push(&topology->nodes, node))) {
            free(node.name);
            free(node.id);
            return fits ? -ENOMEM : -E2BIG;
        }
    }
    return 0;
}

/* Ids among the nodes are called by their names, and each node stands once. */
static void apply_mapping(struct topology *topology)
{
    size_t kept = 0;
    vec_each (node, &topology->nodes) {
        vec_each (alias, &topology->aliases)
            if (strcmp(alias->id, node->name) == 0) {
                char *name = strdup(alias->name);
                if (name) {
                    free(node->name);
                    node->name = name;
                }
                break;
            }
        bool is_known = false;
        for (size_t i = 0; i < kept && !is_known; i++)
            is_known = strcmp(topology->nodes.items[i].name, node->name) == 0;
        if (is_known)
            free(node->name);
        else
            topology->nodes.items[kept++] = *node;
    }
    topology->nodes.count = kept;
}

int topology_read_json(struct topology *topology, struct slice text, struct fault *fault)
{
    struct json_in json = {.text = text};
    char key[16];
    int err = 0;
    for (json_in_object(&json); !err && json_in_key(&json, key, sizeof(key));) {
        if (strcmp(key, "mapping") == 0 && json_in_object(&json))
            err = read_names(topology, &json, true);
        else if (strcmp(key, "nodes") == 0 && json_in_array(&json))
            err = read_names(topology, &json, false);
        else if (strcmp(key, "edges") == 0)
            for (json_in_array(&json); !err && json_in_item(&json);)
                err = read_edge(topology, &json);
        else
            json_in_skip(&json);
    }
    if (!err && json.failed)
        err = -EBADMSG;
    if (err)
        return fault_set(
            fault, err,
            err == -EBADMSG
                ? "the file is not a topology: {\"mapping\":{},\"nodes\":[],\"edges\":[]} is what "
                  "memoir topology writes"
                : "the file has too many nodes or edges");
    apply_mapping(topology);
    return 0;
}
