/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/topology/topology.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/runs/host_port.h"
#include "report/rows/name_columns.h"

#define PEER_ID_SIZE 52u

void topology_init(struct topology *topology, enum topology_kind kind,
                   const struct inventory *inventory)
{
    *topology = (struct topology){.kind = kind, .inventory = inventory};
}

void topology_fini(struct topology *topology)
{
    vec_each (node, &topology->nodes) {
        free(node->name);
        free(node->id);
    }
    vec_each (alias, &topology->aliases) {
        free(alias->name);
        free(alias->id);
    }
    vec_each (loose, &topology->loose) {
        free(loose->from);
        free(loose->to);
    }
    vec_free(&topology->nodes);
    vec_free(&topology->edges);
    vec_free(&topology->loose);
    vec_free(&topology->aliases);
}

size_t topology_name_columns(const struct topology *topology, size_t least)
{
    const char **names = calloc(topology->nodes.count + 1, sizeof(*names));
    size_t count = 0;
    vec_each (node, &topology->nodes)
        if (names)
            names[count++] = node->name;
    size_t const columns = name_columns(names, count, least);
    free(names);
    return columns;
}

const char *topology_short_name(const char *name, char *out)
{
    static const char *const words[][2] = {
        {"nonParticipatingNode", "NPN"}, {"relay", "R"}, {"node", "N"}};
    for (size_t i = 0; i < 3; i++) {
        size_t const size = strlen(words[i][0]);
        if (strncmp(name, words[i][0], size) == 0 && isdigit((unsigned char)name[size])) {
            snprintf(out, 256, "%s%s", words[i][1], name + size);
            return out;
        }
    }
    snprintf(out, 256, "%s", name);
    return out;
}

/* The id after `before` in a text: letters and digits, as many as a peer's id has. */
static bool find_peer(const char *text, const char *before, char id[PEER_ID_SIZE + 1])
{
    const char *at = strstr(text, before);
    size_t size = 0;
    if (!at)
        return false;
    at += strlen(before);
    while (size <= PEER_ID_SIZE && isalnum((unsigned char)at[size]))
        size++;
    if (size != PEER_ID_SIZE)
        return false;
    memcpy(id, at, PEER_ID_SIZE);
    id[PEER_ID_SIZE] = '\0';
    return true;
}

static int add_alias(struct topology *topology, const char *id, const char *name)
{
    struct topology_node alias = {.name = strdup(name), .id = strdup(id)};
    if (alias.name && alias.id && topology->aliases.count < TOPOLOGY_NODES_MAX * 4 &&
        vec_push(&topology->aliases, alias))
        return 0;
    free(alias.name);
    free(alias.id);
    return -ENOMEM;
}

int topology_add(struct topology *topology, const char *from, const char *to, int64_t time_us)
{
    struct topology_loose loose = {strdup(from), strdup(to), time_us};
    if (loose.from && loose.to && topology->loose.count < TOPOLOGY_EDGES_MAX &&
        vec_push(&topology->loose, loose))
        return 0;
    free(loose.from);
    free(loose.to);
    return -ENOMEM;
}

static int add_node(struct topology *topology, const char *name)
{
    if (topology->last_node < topology->nodes.count &&
        strcmp(topology->nodes.items[topology->last_node].name, name) == 0)
        return 0;
    vec_each (node, &topology->nodes)
        if (strcmp(node->name, name) == 0) {
            topology->last_node = (size_t)(node - topology->nodes.items);
            return 0;
        }
    struct topology_node node = {.name = strdup(name)};
    if (node.name && topology->nodes.count < TOPOLOGY_NODES_MAX && vec_push(&topology->nodes, node))
        return 0;
    free(node.name);
    return -ENOMEM;
}

/* "r1.example.org:4560" is R1; an address is who the inventory says. */
static void name_target(const struct topology *topology, const char *remote, char name[256])
{
    struct host_port host;
    const char *text = strstr(remote, "://");
    text = text ? text + 3 : remote;
    size_t const size = strcspn(text, "/");
    const char *known = NULL;
    snprintf(name, 256, "%.*s", (int)size, text);
    if (host_port_parse((struct slice){text, size}, &host) < 0)
        return;
    if (topology->inventory)
        known = inventory_name_of(topology->inventory, name);
    if (!known && !host.is_ipv6 && strspn(host.host, "0123456789.") != strlen(host.host)) {
        host.host[strcspn(host.host, ".")] = '\0';
        known = host.host;
    }
    if (!known)
        return;
    snprintf(name, 256, "%s", known);
    for (char *letter = name; *letter; letter++)
        *letter = (char)toupper((unsigned char)*letter);
}

static int add_outgoing(struct topology *topology, const char *name, const struct log_event *event)
{
    char from[PEER_ID_SIZE + 1], to[PEER_ID_SIZE + 1], target[256];
    bool const is_peer = find_peer(event->message, "connection to peer ", to);
    if (topology->kind == TOPOLOGY_P2P || (topology->kind == TOPOLOGY_BY_LOGS && is_peer)) {
        if (!is_peer)
            return 0;
        bool const told = find_peer(event->local, "/p2p/", from);
        return topology_add(topology, told ? from : name, to, event->time_us);
    }
    if (event->remote[0] == '\0')
        return 0;
    if (topology->kind == TOPOLOGY_WS_E2E)
        snprintf(target, sizeof(target), "%s", event->remote);
    else
        name_target(topology, event->remote, target);
    return topology_add(topology, name, target, event->time_us);
}

/* "serving genesisID ... on http://127.0.0.1:4160 with ...": the address is this node's. */
static int add_serving(struct topology *topology, const char *name, const char *message)
{
    char address[256];
    const char *on = strstr(message, " on ");
    if (!on)
        return 0;
    on += 4;
    on += strspn(on, "\"' ");
    const char *scheme = strstr(on, "://");
    if (scheme && (size_t)(scheme - on) < 6)
        on = scheme + 3;
    snprintf(address, sizeof(address), "%.*s", (int)strcspn(on, " \"'/,"), on);
    return address[0] ? add_alias(topology, address, name) : 0;
}

int topology_handle(void *context, const char *node, const struct log_event *event)
{
    struct topology *topology = context;
    char name[256], id[PEER_ID_SIZE + 1];
    const char *message = event->message;
    topology_short_name(node, name);
    int err = add_node(topology, name);
    if (err)
        return err;
    if (find_peer(message, "P2P host created: peer ID ", id))
        return add_alias(topology, id, name);
    if (strncmp(message, "serving genesisID", 17) == 0)
        return add_serving(topology, name, message);
    if (strstr(message, "Made outgoing connection to peer"))
        return add_outgoing(topology, name, event);
    topology->incoming += strstr(message, "Accepted incoming connection") != NULL;
    return 0;
}

static int name_order(const void *left, const void *right)
{
    const struct topology_node *a = left, *b = right;
    return strverscmp(a->name, b->name);
}

static int alias_order(const void *left, const void *right)
{
    const struct topology_node *a = left, *b = right;
    return strcmp(a->id, b->id);
}

static int64_t find_name(const struct topology *topology, const char *name)
{
    struct topology_node const key = {.name = (char *)name};
    const struct topology_node *found =
        topology->nodes.count
            ? bsearch(&key, topology->nodes.items, topology->nodes.count, sizeof(key), name_order)
            : NULL;
    return found ? found - topology->nodes.items : -1;
}

int64_t topology_find(const struct topology *topology, const char *text)
{
    int64_t const node = find_name(topology, text);
    if (node >= 0 || topology->aliases.count == 0)
        return node;
    struct topology_node const key = {.id = (char *)text};
    const struct topology_node *alias =
        bsearch(&key, topology->aliases.items, topology->aliases.count, sizeof(key), alias_order);
    return alias ? find_name(topology, alias->name) : -1;
}

static int edge_order(const void *left, const void *right)
{
    const struct topology_edge *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return (a->time_us > b->time_us) - (a->time_us < b->time_us);
}

static void sort_nodes(struct topology *topology)
{
    if (topology->nodes.count > 0)
        qsort(topology->nodes.items, topology->nodes.count, sizeof(topology->nodes.items[0]),
              name_order);
    if (topology->aliases.count > 0)
        qsort(topology->aliases.items, topology->aliases.count, sizeof(topology->aliases.items[0]),
              alias_order);
}

/* An end without a log is a node all the same, by its id; in a test's log it is a stranger. */
static int add_unknown(struct topology *topology)
{
    size_t const known = topology->nodes.count;
    if (topology->kind == TOPOLOGY_WS_E2E)
        return 0;
    vec_each (loose, &topology->loose) {
        const char *const ends[] = {loose->from, loose->to};
        for (size_t i = 0; i < 2; i++) {
            size_t const count = topology->nodes.count;
            topology->nodes.count = known; /* those are in order */
            int64_t const found = topology_find(topology, ends[i]);
            topology->nodes.count = count;
            if (found < 0 && add_node(topology, ends[i]) < 0)
                return -ENOMEM;
        }
    }
    sort_nodes(topology);
    return 0;
}

int topology_finish(struct topology *topology)
{
    sort_nodes(topology);
    if (add_unknown(topology) < 0)
        return -ENOMEM;
    vec_each (alias, &topology->aliases) {
        int64_t const node = find_name(topology, alias->name);
        if (node >= 0 && !topology->nodes.items[node].id &&
            !(topology->nodes.items[node].id = strdup(alias->id)))
            return -ENOMEM;
    }
    vec_each (loose, &topology->loose) {
        int64_t const from = topology_find(topology, loose->from);
        int64_t const to = topology_find(topology, loose->to);
        if (from < 0 || to < 0)
            topology->dropped++;
        else if (!vec_push(&topology->edges,
                           (struct topology_edge){(uint32_t)from, (uint32_t)to, loose->time_us}))
            return -ENOMEM;
    }
    if (topology->edges.count > 0)
        qsort(topology->edges.items, topology->edges.count, sizeof(topology->edges.items[0]),
              edge_order);
    return 0;
}
