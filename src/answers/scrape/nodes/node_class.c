/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/nodes/node_class.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scrape/nodes/text_list.h"

#define CLASSES_MAX 1024u

static const char *const chain_names[] = {[CHAIN_NONE] = "none",
                                          [CHAIN_ALGOD] = "algod",
                                          [CHAIN_MONERO] = "monero",
                                          [CHAIN_ETHEREUM] = "ethereum"};

const char *chain_kind_name(enum chain_kind kind)
{
    return kind == CHAIN_NONE ? "" : chain_names[kind];
}

static int parse_chain(struct config *config, const yaml_node_t *value, void *into)
{
    const char *text = yaml_in_text(value) ? yaml_in_text(value) : "";
    for (size_t i = 0; i < sizeof(chain_names) / sizeof(chain_names[0]); i++)
        if (strcmp(text, chain_names[i]) == 0) {
            *(enum chain_kind *)into = (enum chain_kind)i;
            return 0;
        }
    return config_wrong(config, value, "`%.40s` is none of none, algod, monero, ethereum", text);
}

static bool is_url_path(const char *text)
{
    if (text[0] == ':' && text[1] != '/')
        text += 1 + strspn(text + 1, "0123456789");
    return text[0] == '/' && !strpbrk(text, " \"<>\\^`{|}#");
}

/* "none" takes away what a class has from the one it is like. */
static int parse_url_path(struct config *config, const yaml_node_t *value, void *into)
{
    char **owner = into;
    int const err = config_text(config, value, into);
    if (err)
        return err;
    if (strcmp(*owner, "none") == 0) {
        free(*owner);
        *owner = NULL;
    } else if (!is_url_path(*owner)) {
        return config_wrong(
            config, value,
            "a path such as /metrics belongs here, or :9100/metrics for another port, or none");
    }
    return 0;
}

/* heap_metrics: {inuse: go_memstats_heap_alloc_bytes, …} */
static int parse_columns(struct config *config, const yaml_node_t *value, void *into)
{
    text_list list = {0}, *owner = into;
    int err = yaml_in_is_map(value)
                  ? 0
                  : config_wrong(config, value, "lines of `column: metric` belong here");
    for (size_t i = 0; !err && i < yaml_in_count(value); i++) {
        const char *column, *metric;
        char text[256];
        metric = yaml_in_text(yaml_in_pair(&config->yaml, value, i, &column));
        if (!metric || !metric[0] || !column[0] || strchr(column, '=') ||
            (size_t)snprintf(text, sizeof(text), "%s=%s", column, metric) >= sizeof(text))
            err = config_wrong(config, value, "lines of `column: metric` belong here");
        else if (!text_list_add(&list, text))
            err = config_no_memory(config);
    }
    if (err) {
        text_list_fini(&list);
        return err;
    }
    text_list_fini(owner);
    *owner = list;
    return 0;
}

/* Read before all others. */
static int skip_like(struct config *config, const yaml_node_t *value, void *into)
{
    (void)config, (void)value, (void)into;
    return 0;
}

#define AT(member) offsetof(struct node_class, member)
static const struct config_key class_keys[] = {
    {"like", skip_like, 0},
    {"port", config_port, AT(port)},
    {"metrics", parse_url_path, AT(metrics)},
    {"pprof", parse_url_path, AT(pprof)},
    {"settings", parse_url_path, AT(settings)},
    {"token_header", config_text, AT(token_header)},
    {"chain", parse_chain, AT(chain)},
    {"chain_path", parse_url_path, AT(chain_path)},
    {"height", config_text, AT(height)},
    {"transactions", config_text, AT(transactions)},
    {"txcount", config_text, AT(transactions)},
    {"pool", config_text, AT(pool)},
    {"sent", config_texts, AT(sent)},
    {"tx_bytes", config_texts, AT(sent)},
    {"received", config_texts, AT(received)},
    {"rx_bytes", config_texts, AT(received)},
    {"heap_metrics", parse_columns, AT(heap_metrics)},
    {"address_file", config_text, AT(address_file)},
    {"token_file", config_text, AT(token_file)},
    {"admin_token_file", config_text, AT(admin_token_file)},
    {"pid_file", config_text, AT(pid_file)},
    {NULL, NULL, 0}};

/* Members of a class that are texts, and lists of texts. */
static const size_t text_members[] = {
    AT(metrics),      AT(pprof),      AT(settings),         AT(token_header),
    AT(chain_path),   AT(height),     AT(transactions),     AT(pool),
    AT(address_file), AT(token_file), AT(admin_token_file), AT(pid_file)};
static const size_t list_members[] = {AT(sent), AT(received), AT(heap_metrics)};
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static char **text_member(const struct node_class *class, size_t index)
{
    return (char **)(void *)((char *)(uintptr_t) class + text_members[index]);
}

static text_list *list_member(const struct node_class *class, size_t index)
{
    return (text_list *)(void *)((char *)(uintptr_t) class + list_members[index]);
}

void node_class_destroy(struct node_class *class)
{
    if (!class)
        return;
    for (size_t i = 0; i < COUNT(text_members); i++)
        free(*text_member(class, i));
    for (size_t i = 0; i < COUNT(list_members); i++)
        text_list_fini(list_member(class, i));
    free(class->name);
    free(class);
}

static bool copy_members(struct node_class *to, const struct node_class *from)
{
    bool fits = true;
    for (size_t i = 0; i < COUNT(text_members); i++) {
        const char *text = *text_member(from, i);
        char *copy = text ? strdup(text) : NULL;
        fits &= !text || copy;
        *text_member(to, i) = copy;
    }
    for (size_t i = 0; i < COUNT(list_members); i++)
        fits &= text_list_add_all(list_member(to, i), list_member(from, i));
    to->port = from->port;
    to->chain = from->chain;
    return fits;
}

static bool is_class_name(const char *name)
{
    return name[0] && strlen(name) <= 64 &&
           name[strspn(
               name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")] == '\0';
}

static int fill_class(struct config *config, const yaml_node_t *value, struct node_class *class,
                      const struct node_list *list)
{
    const yaml_node_t *like = yaml_in_get(&config->yaml, value, "like");
    if (like) {
        const char *name = yaml_in_text(like) ? yaml_in_text(like) : "";
        const struct node_class *other = node_class_find(list, name);
        if (!other)
            return config_wrong(config, like, "there is no class `%.40s` before this one", name);
        if (!copy_members(class, other))
            return config_no_memory(config);
    }
    return config_parse(config, value, class_keys, "a class", class);
}

static int parse_class(struct config *config, const yaml_node_t *value, const char *name,
                       struct node_list *list)
{
    if (!is_class_name(name))
        return config_wrong(config, value,
                            "`%.40s` is no name for a class: letters, digits, - _ and .", name);
    if (list->classes.count >= CLASSES_MAX)
        return config_wrong(config, value, "there are more than %u classes", CLASSES_MAX);
    struct node_class *class = calloc(1, sizeof(*class));
    if (!class)
        return config_no_memory(config);
    class->name = strdup(name);
    int err = class->name ? fill_class(config, value, class, list) : config_no_memory(config);
    if (!err && !class->token_header && !(class->token_header = strdup("Authorization: Bearer")))
        err = config_no_memory(config);
    if (!err && !vec_push(&list->classes, class))
        err = config_no_memory(config);
    if (err)
        node_class_destroy(class);
    return err; /* NOLINT(clang-analyzer-unix.Malloc): the list has it */
}

int node_classes_parse(struct config *config, const yaml_node_t *value, struct node_list *list)
{
    if (!yaml_in_is_map(value))
        return config_wrong(config, value, "classes are written as `NAME:` with their keys below");
    for (size_t i = 0; i < yaml_in_count(value); i++) {
        const char *name;
        const yaml_node_t *class = yaml_in_pair(&config->yaml, value, i, &name);
        int const err = parse_class(config, class, name, list);
        if (err)
            return err;
    }
    return 0;
}

const struct node_class *node_class_find(const struct node_list *list, const char *name)
{
    for (size_t i = list->classes.count; i > 0; i--)
        if (strcmp(list->classes.items[i - 1]->name, name) == 0)
            return list->classes.items[i - 1];
    return NULL;
}

static void write_text(struct json_out *json, const char *key, const char *text)
{
    if (text && text[0])
        json_text_field(json, key, text);
}

void node_class_write(struct json_out *json, const struct node_class *class)
{
    json_object_begin(json);
    json_text_field(json, "name", class->name);
    if (class->port)
        json_uint_field(json, "port", class->port);
    write_text(json, "metrics", class->metrics);
    write_text(json, "pprof", class->pprof);
    write_text(json, "settings", class->settings);
    write_text(json, "chain", chain_kind_name(class->chain));
    write_text(json, "chain_path", class->chain_path);
    write_text(json, "height", class->height);
    write_text(json, "transactions", class->transactions);
    write_text(json, "pool", class->pool);
    text_list_write(json, "sent", &class->sent);
    text_list_write(json, "received", &class->received);
    text_list_write(json, "heap_metrics", &class->heap_metrics);
    json_object_end(json);
}
