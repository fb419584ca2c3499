/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/bandwidth/traffic_names.h"

#include <stdio.h>
#include <string.h>

#define LIST_MAX 8u

/* For runs without a manifest. */
struct known_class {
    const char *name;
    const char *sent[LIST_MAX], *received[LIST_MAX];
    const char *pool, *height, *transactions, *heap;
};
static const struct known_class known_classes[] = {
    {"algod",
     {"algod_network_sent_bytes_total", "algod_network_p2p_sent_bytes_total",
      "algod_network_sent_bytes_*", "algod_network_p2p_sent_bytes_*"},
     {"algod_network_received_bytes_total", "algod_network_p2p_received_bytes_total",
      "algod_network_received_bytes_*", "algod_network_p2p_received_bytes_*"},
     "algod_tx_pool_count",
     "algod_ledger_round",
     "algod_ledger_transactions_total",
     "algod_go_memory_classes_heap_objects_bytes"},
    {"etcd",
     {"etcd_network_peer_sent_bytes_total", "etcd_network_client_grpc_sent_bytes_total"},
     {"etcd_network_peer_received_bytes_total", "etcd_network_client_grpc_received_bytes_total"},
     "etcd_server_proposals_pending",
     "etcd_server_proposals_applied_total",
     "etcd_server_proposals_applied_total",
     "go_memstats_heap_alloc_bytes"}};

static const struct known_class *known_class_of(const struct run *run, uint32_t node)
{
    const char *name = run->nodes.items[node].class_name;
    if (!name || !*name)
        return &known_classes[0];
    for (size_t i = 0; i < sizeof(known_classes) / sizeof(known_classes[0]); i++)
        if (strcmp(name, known_classes[i].name) == 0)
            return &known_classes[i];
    return NULL;
}

/* The names for one way: the manifest's, else the known ones.  How many. */
static size_t names_of(const struct run *run, uint32_t node, bool is_sent,
                       const char *names[LIST_MAX])
{
    const struct run_class *class = run_class_of(run, node);
    size_t count = 0;
    if (class && class->sent.count + class->received.count > 0) {
        const run_texts *texts = is_sent ? &class->sent : &class->received;
        for (; count < texts->count && count < LIST_MAX; count++)
            names[count] = texts->items[count];
        return count;
    }
    const struct known_class *known = known_class_of(run, node);
    if (!known)
        return 0;
    const char *const *list = is_sent ? known->sent : known->received;
    for (; count < LIST_MAX && list[count]; count++)
        names[count] = list[count];
    return count;
}

static bool is_prefix(const char *name)
{
    size_t const size = strlen(name);
    return size > 1 && name[size - 1] == '*';
}

/* The name without its direction and ending, so that both directions have one. */
static size_t put_base(const char *name, char *tag, size_t room)
{
    static const char *const words[] = {"sent_", "received_", "send_",  "receive_",
                                        "_sent", "_received", "egress", "ingress"};
    size_t const size = strlen(name);
    size_t skip_at = size, skip = 0, used = 0;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && !skip; i++) {
        const char *found = strstr(name, words[i]);
        if (found) {
            skip_at = (size_t)(found - name);
            skip = strlen(words[i]);
        }
    }
    for (size_t i = 0; i < size && used + 1 < room; i++) {
        if (i == skip_at)
            i += skip;
        if (i < size)
            tag[used++] = name[i];
    }
    static const char *const endings[] = {"_bytes_total", "_total", "_bytes", "_"};
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        size_t const ending = strlen(endings[i]);
        if (used > ending && memcmp(tag + used - ending, endings[i], ending) == 0) {
            used -= ending;
            break;
        }
    }
    tag[used] = '\0';
    return used;
}

static void name_part(const struct exposition_series *series, struct traffic_role *role)
{
    size_t used = put_base(series->name, role->tag, sizeof(role->tag));
    for (uint32_t i = 0; i < series->label_count && used + 1 < sizeof(role->tag); i++) {
        int const more =
            snprintf(role->tag + used, sizeof(role->tag) - used, " %s", series->labels[i].value);
        used += more > 0 ? (size_t)more : 0;
    }
}

/* Whether one of the names stands for the series. */
static bool match(const char *const *names, size_t count, const struct exposition_series *series,
                  struct traffic_role *role)
{
    bool has_prefixes = false;
    for (size_t i = 0; i < count; i++)
        has_prefixes |= is_prefix(names[i]);
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], series->name) == 0) {
            role->is_total = true;
            role->is_part = !has_prefixes && (count > 1 || series->label_count);
            if (role->is_part)
                name_part(series, role);
            return true;
        }
    for (size_t i = 0; i < count; i++) {
        size_t const size = strlen(names[i]) - 1;
        if (!is_prefix(names[i]) || strncmp(names[i], series->name, size) != 0 ||
            !series->name[size])
            continue;
        role->is_total = strcmp(series->name + size, "total") == 0;
        role->is_part = !role->is_total;
        snprintf(role->tag, sizeof(role->tag), "%s", series->name + size);
        return true;
    }
    return false;
}

void traffic_role_of(const struct run *run, uint32_t node, const struct exposition_series *series,
                     struct traffic_role *role)
{
    const char *names[LIST_MAX];
    *role = (struct traffic_role){.is_p2p = strstr(series->name, "_p2p_") != NULL};
    if (match(names, names_of(run, node, true, names), series, role))
        role->way = TRAFFIC_SENT;
    else if (match(names, names_of(run, node, false, names), series, role))
        role->way = TRAFFIC_RECEIVED;
    if (!traffic_has_p2p(run, node))
        role->is_p2p = false;
}

bool traffic_has_p2p(const struct run *run, uint32_t node)
{
    const char *names[LIST_MAX];
    size_t const count = names_of(run, node, true, names);
    bool has_p2p = false, has_other = false;
    for (size_t i = 0; i < count; i++) {
        has_p2p |= strstr(names[i], "_p2p_") != NULL;
        has_other |= strstr(names[i], "_p2p_") == NULL;
    }
    return has_p2p && has_other;
}

#define NAME_OF(function, field)                                                                   \
    const char *function(const struct run *run, uint32_t node)                                     \
    {                                                                                              \
        const struct run_class *class = run_class_of(run, node);                                   \
        const struct known_class *known = known_class_of(run, node);                               \
        return class && class->field ? class->field : !class && known ? known->field : NULL;       \
    }
NAME_OF(traffic_pool, pool)
NAME_OF(traffic_height, height)
NAME_OF(traffic_transactions, transactions)

const char *traffic_heap(const struct run *run, uint32_t node)
{
    const struct run_class *class = run_class_of(run, node);
    const struct known_class *known = known_class_of(run, node);
    for (size_t i = 0; class && i < class->heap_metrics.count; i++)
        if (strncmp(class->heap_metrics.items[i], "inuse=", 6) == 0)
            return class->heap_metrics.items[i] + 6;
    return known ? known->heap : NULL;
}
