/* SPDX-License-Identifier: Apache-2.0 */
#include "nets/template.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/human.h"
#include "base/text_file.h"
#include "nets/template_texts.h"
#include "scrape/nodes/yaml_in.h"

#define ITEMS_MAX 256u

struct parse {
    struct yaml_in yaml;
    struct fault *fault;
    int err;
};

/* The first thing that is wrong is told. */
static void wrong(struct parse *parse, const yaml_node_t *node, const char *what, const char *name)
{
    size_t const line = yaml_in_line(node);
    if (!parse->err)
        parse->err = fault_at(parse->fault, -EINVAL, line, "line %zu: %s%s", line, what, name);
}

static void out_of_memory(struct parse *parse)
{
    if (!parse->err)
        parse->err = fault_set(parse->fault, -ENOMEM, "out of memory");
}

static void parse_text(struct parse *parse, const yaml_node_t *node, char **into)
{
    const char *text = yaml_in_text(node);
    if (!text)
        wrong(parse, node, "a text is needed here", "");
    else if (!text_set(into, text))
        out_of_memory(parse);
}

static void parse_texts(struct parse *parse, const yaml_node_t *node, text_list *into)
{
    if (!yaml_in_is_list(node) || yaml_in_count(node) > ITEMS_MAX)
        wrong(parse, node, "a list of texts is needed here: [one, two]", "");
    for (size_t i = 0; !parse->err && i < yaml_in_count(node); i++) {
        char *text = NULL;
        parse_text(parse, yaml_in_item(&parse->yaml, node, i), &text);
        if (!parse->err && !vec_push(into, text)) {
            free(text);
            out_of_memory(parse);
        }
    }
}

static void parse_count(struct parse *parse, const yaml_node_t *node, uint64_t max, uint32_t *into)
{
    uint64_t value;
    const char *text = yaml_in_text(node);
    if (!text || human_parse_count(text, &value) != 0 || value == 0 || value > max)
        wrong(parse, node, "this number is not one that can be: ", text ? text : "");
    else
        *into = (uint32_t)value;
}

static void parse_seconds(struct parse *parse, const yaml_node_t *node, uint32_t *into)
{
    uint64_t ns;
    const char *text = yaml_in_text(node);
    if (!text || human_parse_duration(text, &ns) != 0 || ns > 86400 * NS_PER_SECOND)
        wrong(parse, node, "this is no time such as 30s: ", text ? text : "");
    else
        *into = ns < NS_PER_SECOND ? 1 : (uint32_t)(ns / NS_PER_SECOND);
}

static void parse_truth(struct parse *parse, const yaml_node_t *node, bool *into)
{
    const char *text = yaml_in_text(node);
    if (text && (strcmp(text, "yes") == 0 || strcmp(text, "true") == 0))
        *into = true;
    else if (!text || (strcmp(text, "no") != 0 && strcmp(text, "false") != 0))
        wrong(parse, node, "yes or no is needed here", "");
}

static void parse_rate(struct parse *parse, const yaml_node_t *node, double *into)
{
    char *end;
    const char *text = yaml_in_text(node);
    double const rate = text ? strtod(text, &end) : 0;
    if (!text || *end || !(rate > 0 && rate <= 1e6))
        wrong(parse, node, "this is no rate per second: ", text ? text : "");
    else
        *into = rate;
}

/* {NAME: text, …} as "NAME=text". */
static void parse_env(struct parse *parse, const yaml_node_t *node, text_list *into)
{
    if (!yaml_in_is_map(node) || yaml_in_count(node) > ITEMS_MAX)
        wrong(parse, node, "variables are needed here: {NAME: value}", "");
    for (size_t i = 0; !parse->err && i < yaml_in_count(node); i++) {
        const char *key, *text = yaml_in_text(yaml_in_pair(&parse->yaml, node, i, &key));
        char *entry = NULL;
        if (!text || !key[0] || strchr(key, '='))
            wrong(parse, node, "this is no variable: ", key);
        else if (asprintf(&entry, "%s=%s", key, text) < 0 || !vec_push(into, entry)) {
            free(entry);
            out_of_memory(parse);
        }
    }
}

static void parse_files(struct parse *parse, const yaml_node_t *node, struct template_group *group)
{
    if (!yaml_in_is_map(node) || yaml_in_count(node) > ITEMS_MAX)
        wrong(parse, node, "files are needed here: {path: text}", "");
    for (size_t i = 0; !parse->err && i < yaml_in_count(node); i++) {
        const char *path;
        struct template_file file = {0};
        parse_text(parse, yaml_in_pair(&parse->yaml, node, i, &path), &file.text);
        file.path = strdup(path);
        if (!file.path || !vec_push(&group->files, file)) {
            out_of_memory(parse);
            free(file.path);
            free(file.text);
        }
    }
}

static void parse_ready(struct parse *parse, const yaml_node_t *node, struct template_group *group)
{
    if (!yaml_in_is_map(node))
        wrong(parse, node, "ready needs url, contains, port, file or within", "");
    for (size_t i = 0; !parse->err && i < yaml_in_count(node); i++) {
        const char *key;
        const yaml_node_t *value = yaml_in_pair(&parse->yaml, node, i, &key);
        if (strcmp(key, "url") == 0)
            parse_text(parse, value, &group->ready_url);
        else if (strcmp(key, "contains") == 0)
            parse_text(parse, value, &group->ready_contains);
        else if (strcmp(key, "port") == 0)
            parse_text(parse, value, &group->ready_port);
        else if (strcmp(key, "file") == 0)
            parse_text(parse, value, &group->ready_file);
        else if (strcmp(key, "within") == 0)
            parse_seconds(parse, value, &group->ready_seconds);
        else
            wrong(parse, value, "ready has no ", key);
    }
}

/* The texts of a group by their key, or NULL. */
static char **group_text(struct template_group *group, const char *key)
{
    struct {
        const char *key;
        char **text;
    } const texts[] = {{"name", &group->naming},
                       {"role", &group->role},
                       {"class", &group->class_name},
                       {"pid_file", &group->pid_file},
                       {"url", &group->url},
                       {"metrics_url", &group->metrics_url},
                       {"pprof_url", &group->pprof_url},
                       {"data_folder", &group->data_folder},
                       {"wallet", &group->wallet},
                       {"kind", &group->load}};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (strcmp(key, texts[i].key) == 0)
            return texts[i].text;
    return NULL;
}

static void parse_group_value(struct parse *parse, struct template_group *group, const char *key,
                              const yaml_node_t *value)
{
    char **text = group_text(group, key);
    if (text)
        parse_text(parse, value, text);
    else if (strcmp(key, "count") == 0)
        parse_count(parse, value, TEMPLATE_NODES_MAX, &group->count);
    else if (strcmp(key, "scales") == 0)
        parse_truth(parse, value, &group->scales);
    else if (strcmp(key, "command") == 0)
        parse_texts(parse, value, &group->command);
    else if (strcmp(key, "env") == 0)
        parse_env(parse, value, &group->env);
    else if (strcmp(key, "ports") == 0)
        parse_texts(parse, value, &group->ports);
    else if (strcmp(key, "files") == 0)
        parse_files(parse, value, group);
    else if (strcmp(key, "ready") == 0)
        parse_ready(parse, value, group);
    else if (strcmp(key, "tps") == 0)
        parse_rate(parse, value, &group->tps);
    else if (strcmp(key, "targets") == 0)
        parse_texts(parse, value, &group->targets);
    else if (strcmp(key, "value_bytes") == 0)
        parse_count(parse, value, 1u << 20, &group->value_bytes);
    else
        wrong(parse, value, "a group of nodes has no ", key);
}

static void check_group(struct parse *parse, const yaml_node_t *node, struct template_group *group)
{
    if (group->kind == PART_LOAD &&
        (!group->load || group->tps <= 0 || group->targets.count == 0 ||
         (strcmp(group->load, "etcd") != 0 && strcmp(group->load, "monero") != 0)))
        wrong(parse, node, "load needs kind (etcd or monero), tps and targets", "");
    if (group->kind == PART_NODE && (group->command.count == 0) == (group->pid_file == NULL))
        wrong(parse, node,
              "nodes need a command, or a pid_file if setup starts them: ", group->name);
}

static void parse_groups(struct parse *parse, const yaml_node_t *node, struct net_template *plan,
                         enum part_kind kind)
{
    if (!yaml_in_is_map(node) || yaml_in_count(node) > 32)
        wrong(parse, node, "groups are needed here: {name: {…}}", "");
    for (size_t i = 0; !parse->err && i < yaml_in_count(node); i++) {
        const char *name;
        const yaml_node_t *value = yaml_in_pair(&parse->yaml, node, i, &name);
        struct template_group group = {.kind = kind, .count = 1, .ready_seconds = 60};
        group.name = strdup(name);
        for (size_t k = 0; !parse->err && k < yaml_in_count(value); k++) {
            const char *key;
            const yaml_node_t *field = yaml_in_pair(&parse->yaml, value, k, &key);
            parse_group_value(parse, &group, key, field);
        }
        if (!parse->err)
            check_group(parse, value, &group);
        if (!group.name || !vec_push(&plan->groups, group)) {
            template_group_fini(&group);
            out_of_memory(parse);
        }
    }
}

static void parse_lists(struct parse *parse, const yaml_node_t *node, struct net_template *plan)
{
    if (!yaml_in_is_map(node) || yaml_in_count(node) > 64)
        wrong(parse, node, "lists are needed here: {name: {of: group, item: text}}", "");
    for (size_t i = 0; !parse->err && i < yaml_in_count(node); i++) {
        const char *name, *key;
        const yaml_node_t *value = yaml_in_pair(&parse->yaml, node, i, &name);
        struct template_list list = {.name = strdup(name)};
        for (size_t k = 0; !parse->err && k < yaml_in_count(value); k++) {
            const yaml_node_t *field = yaml_in_pair(&parse->yaml, value, k, &key);
            if (strcmp(key, "of") == 0)
                parse_text(parse, field, &list.of);
            else if (strcmp(key, "item") == 0)
                parse_text(parse, field, &list.item);
            else if (strcmp(key, "join") == 0)
                parse_text(parse, field, &list.join);
            else if (strcmp(key, "others") == 0)
                parse_truth(parse, field, &list.others);
            else
                wrong(parse, field, "a list has no ", key);
        }
        if (!parse->err && (!list.of || !list.item))
            wrong(parse, value, "a list needs of and item: ", name);
        if (!list.name || !vec_push(&plan->lists, list)) {
            template_list_fini(&list);
            out_of_memory(parse);
        }
    }
}

static void parse_commands(struct parse *parse, const yaml_node_t *node, struct net_template *plan,
                           bool is_setup)
{
    if (!yaml_in_is_list(node) || yaml_in_count(node) > 32)
        wrong(parse, node, "commands are needed here: [[program, word], …]", "");
    for (size_t i = 0; !parse->err && i < yaml_in_count(node); i++) {
        struct template_command command = {0};
        const yaml_node_t *words = yaml_in_item(&parse->yaml, node, i);
        parse_texts(parse, words, &command.words);
        if (!parse->err && command.words.count == 0)
            wrong(parse, words, "an empty command", "");
        if (!(is_setup ? vec_push(&plan->setup, command) : vec_push(&plan->teardown, command))) {
            text_list_fini(&command.words);
            out_of_memory(parse);
        }
    }
}

static void parse_needs(struct parse *parse, const yaml_node_t *node, struct net_template *plan)
{
    if (!yaml_in_is_map(node) || yaml_in_count(node) > 64)
        wrong(parse, node, "needs are programs and their packages: {etcd: etcd-server}", "");
    for (size_t i = 0; !parse->err && i < yaml_in_count(node); i++) {
        const char *program;
        struct template_need need = {0};
        parse_text(parse, yaml_in_pair(&parse->yaml, node, i, &program), &need.package);
        need.program = strdup(program);
        if (!need.program || !vec_push(&plan->needs, need)) {
            free(need.program);
            free(need.package);
            out_of_memory(parse);
        }
    }
}

static void parse_settings(struct parse *parse, const yaml_node_t *node, struct net_template *plan)
{
    if (!yaml_in_is_map(node) || yaml_in_count(node) > 64)
        wrong(parse, node, "settings and their values are needed here: {name: value}", "");
    for (size_t i = 0; !parse->err && i < yaml_in_count(node); i++) {
        const char *name;
        struct template_setting setting = {0};
        parse_text(parse, yaml_in_pair(&parse->yaml, node, i, &name), &setting.value);
        setting.name = strdup(name);
        if (!setting.name || !vec_push(&plan->settings, setting)) {
            free(setting.name);
            free(setting.value);
            out_of_memory(parse);
        }
    }
}

static void parse_template(struct parse *parse, const yaml_node_t *root, struct net_template *plan)
{
    if (!yaml_in_is_map(root))
        wrong(parse, root, "a template is a map with nodes: and so on", "");
    for (size_t i = 0; !parse->err && i < yaml_in_count(root); i++) {
        const char *key;
        const yaml_node_t *value = yaml_in_pair(&parse->yaml, root, i, &key);
        if (strcmp(key, "about") == 0)
            parse_text(parse, value, &plan->about);
        else if (strcmp(key, "needs") == 0)
            parse_needs(parse, value, plan);
        else if (strcmp(key, "lists") == 0)
            parse_lists(parse, value, plan);
        else if (strcmp(key, "setup") == 0 || strcmp(key, "teardown") == 0)
            parse_commands(parse, value, plan, key[0] == 's');
        else if (strcmp(key, "set") == 0)
            parse_settings(parse, value, plan);
        else if (strcmp(key, "watch") == 0)
            parse_texts(parse, value, &plan->watch);
        else if (strcmp(key, "nodes") == 0)
            parse_groups(parse, value, plan, PART_NODE);
        else if (strcmp(key, "load") == 0)
            parse_groups(parse, value, plan, PART_LOAD);
        else
            wrong(parse, value, "a template has no ", key);
    }
    if (!parse->err && (plan->groups.count == 0 || plan->groups.items[0].kind != PART_NODE))
        wrong(parse, root, "a template begins with nodes:, and load: comes after them", "");
}

int template_parse(struct net_template *plan, const char *name, struct slice text,
                   struct fault *fault)
{
    struct parse parse = {.fault = fault};
    *plan = (struct net_template){.name = strdup(name)};
    int err = plan->name ? yaml_in_open(&parse.yaml, text, fault) : -ENOMEM;
    if (!err) {
        parse_template(&parse, yaml_in_root(&parse.yaml), plan);
        yaml_in_close(&parse.yaml);
        err = parse.err;
    }
    if (err)
        template_fini(plan);
    return err;
}

int template_open(struct net_template *plan, const char *name_or_path, struct fault *fault)
{
    const char *shipped, *text;
    struct slice file;
    struct fault why = {0};
    for (size_t i = 0; (shipped = template_shipped(i, &text)); i++)
        if (strcmp(shipped, name_or_path) == 0)
            return template_parse(plan, shipped, slice_of(text), fault);
    int err = text_file_read(name_or_path, YAML_IN_BYTES_MAX, &file, &why);
    if (err == -ENOENT)
        return fault_set(fault, err,
                         "there is no template %s: etcd-3, etcd-relay and monero-3 come with "
                         "memoir, anything else "
                         "is a file of yours (docs/templates.md)",
                         name_or_path);
    if (err)
        return fault_set(fault, err, "%s", why.text);
    const char *slash = strrchr(name_or_path, '/');
    err = template_parse(plan, slash ? slash + 1 : name_or_path, file, &why);
    text_file_free(file);
    return err ? fault_at(fault, err, why.offset, "%s, %s", name_or_path, why.text) : 0;
}
