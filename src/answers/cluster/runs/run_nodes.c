/* SPDX-License-Identifier: Apache-2.0 */
/* run_nodes.c - the nodes of a run: found by nick, kept in order of name. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_out.h"
#include "cluster/runs/inventory.h"
#include "cluster/runs/run_parts.h"

static int nick_compare(const char *known, const char *nick, size_t size)
{
    int const order = strncmp(known, nick, size);
    return order != 0 ? order : known[size] != '\0';
}

/* Where in by_nick the nick stands or would stand. */
static size_t nick_place(const struct run *run, const char *nick, size_t size)
{
    const struct run_node *nodes = run->nodes.items;
    return vec_lower_bound(&run->by_nick, number,
                           nick_compare(nodes[*number].nick, nick, size) < 0);
}

int64_t run_node_find(const struct run *run, const char *nick, size_t size)
{
    size_t const place = nick_place(run, nick, size);
    if (place >= run->by_nick.count)
        return -1;
    uint32_t const node = run->by_nick.items[place];
    return nick_compare(run->nodes.items[node].nick, nick, size) == 0 ? (int64_t)node : -1;
}

int64_t run_node_of(const struct run *run, const char *nick)
{
    return run_node_find(run, nick, strlen(nick));
}

struct run_node *run_node_add(struct run *run, const char *nick, size_t size)
{
    struct run_node node = {.nick = strndup(nick, size)};
    size_t const place = nick_place(run, nick, size);
    if (!node.nick || run->nodes.count >= RUN_NODES_MAX || !vec_reserve(&run->by_nick, 1) ||
        !vec_push(&run->nodes, node)) {
        free(node.nick);
        return NULL;
    }
    uint32_t *at = run->by_nick.items + place;
    memmove(at + 1, at, (run->by_nick.count - place) * sizeof(*at));
    *at = (uint32_t)(run->nodes.count - 1);
    run->by_nick.count++;
    return &run->nodes.items[run->nodes.count - 1];
}

/* As reports say it: the inventory spells out what names shorten. */
static const char *role_word(const char *role)
{
    return strcmp(role, "nonparticipatingnode") == 0 ? "npn" : role;
}

int run_name_nodes(struct run *run, const struct inventory *inventory)
{
    vec_each (node, &run->nodes) {
        const char *name = inventory ? inventory_name_of(inventory, node->nick) : NULL;
        const char *role = inventory ? inventory_role_of(inventory, node->nick) : NULL;
        if (!node->name && run_text_set(&node->name, name ? name : node->nick))
            return -ENOMEM;
        role = role ? role_word(role) : role_of_name(node->name);
        if ((!node->role && run_text_set(&node->role, role)) ||
            (!node->class_name && run_text_set(&node->class_name, "algod")))
            return -ENOMEM;
    }
    return 0;
}

static int by_name(const void *left, const void *right)
{
    const struct run_node *a = left, *b = right;
    int const order = strverscmp(a->name, b->name);
    return order != 0 ? order : strcmp(a->nick, b->nick);
}

static int by_nick(const void *left, const void *right, void *context)
{
    const struct run *run = context;
    uint32_t const *a = left, *b = right;
    return strcmp(run->nodes.items[*a].nick, run->nodes.items[*b].nick);
}

void run_sort_nodes(struct run *run)
{
    if (run->nodes.count == 0)
        return;
    qsort(run->nodes.items, run->nodes.count, sizeof(run->nodes.items[0]), by_name);
    for (size_t i = 0; i < run->by_nick.count; i++)
        run->by_nick.items[i] = (uint32_t)i;
    qsort_r(run->by_nick.items, run->by_nick.count, sizeof(run->by_nick.items[0]), by_nick, run);
}

void run_node_write(struct json_out *json, const struct run_node *node)
{
    json_text_field(json, "name", node->name);
    json_text_field(json, "nick", node->nick);
    json_text_field(json, "role", node->role);
    json_text_field(json, "class", node->class_name);
    json_uint_field(json, "gaps", node->gaps);
}
