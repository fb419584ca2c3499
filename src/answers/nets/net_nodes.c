/* SPDX-License-Identifier: Apache-2.0 */
/* net_nodes.c - writes the nodes of a network in the form that memoir watch reads
 * (docs/nodes.md). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_out.h"
#include "nets/net.h"

static void field(struct json_out *json, const char *key, const char *text)
{
    if (text && text[0])
        json_text_field(json, key, text);
}

/* A node on a line, in YAML's form that is JSON as well: texts need no other care. */
static void write_node(FILE *file, const struct net_part *part)
{
    char pid_file[300];
    struct json_out json;
    snprintf(pid_file, sizeof(pid_file), "%s.pid", part->name);
    fputs("  - ", file);
    json_init(&json, file, false);
    json_object_begin_inline(&json);
    field(&json, "name", part->name);
    field(&json, "nick", part->name);
    field(&json, "role", part->role);
    field(&json, "class", part->class_name);
    field(&json, "folder", part->data_folder);
    field(&json, "address", part->url);
    field(&json, "metrics_url", part->metrics_url);
    field(&json, "pprof_url", part->pprof_url);
    if (!part->data_folder)
        field(&json, "pidfile", part->pid_file ? part->pid_file : pid_file);
    json_object_end(&json);
    json_finish(&json);
}

int net_write_nodes(const struct net *net, struct fault *fault)
{
    char *path = net_path(net, "nodes.yaml");
    FILE *file = path ? fopen(path, "we") : NULL;
    int err = file ? 0 : path ? -errno : -ENOMEM;
    if (file) {
        fputs("# Made by memoir net up, for memoir watch and others (docs/nodes.md).\nnodes:\n",
              file);
        vec_each (part, &net->parts)
            if (part->kind == PART_NODE)
                write_node(file, part);
        if (ferror(file))
            err = -EIO;
        if (fclose(file) != 0 && !err)
            err = -errno;
    }
    if (err)
        fault_set(fault, err, "cannot write %s: %s", path ? path : "nodes.yaml", strerror(-err));
    free(path);
    return err;
}
