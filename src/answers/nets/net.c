/* SPDX-License-Identifier: Apache-2.0 */
#include "nets/net.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const net_state_names[NET_STATES] = {"starting", "up", "failed", "stopping", "down"};
const char *const part_kind_names[PART_KINDS] = {"record", "setup", "node",
                                                 "load",   "watch", "teardown"};
const char *const part_state_names[PART_STATES] = {"planned", "started", "ready", "ended",
                                                   "crashed"};

bool text_set(char **text, const char *value)
{
    char *copy = value ? strdup(value) : NULL;
    if (value && !copy)
        return false;
    free(*text);
    *text = copy;
    return true;
}

static void part_fini(struct net_part *part)
{
    vec_each (port, &part->ports)
        free(port->name);
    vec_free(&part->ports);
    text_list_fini(&part->argv);
    text_list_fini(&part->env);
    char *texts[] = {part->name,        part->role,      part->class_name,     part->folder,
                     part->pid_file,    part->url,       part->metrics_url,    part->pprof_url,
                     part->data_folder, part->ready.url, part->ready.contains, part->ready.file,
                     part->why};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        free(texts[i]);
}

void net_fini(struct net *net)
{
    vec_each (part, &net->parts)
        part_fini(part);
    vec_free(&net->parts);
    free(net->dir);
    free(net->template_name);
    free(net->id);
    free(net->why);
    *net = (struct net){0};
}

struct net_part *net_add(struct net *net, const char *name, enum part_kind kind)
{
    struct net_part part = {.kind = kind, .name = strdup(name)};
    if (part.name && net->parts.count < NET_PARTS_MAX && vec_push(&net->parts, part))
        return &net->parts.items[net->parts.count - 1];
    free(part.name);
    return NULL;
}

struct net_part *net_find(const struct net *net, const char *name)
{
    vec_each (part, &net->parts)
        if (strcmp(part->name, name) == 0)
            return part;
    return NULL;
}

uint16_t net_port_of(const struct net_part *part, const char *name)
{
    vec_each (port, &part->ports)
        if (strcmp(port->name, name) == 0)
            return port->number;
    return 0;
}

size_t net_count(const struct net *net, enum part_kind kind, enum part_state at_least)
{
    size_t count = 0;
    vec_each (part, &net->parts)
        count += part->kind == kind && part->state >= at_least;
    return count;
}

char *net_path(const struct net *net, const char *format, ...)
{
    char *name = NULL, *path = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&name, format, arguments) < 0)
        name = NULL;
    va_end(arguments);
    if (name && asprintf(&path, "%s/%s", net->dir, name) < 0)
        path = NULL;
    free(name);
    return path;
}
