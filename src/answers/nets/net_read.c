/* SPDX-License-Identifier: Apache-2.0 */
#include "nets/net.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_in.h"
#include "procfs/process/proc_text.h"

#define FILE_BYTES_MAX (16u << 20)
#define TEXT_MAX       65536u

/* Where the text of a value goes while it is read. */
struct net_reader {
    struct json_in json;
    char *text; /* TEXT_MAX */
};

static bool parse_text(struct net_reader *reader, char **into)
{
    return json_in_text(&reader->json, reader->text, TEXT_MAX) && text_set(into, reader->text);
}

static void parse_name(struct net_reader *reader, const char *const *names, int count, int *into)
{
    if (!json_in_text(&reader->json, reader->text, TEXT_MAX))
        return;
    for (int i = 0; i < count; i++)
        if (strcmp(reader->text, names[i]) == 0) {
            *into = i;
            return;
        }
    reader->json.failed = true;
}

static void parse_number(struct net_reader *reader, uint64_t max, uint64_t *into)
{
    if (json_in_uint(&reader->json, into) && *into > max)
        reader->json.failed = true;
}

static void parse_number32(struct net_reader *reader, uint32_t max, uint32_t *into)
{
    uint64_t value = 0;
    parse_number(reader, max, &value);
    *into = (uint32_t)value;
}

static void parse_bool(struct net_reader *reader, bool *into)
{
    struct slice const text = reader->json.text;
    json_in_skip(&reader->json);
    *into = text.size >= 4 && memmem(text.data, text.size < 8 ? text.size : 8, "true", 4) != NULL;
}

static void parse_texts(struct net_reader *reader, text_list *into)
{
    for (json_in_array(&reader->json); json_in_item(&reader->json);)
        if (!json_in_text(&reader->json, reader->text, TEXT_MAX) ||
            !text_list_add(into, reader->text) || into->count > 4096)
            reader->json.failed = true;
}

static void parse_ports(struct net_reader *reader, struct net_part *part)
{
    char key[64];
    for (json_in_object(&reader->json); json_in_key(&reader->json, key, sizeof(key));) {
        uint64_t number = 0;
        parse_number(reader, UINT16_MAX, &number);
        struct net_port port = {strdup(key), (uint16_t)number};
        if (!port.name || part->ports.count >= 64 || !vec_push(&part->ports, port)) {
            free(port.name);
            reader->json.failed = true;
        }
    }
}

static void parse_ready(struct net_reader *reader, struct net_ready *ready)
{
    char key[32];
    uint64_t number = 0;
    for (json_in_object(&reader->json); json_in_key(&reader->json, key, sizeof(key));)
        if (strcmp(key, "url") == 0)
            parse_text(reader, &ready->url);
        else if (strcmp(key, "contains") == 0)
            parse_text(reader, &ready->contains);
        else if (strcmp(key, "file") == 0)
            parse_text(reader, &ready->file);
        else if (strcmp(key, "seconds") == 0)
            parse_number32(reader, 86400, &ready->seconds);
        else if (strcmp(key, "port") == 0) {
            parse_number(reader, UINT16_MAX, &number);
            ready->port = (uint16_t)number;
        } else
            json_in_skip(&reader->json);
}

/* The texts of a part by their key, or NULL. */
static char **part_text(struct net_part *part, const char *key)
{
    struct {
        const char *key;
        char **text;
    } const texts[] = {{"name", &part->name},
                       {"why", &part->why},
                       {"role", &part->role},
                       {"class", &part->class_name},
                       {"url", &part->url},
                       {"metrics_url", &part->metrics_url},
                       {"pprof_url", &part->pprof_url},
                       {"data_folder", &part->data_folder},
                       {"folder", &part->folder},
                       {"pid_file", &part->pid_file}};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (strcmp(key, texts[i].key) == 0)
            return texts[i].text;
    return NULL;
}

static void parse_part_value(struct net_reader *reader, struct net_part *part, const char *key)
{
    int word = 0;
    char **text = part_text(part, key);
    if (text)
        parse_text(reader, text);
    else if (strcmp(key, "kind") == 0) {
        parse_name(reader, part_kind_names, PART_KINDS, &word);
        part->kind = (enum part_kind)word;
    } else if (strcmp(key, "state") == 0) {
        parse_name(reader, part_state_names, PART_STATES, &word);
        part->state = (enum part_state)word;
    } else if (strcmp(key, "stage") == 0)
        parse_number32(reader, 1000, &part->stage);
    else if (strcmp(key, "pid") == 0)
        parse_number32(reader, INT_MAX, &part->pid);
    else if (strcmp(key, "program") == 0)
        parse_number32(reader, INT_MAX, &part->program);
    else if (strcmp(key, "born") == 0)
        parse_number(reader, UINT64_MAX, &part->born);
    else if (strcmp(key, "restarts") == 0)
        parse_number32(reader, UINT32_MAX, &part->restarts);
    else if (strcmp(key, "wrapped") == 0)
        parse_bool(reader, &part->is_wrapped);
    else if (strcmp(key, "held") == 0)
        parse_bool(reader, &part->is_held);
    else if (strcmp(key, "ports") == 0)
        parse_ports(reader, part);
    else if (strcmp(key, "ready") == 0)
        parse_ready(reader, &part->ready);
    else if (strcmp(key, "argv") == 0)
        parse_texts(reader, &part->argv);
    else if (strcmp(key, "env") == 0)
        parse_texts(reader, &part->env);
    else
        json_in_skip(&reader->json);
}

static void parse_part(struct net_reader *reader, struct net *net)
{
    char key[32];
    struct net_part *part = net_add(net, "", PART_NODE);
    if (!part) {
        reader->json.failed = true;
        return;
    }
    for (json_in_object(&reader->json); json_in_key(&reader->json, key, sizeof(key));)
        parse_part_value(reader, part, key);
    if (part->name[0] == '\0' || strchr(part->name, '/'))
        reader->json.failed = true;
}

static void parse_net_value(struct net_reader *reader, struct net *net, const char *key)
{
    int word = 0;
    if (strcmp(key, "template") == 0)
        parse_text(reader, &net->template_name);
    else if (strcmp(key, "id") == 0)
        parse_text(reader, &net->id);
    else if (strcmp(key, "why") == 0)
        parse_text(reader, &net->why);
    else if (strcmp(key, "state") == 0) {
        parse_name(reader, net_state_names, NET_STATES, &word);
        net->state = (enum net_state)word;
    } else if (strcmp(key, "keeper") == 0)
        parse_number32(reader, INT_MAX, &net->keeper);
    else if (strcmp(key, "keeper_born") == 0)
        parse_number(reader, UINT64_MAX, &net->keeper_born);
    else if (strcmp(key, "grace_seconds") == 0)
        parse_number32(reader, 3600, &net->grace_seconds);
    else if (strcmp(key, "fresh") == 0)
        parse_bool(reader, &net->fresh);
    else if (strcmp(key, "restart") == 0)
        parse_bool(reader, &net->restart);
    else if (strcmp(key, "parts") == 0)
        for (json_in_array(&reader->json); json_in_item(&reader->json);)
            parse_part(reader, net);
    else
        json_in_skip(&reader->json);
}

int net_parse(struct net *net, struct slice text, struct fault *fault)
{
    char key[32];
    struct net_reader reader = {.json = {.text = text}, .text = malloc(TEXT_MAX)};
    *net = (struct net){0};
    if (!reader.text)
        return fault_set(fault, -ENOMEM, "out of memory");
    for (json_in_object(&reader.json); json_in_key(&reader.json, key, sizeof(key));)
        parse_net_value(&reader, net, key);
    bool const good =
        !reader.json.failed && json_in_ended(&reader.json) && net->id && net->template_name;
    free(reader.text);
    if (good)
        return 0;
    net_fini(net);
    return fault_set(fault, -EINVAL, "this file was not written by memoir net up");
}

int net_read(struct net *net, const char *dir, struct fault *fault)
{
    char path[PATH_MAX], absolute[PATH_MAX], *text;
    struct fault why = {0};
    *net = (struct net){0};
    snprintf(path, sizeof(path), "%s/net.json", dir);
    int err = realpath(dir, absolute) ? proc_text_read(path, FILE_BYTES_MAX, &text) : -errno;
    if (err == -ENOENT || err == -ENOTDIR)
        return fault_set(fault, -ENOENT, "there is no network in %s: memoir net up makes one", dir);
    if (err)
        return fault_set(fault, err, "cannot read %s: %s", path, strerror(-err));
    err = net_parse(net, slice_of(text), &why);
    free(text);
    if (err)
        return fault_set(fault, err, "%s: %s", path, why.text);
    if (text_set(&net->dir, absolute))
        return 0;
    net_fini(net);
    return fault_set(fault, -ENOMEM, "out of memory");
}
