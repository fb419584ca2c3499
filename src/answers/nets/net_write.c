/* SPDX-License-Identifier: Apache-2.0 */
#include "nets/net.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_out.h"

static void field(struct json_out *json, const char *key, const char *text)
{
    if (text)
        json_text_field(json, key, text);
}

static void number(struct json_out *json, const char *key, uint64_t value)
{
    if (value)
        json_uint_field(json, key, value);
}

static void write_ready(struct json_out *json, const struct net_ready *ready)
{
    if (!ready->url && !ready->file && !ready->port)
        return;
    json_key(json, "ready");
    json_object_begin_inline(json);
    field(json, "url", ready->url);
    field(json, "contains", ready->contains);
    field(json, "file", ready->file);
    number(json, "port", ready->port);
    number(json, "seconds", ready->seconds);
    json_object_end(json);
}

static void write_ports(struct json_out *json, const struct net_part *part)
{
    if (part->ports.count == 0)
        return;
    json_key(json, "ports");
    json_object_begin_inline(json);
    vec_each (port, &part->ports)
        json_uint_field(json, port->name, port->number);
    json_object_end(json);
}

static void write_part(struct json_out *json, const struct net_part *part)
{
    json_object_begin(json);
    field(json, "name", part->name);
    field(json, "kind", part_kind_names[part->kind]);
    json_uint_field(json, "stage", part->stage);
    field(json, "state", part_state_names[part->state]);
    if (part->is_wrapped)
        json_bool_field(json, "wrapped", true);
    if (part->is_held)
        json_bool_field(json, "held", true);
    number(json, "pid", part->pid);
    number(json, "program", part->program);
    number(json, "born", part->born);
    number(json, "restarts", part->restarts);
    field(json, "why", part->why);
    field(json, "role", part->role);
    field(json, "class", part->class_name);
    field(json, "url", part->url);
    field(json, "metrics_url", part->metrics_url);
    field(json, "pprof_url", part->pprof_url);
    field(json, "data_folder", part->data_folder);
    write_ports(json, part);
    field(json, "folder", part->folder);
    field(json, "pid_file", part->pid_file);
    write_ready(json, &part->ready);
    text_list_write(json, "argv", &part->argv);
    text_list_write(json, "env", &part->env);
    json_object_end(json);
}

static int write_net(const struct net *net, FILE *file)
{
    struct json_out json;
    json_init(&json, file, true);
    json_object_begin(&json);
    json_uint_field(&json, "format", 1);
    field(&json, "template", net->template_name);
    field(&json, "id", net->id);
    field(&json, "state", net_state_names[net->state]);
    field(&json, "why", net->why);
    number(&json, "keeper", net->keeper);
    number(&json, "keeper_born", net->keeper_born);
    json_bool_field(&json, "fresh", net->fresh);
    json_bool_field(&json, "restart", net->restart);
    json_uint_field(&json, "grace_seconds", net->grace_seconds);
    json_key(&json, "parts");
    json_array_begin(&json);
    vec_each (part, &net->parts)
        write_part(&json, part);
    json_array_end(&json);
    json_object_end(&json);
    return json_finish(&json);
}

int net_write(const struct net *net, struct fault *fault)
{
    char *path = net_path(net, "net.json"), *part = net_path(net, ".net.json.part");
    FILE *file = path && part ? fopen(part, "we") : NULL;
    int err = file ? write_net(net, file) : path && part ? -errno : -ENOMEM;
    if (file && fclose(file) != 0 && !err)
        err = -errno;
    if (!err && rename(part, path) != 0)
        err = -errno;
    if (err)
        fault_set(fault, err, "cannot write %s: %s", path ? path : "net.json", strerror(-err));
    free(path);
    free(part);
    return err;
}
