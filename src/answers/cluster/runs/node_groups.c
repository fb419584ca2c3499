/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/runs/node_groups.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pattern/pattern.h"

static struct node_group *new_group(struct node_groups *groups, const char *label)
{
    struct node_group const group = {.label = strdup(label ? label : "")};
    if (!group.label || !vec_push(&groups->groups, group)) {
        free(group.label);
        return NULL;
    }
    return &groups->groups.items[groups->groups.count - 1];
}

int node_groups_add_all(struct node_groups *groups, const struct run *run)
{
    struct node_group *group = new_group(groups, NULL);
    for (uint32_t i = 0; group && i < run->nodes.count; i++)
        if (!vec_push(&group->nodes, i))
            return -ENOMEM;
    return group ? 0 : -ENOMEM;
}

static bool matches(const struct pattern *pattern, const char *text)
{
    return text && pattern_matches(pattern, slice_of(text));
}

static bool node_matches(const struct pattern *pattern, const struct run_node *node)
{
    char section[512];
    snprintf(section, sizeof(section), "name_%s", node->name ? node->name : "");
    return matches(pattern, node->nick) || matches(pattern, node->name) ||
           matches(pattern, section);
}

int node_groups_add(struct node_groups *groups, const struct run *run, const char *label,
                    const char *expression, struct fault *fault)
{
    struct pattern *pattern;
    int err = pattern_compile(expression, PATTERN_AT_START, NULL, &pattern, fault);
    if (err)
        return err;
    struct node_group *group = new_group(groups, label);
    if (!group)
        err = -ENOMEM;
    for (uint32_t i = 0; !err && i < run->nodes.count; i++)
        if (node_matches(pattern, &run->nodes.items[i]) && !vec_push(&group->nodes, i))
            err = -ENOMEM;
    int const costly = pattern_check(pattern, fault);
    pattern_destroy(pattern);
    if (!err && costly)
        return costly;
    if (!err && group->nodes.count == 0)
        return fault_set(fault, -ENODATA,
                         "no node of %s matches \"%s\": memoir metrics %s --list-nodes shows them",
                         run->path, expression, run->path);
    return err ? fault_set(fault, err, "out of memory") : 0;
}

int node_groups_add_labelled(struct node_groups *groups, const struct run *run, const char *text,
                             struct fault *fault)
{
    const char *colon = strchr(text, ':');
    char label[128];
    if (!colon || colon == text || (size_t)(colon - text) >= sizeof(label))
        return fault_set(fault, -EINVAL,
                         "--label cannot be \"%s\": give LABEL:EXPRESSION, as in relay:name_r",
                         text);
    snprintf(label, sizeof(label), "%.*s", (int)(colon - text), text);
    return node_groups_add(groups, run, label, colon + 1, fault);
}

/* Those who take part in consensus are called nodes by inventories. */
static const char *role_label(const char *role)
{
    return strcmp(role, "node") == 0                   ? "pn"
           : strcmp(role, "nonparticipatingnode") == 0 ? "npn"
                                                       : role;
}

int node_groups_add_roles(struct node_groups *groups, const struct run *run)
{
    size_t const first = groups->groups.count;
    for (uint32_t i = 0; i < run->nodes.count; i++) {
        const char *label = role_label(run->nodes.items[i].role ? run->nodes.items[i].role : "");
        struct node_group *group = NULL;
        for (size_t at = first; at < groups->groups.count; at++)
            if (strcmp(groups->groups.items[at].label, label) == 0)
                group = &groups->groups.items[at];
        if (!group)
            group = new_group(groups, label);
        if (!group || !vec_push(&group->nodes, i))
            return -ENOMEM;
    }
    if (groups->groups.count - first == 1) { /* all alike: the whole says it */
        struct node_group *only = &groups->groups.items[first];
        free(only->label);
        vec_free(&only->nodes);
        groups->groups.count--;
    }
    return 0;
}

void node_groups_fini(struct node_groups *groups)
{
    vec_each (group, &groups->groups) {
        free(group->label);
        vec_free(&group->nodes);
    }
    vec_free(&groups->groups);
}
