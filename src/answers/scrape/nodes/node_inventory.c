/* SPDX-License-Identifier: Apache-2.0 */
/* node_inventory.c - takes nodes from an inventory: the hosts of some roles, and of groups whose
 * names match. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cluster/runs/host_port.h"
#include "scrape/nodes/node_inputs.h"
#include "scrape/nodes/node_make.h"

struct node_choice {
    struct node_list *list;
    const struct inventory *inventory;
    const struct node_pattern *pattern;
    const struct node_list_options *options; /* never NULL */
    const char *class_name;
    uint16_t port;
    VEC(struct host_port) added;
};

static bool is_role_group(const struct inventory_group *group)
{
    return strncasecmp(group->name, "role_", 5) == 0;
}

/* "npn" and "nonParticipatingNode" are one role. */
static const char *plain_role(const char *role)
{
    return strcasecmp(role, "nonparticipatingnode") == 0 ? "npn" : role;
}

static bool has_roles(const struct inventory *inventory)
{
    vec_each (group, &inventory->groups)
        if (is_role_group(group))
            return true;
    return false;
}

/* 1, 0 or -errno. */
static int is_chosen(const struct node_choice *choice, const struct inventory_group *group,
                     struct fault *fault)
{
    const struct node_list_options *options = choice->options;
    if (!options->roles.count && !options->name_res.count && !has_roles(choice->inventory))
        return 1; /* nobody says which: all */
    if (is_role_group(group)) {
        const char *role = plain_role(group->name + 5);
        if (!options->roles.count && strcasecmp(role, "relay") == 0)
            return 1;
        vec_each (wanted, &options->roles)
            if (strcasecmp(plain_role(*wanted), role) == 0)
                return 1;
    }
    vec_each (expression, &options->name_res) {
        int const matches = node_re_matches(*expression, group->name, fault);
        if (matches != 0)
            return matches;
    }
    return 0;
}

static bool is_added(const struct node_choice *choice, const struct host_port *host)
{
    vec_each (other, &choice->added)
        if (other->port == host->port && host_equals(other, host))
            return true;
    return false;
}

static int fill(const struct node_choice *choice, struct node *node, const struct host_port *host,
                struct fault *fault)
{
    char address[HOST_PORT_TEXT_MAX];
    host_port_render(host, address);
    node_set(&node->nick, NULL); /* each host has its own */
    int const err = node_set_address(node, address, 0, fault);
    if (err)
        return err;
    const char *name = inventory_name_of(choice->inventory, node->nick);
    const char *role = inventory_role_of(choice->inventory, node->nick);
    if (!role && name)
        role = role_of_name(name);
    if (!node_set(&node->name, name ? name : node->nick) ||
        (role && !(node->role && node->role[0]) && !node_set(&node->role, role)))
        return fault_set(fault, -ENOMEM, "not enough memory for the nodes");
    return 0;
}

static int add_host(struct node_choice *choice, const char *text, struct fault *fault)
{
    struct host_port host;
    if (host_port_parse(slice_of(text), &host) != 0)
        return 0;
    if (host.port == 0)
        host.port = choice->port;
    if (is_added(choice, &host))
        return 0; /* in several of the groups, which is usual */
    if (host.port == 0)
        return fault_set(fault, -EINVAL, "%s has no port, and class %s has none either: say --port",
                         text, choice->class_name);
    struct node *node = node_of_pattern(choice->list, choice->pattern, choice->class_name, fault);
    int err = node ? fill(choice, node, &host, fault) : -EINVAL;
    if (!err && !vec_push(&choice->added, host))
        err = fault_set(fault, -ENOMEM, "not enough memory for the nodes");
    if (err)
        node_destroy(node);
    return err ? err : node_list_take(choice->list, node, fault);
}

static int add_groups(struct node_choice *choice, struct fault *fault)
{
    vec_each (group, &choice->inventory->groups) {
        int const chosen = is_chosen(choice, group, fault);
        if (chosen < 0)
            return chosen;
        for (size_t i = 0; chosen && i < group->hosts.count; i++) {
            int const err = add_host(choice, group->hosts.items[i], fault);
            if (err)
                return err;
        }
    }
    return 0;
}

static int nobody(const struct node_choice *choice, const char *path)
{
    char roles[256] = "";
    size_t size = 0;
    vec_each (group, &choice->inventory->groups)
        if (is_role_group(group) && size < sizeof(roles))
            size += (size_t)snprintf(roles + size, sizeof(roles) - size, "%s%s", size ? ", " : "",
                                     group->name + 5);
    return node_list_doubt(
        choice->list, "%s has no host of the roles and names that are asked for; its roles are %s",
        path, size ? roles : "none");
}

static int add_all(struct node_choice *choice, const char *path, struct fault *fault)
{
    const struct node_class *class = node_class_find(choice->list, choice->class_name);
    size_t const before = choice->list->nodes.count;
    if (!class)
        return fault_set(fault, -EINVAL, "there is no class %s", choice->class_name);
    choice->port = choice->options->port ? choice->options->port : class->port;
    int err = add_groups(choice, fault);
    if (!err && choice->inventory->odd_lines)
        err =
            node_list_doubt(choice->list, "%s has %llu lines that name no host; they were left out",
                            path, (unsigned long long)choice->inventory->odd_lines);
    if (!err && choice->added.count == 0 && choice->list->nodes.count == before)
        err = nobody(choice, path);
    if (!err && choice->added.count && !choice->list->inventory_path &&
        !node_set(&choice->list->inventory_path, path))
        err = -ENOMEM;
    return err == -ENOMEM ? fault_set(fault, err, "not enough memory for the nodes") : err;
}

int node_inventory_read(struct node_list *list, const char *path,
                        const struct node_pattern *pattern, struct fault *fault)
{
    static const struct node_list_options nothing;
    struct inventory inventory;
    int err = inventory_read_file(&inventory, path, fault);
    if (err == -EINVAL && fault) /* others lie beside data folders, and a shell names them all */
        return node_list_doubt(list, "%s; it is left out", fault->text);
    if (err)
        return err;
    struct node_choice choice = {.list = list,
                                 .inventory = &inventory,
                                 .pattern = pattern,
                                 .options = pattern->options ? pattern->options : &nothing};
    choice.class_name = choice.options->class_name ? choice.options->class_name : "algod";
    err = add_all(&choice, path, fault);
    vec_free(&choice.added);
    inventory_fini(&inventory);
    return err;
}
