/* SPDX-License-Identifier: Apache-2.0 */
/* run_facts.c - reads what a run says about itself: manifest.json and fetches.jsonl.  Both may be
 * cut short, or written by another program. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_in.h"
#include "cluster/runs/run_parts.h"

#define TEXT_MAX 1024u
#define LIST_MAX 4096u

int run_text_set(char **text, const char *value)
{
    char *copy = strdup(value);
    if (!copy)
        return -ENOMEM;
    free(*text);
    *text = copy;
    return 0;
}

struct entry {
    char nick[256], name[256], role[256], class_name[256];
};

static void read_node(struct json_in *json, struct entry *entry)
{
    static const struct {
        const char *key;
        size_t offset;
    } fields[] = {
        {"nick", offsetof(struct entry, nick)},
        {"name", offsetof(struct entry, name)},
        {"role", offsetof(struct entry, role)},
        {"class", offsetof(struct entry, class_name)},
    };
    memset(entry, 0, sizeof(*entry));
    char key[32];
    for (json_in_object(json); json_in_key(json, key, sizeof(key));) {
        size_t i = 0;
        while (i < 4 && strcmp(key, fields[i].key) != 0)
            i++;
        if (i < 4 && json->text.size > 0)
            json_in_text(json, (char *)entry + fields[i].offset, sizeof(entry->nick));
        else
            json_in_skip(json);
    }
}

static int set_node(struct run *run, const struct entry *entry)
{
    size_t const size = strlen(entry->nick);
    if (size == 0)
        return 0;
    int64_t const known = run_node_find(run, entry->nick, size);
    struct run_node *node =
        known >= 0 ? &run->nodes.items[known] : run_node_add(run, entry->nick, size);
    if (!node || (entry->name[0] && run_text_set(&node->name, entry->name)) ||
        (entry->role[0] && run_text_set(&node->role, entry->role)) ||
        (entry->class_name[0] && run_text_set(&node->class_name, entry->class_name)))
        return -ENOMEM;
    return 0;
}

static int read_list(struct json_in *json, run_texts *list)
{
    char text[TEXT_MAX];
    for (json_in_array(json); json_in_item(json);) {
        if (!json_in_text(json, text, sizeof(text)) || list->count >= LIST_MAX)
            continue;
        char *copy = strdup(text);
        if (!copy || !vec_push(list, copy)) {
            free(copy);
            return -ENOMEM;
        }
    }
    return 0;
}

static int read_field(struct json_in *json, const char *key, struct run_class *class)
{
    struct {
        const char *key;
        char **text;
        run_texts *list;
    } const fields[] = {
        {"name", &class->name, NULL},
        {"height", &class->height, NULL},
        {"transactions", &class->transactions, NULL},
        {"pool", &class->pool, NULL},
        {"sent", NULL, &class->sent},
        {"received", NULL, &class->received},
        {"heap_metrics", NULL, &class->heap_metrics},
    };
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        char text[TEXT_MAX] = "";
        if (strcmp(key, fields[i].key) != 0)
            continue;
        if (fields[i].list)
            return read_list(json, fields[i].list);
        if (json->text.size > 0 && json_in_text(json, text, sizeof(text)) && text[0])
            return run_text_set(fields[i].text, text);
        return 0;
    }
    json_in_skip(json);
    return 0;
}

static int parse_class(struct run *run, struct json_in *json)
{
    if (run->classes.count >= LIST_MAX) {
        json_in_skip(json);
        return 0;
    }
    struct run_class class = {0};
    if (!vec_push(&run->classes, class))
        return -ENOMEM;
    char key[32];
    int err = 0;
    for (json_in_object(json); !err && json_in_key(json, key, sizeof(key));)
        err = read_field(json, key, &run->classes.items[run->classes.count - 1]);
    return err;
}

static int parse_segment(struct run *run, struct json_in *json)
{
    uint64_t begin_us = 0, every_ns = 0;
    char key[32];
    for (json_in_object(json); json_in_key(json, key, sizeof(key));)
        if (strcmp(key, "begin_us") == 0)
            json_in_uint(json, &begin_us);
        else if (strcmp(key, "every_ns") == 0)
            json_in_uint(json, &every_ns);
        else
            json_in_skip(json);
    struct run_segment_times const times = {(int64_t)(begin_us & INT64_MAX),
                                            (int64_t)(every_ns / 1000u)};
    return run->segments.count >= LIST_MAX || vec_push(&run->segments, times) ? 0 : -ENOMEM;
}

int run_parse_manifest(struct run *run, struct slice text)
{
    struct json_in json = {.text = text};
    struct entry entry;
    char key[32];
    int err = 0;
    for (json_in_object(&json); !err && json_in_key(&json, key, sizeof(key));) {
        if (strcmp(key, "nodes") == 0)
            for (json_in_array(&json); !err && json_in_item(&json);) {
                read_node(&json, &entry);
                err = set_node(run, &entry);
            }
        else if (strcmp(key, "classes") == 0)
            for (json_in_array(&json); !err && json_in_item(&json);)
                err = parse_class(run, &json);
        else if (strcmp(key, "segments") == 0)
            for (json_in_array(&json); !err && json_in_item(&json);)
                err = parse_segment(run, &json);
        else
            json_in_skip(&json);
    }
    return err ? err : json.failed ? -EINVAL : 0;
}

struct run_facts_fetch {
    char stamp[RUN_STAMP_MAX + 8], node[256], kind[32], why[8];
    uint64_t begin_us, end_us, status, bytes;
};

static int read_fetch(struct slice line, struct run_facts_fetch *fetch)
{
    struct json_in json = {.text = line};
    struct {
        const char *key;
        char *text;
        size_t size;
        uint64_t *value;
    } const fields[] = {
        {"stamp", fetch->stamp, sizeof(fetch->stamp), NULL},
        {"node", fetch->node, sizeof(fetch->node), NULL},
        {"kind", fetch->kind, sizeof(fetch->kind), NULL},
        {"why", fetch->why, sizeof(fetch->why), NULL},
        {"begin_us", NULL, 0, &fetch->begin_us},
        {"end_us", NULL, 0, &fetch->end_us},
        {"status", NULL, 0, &fetch->status},
        {"bytes", NULL, 0, &fetch->bytes},
    };
    size_t const count = sizeof(fields) / sizeof(fields[0]);
    memset(fetch, 0, sizeof(*fetch));
    char key[32];
    for (json_in_object(&json); json_in_key(&json, key, sizeof(key));) {
        size_t i = 0;
        while (i < count && strcmp(key, fields[i].key) != 0)
            i++;
        if (i < count && fields[i].text)
            json_in_text(&json, fields[i].text, fields[i].size);
        else if (i < count)
            json_in_uint(&json, fields[i].value);
        else
            json_in_skip(&json);
    }
    return json.failed ? -EINVAL : 0;
}

static struct run_file *file_of(struct run *run, uint32_t node, enum run_kind kind,
                                int64_t stamp_us)
{
    const struct run_file *first = NULL;
    size_t low = 0, high = run_files_of(run, node, kind, &first);
    size_t const count = high;
    while (low < high) {
        size_t const middle = low + (high - low) / 2;
        if (first[middle].stamp_us < stamp_us)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && first[low].stamp_us == stamp_us
               ? &run->files.items[(size_t)(first - run->files.items) + low]
               : NULL;
}

static int set_fetch(struct run *run, const struct run_facts_fetch *fetch)
{
    int64_t const node = run_node_find(run, fetch->node, strlen(fetch->node));
    if (node < 0)
        return 0;
    if (fetch->why[0] || (fetch->status != 0 && (fetch->status < 200 || fetch->status > 299)))
        run->nodes.items[node].gaps++;
    char name[sizeof(fetch->stamp) + sizeof(fetch->kind) + 8];
    size_t used = 0;
    const char *const parts[] = {"n.", fetch->stamp, ".", fetch->kind};
    for (size_t i = 0; i < 4; i++) {
        size_t const size = strlen(parts[i]);
        memcpy(name + used, parts[i], size);
        used += size;
    }
    name[used] = '\0';
    struct run_name asked; /* the stamp and the kind, as they stand in a file's name */
    if (run_name_parse(name, &asked))
        return 1;
    struct run_file *file = file_of(run, (uint32_t)node, asked.kind, asked.stamp_us);
    if (file && fetch->begin_us <= INT64_MAX && fetch->end_us <= INT64_MAX) {
        file->begin_us = (int64_t)fetch->begin_us;
        file->end_us = (int64_t)fetch->end_us;
        file->bytes = fetch->bytes;
    }
    return 1;
}

size_t run_parse_fetches(struct run *run, struct slice text)
{
    size_t used = 0;
    struct run_facts_fetch fetch;
    while (text.size > 0) {
        const char *end = memchr(text.data, '\n', text.size);
        size_t const size = end ? (size_t)(end - text.data) : text.size;
        if (read_fetch((struct slice){text.data, size}, &fetch) == 0)
            used += (size_t)set_fetch(run, &fetch);
        text.data += size + (end != NULL);
        text.size -= size + (end != NULL);
    }
    return used;
}
