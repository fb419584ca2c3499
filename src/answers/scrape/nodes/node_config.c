/* SPDX-License-Identifier: Apache-2.0 */
/* node_config.c - reads a configuration: what to ask for, defaults, classes, roles and nodes
 * (docs/nodes.md). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pattern/pattern.h"
#include "base/text_file.h"
#include "scrape/nodes/config.h"
#include "scrape/nodes/node_class.h"
#include "scrape/nodes/node_inputs.h"
#include "scrape/nodes/node_lines.h"
#include "scrape/nodes/node_make.h"
#include "scrape/nodes/node_secret.h"
#include "scrape/nodes/text_list.h"

#define ROLES_MAX 256u

struct role_rule {
    char *role, *expression;
};

struct node_reading {
    struct config config;
    struct node_list *list;
    const struct node_list_options *options;
    size_t first_node; /* of this configuration */
    VEC(struct role_rule) roles;
    const yaml_node_t *defaults;
};

static int parse_captures(struct config *config, const yaml_node_t *value, void *into)
{
    return config_bits(config, value, node_capture_name, into);
}

/* Sections that are read by themselves, in an order of their own. */
static int later(struct config *config, const yaml_node_t *value, void *into)
{
    (void)config, (void)value, (void)into;
    return 0;
}

#define AT(member) offsetof(struct watch_wishes, member)
static const struct config_key wish_keys[] = {{"every", config_duration, AT(every_ns)},
                                              {"for", config_duration, AT(for_ns)},
                                              {"timeout", config_duration, AT(timeout_ns)},
                                              {"captures", parse_captures, AT(captures)},
                                              {"cpu", config_duration, AT(cpu_ns)},
                                              {"cpu_after", config_duration, AT(cpu_after_ns)},
                                              {"rounds", config_count, AT(rounds)},
                                              {"out", config_path, AT(out)},
                                              {"defaults", later, 0},
                                              {"classes", later, 0},
                                              {"roles", later, 0},
                                              {"nodes", later, 0},
                                              {NULL, NULL, 0}};
#undef AT

static int add_role(struct node_reading *reading, const yaml_node_t *value, const char *role)
{
    struct fault why;
    const char *expression = yaml_in_text(value);
    if (!expression || !role[0] || strlen(role) > 64)
        return config_wrong(
            &reading->config, value,
            "roles are written as `ROLE: expression`, or with a list of expressions");
    if (node_re_matches(expression, "", &why) < 0)
        return config_wrong(&reading->config, value, "%s", why.text);
    if (reading->roles.count >= ROLES_MAX)
        return config_wrong(&reading->config, value, "there are more than %u rules for roles",
                            ROLES_MAX);
    struct role_rule rule = {.role = strdup(role), .expression = strdup(expression)};
    if (rule.role && rule.expression && vec_push(&reading->roles, rule))
        return 0;
    free(rule.role);
    free(rule.expression);
    return config_no_memory(&reading->config);
}

static int parse_roles(struct node_reading *reading, const yaml_node_t *map)
{
    if (map && !yaml_in_is_map(map))
        return config_wrong(&reading->config, map, "roles are written as `ROLE: expression`");
    for (size_t i = 0; i < yaml_in_count(map); i++) {
        const char *role;
        const yaml_node_t *value = yaml_in_pair(&reading->config.yaml, map, i, &role);
        size_t const count = yaml_in_is_list(value) ? yaml_in_count(value) : 1;
        for (size_t k = 0; k < count; k++) {
            int const err = add_role(
                reading,
                yaml_in_is_list(value) ? yaml_in_item(&reading->config.yaml, value, k) : value,
                role);
            if (err)
                return err;
        }
    }
    return 0;
}

static int give_role(struct node_reading *reading, const struct role_rule *rule,
                     const struct pattern *pattern)
{
    for (size_t i = reading->first_node; i < reading->list->nodes.count; i++) {
        struct node *node = reading->list->nodes.items[i];
        bool const is_meant = !node->role[0] && (pattern_matches(pattern, slice_of(node->name)) ||
                                                 pattern_matches(pattern, slice_of(node->nick)));
        if (is_meant && !node_set(&node->role, rule->role))
            return config_no_memory(&reading->config);
    }
    return 0;
}

/* Roles of nodes that have none of their own: the first rule that the name or the nick matches. */
static int give_roles(struct node_reading *reading)
{
    struct fault *fault = reading->config.fault;
    vec_each (rule, &reading->roles) {
        struct pattern *pattern;
        int err = pattern_compile(rule->expression, PATTERN_AT_START, NULL, &pattern, fault);
        if (err)
            return err;
        err = give_role(reading, rule, pattern);
        if (!err)
            err = pattern_check(pattern, fault);
        pattern_destroy(pattern);
        if (err)
            return err;
    }
    return 0;
}

/* A line that is only a text is any input, as on the command line. */
static int parse_input(struct node_reading *reading, const yaml_node_t *value,
                       struct node_lines *lines)
{
    const char *text = yaml_in_text(value);
    bool const is_path = !node_lines_is_address(text) && strncmp(text, "pid:", 4) != 0 &&
                         strncmp(text, "name:", 5) != 0;
    if (!is_path)
        return node_set(&lines->input, text) ? 0 : config_no_memory(&reading->config);
    return config_path(&reading->config, value, &lines->input);
}

static int parse_node(struct node_reading *reading, const yaml_node_t *value)
{
    struct node_lines lines = {.gives_blocks = true};
    struct config *config = &reading->config;
    int err = reading->defaults ? node_lines_parse(config, reading->defaults, true, &lines) : 0;
    if (!err && yaml_in_text(value) && yaml_in_text(value)[0])
        err = parse_input(reading, value, &lines);
    else if (!err)
        err = node_lines_parse(config, value, false, &lines);
    if (!err) {
        struct fault why = {.text = ""};
        err = node_lines_build(&lines, reading->list, reading->options, &why);
        if (err == -ENOMEM)
            config_no_memory(config);
        else if (err)
            config_wrong(config, value, "%s", why.text);
    }
    node_lines_fini(&lines);
    return err;
}

static int parse_nodes(struct node_reading *reading, const yaml_node_t *list)
{
    if (list && !yaml_in_is_list(list))
        return config_wrong(&reading->config, list,
                            "nodes are written as a list: each begins with `- `");
    for (size_t i = 0; i < yaml_in_count(list); i++) {
        int const err = parse_node(reading, yaml_in_item(&reading->config.yaml, list, i));
        if (err)
            return err;
    }
    return 0;
}

static int check_defaults(struct node_reading *reading)
{
    struct node_lines lines = {.gives_blocks = true};
    if (!reading->defaults)
        return 0;
    int const err = node_lines_parse(&reading->config, reading->defaults, true, &lines);
    node_lines_fini(&lines);
    return err;
}

static int parse_all(struct node_reading *reading)
{
    struct config *config = &reading->config;
    const yaml_node_t *root = yaml_in_root(&config->yaml);
    const yaml_node_t *classes = yaml_in_get(&config->yaml, root, "classes");
    int err = config_parse(config, root, wish_keys, "a configuration", &reading->list->wishes);
    reading->defaults = yaml_in_get(&config->yaml, root, "defaults");
    if (!err && classes)
        err = node_classes_parse(config, classes, reading->list);
    if (!err)
        err = parse_roles(reading, yaml_in_get(&config->yaml, root, "roles"));
    if (!err)
        err = check_defaults(reading);
    if (!err)
        err = parse_nodes(reading, yaml_in_get(&config->yaml, root, "nodes"));
    if (!err)
        err = give_roles(reading);
    if (!err && config->holds_secret && config->others_may_read)
        err = node_list_doubt(
            reading->list,
            "%s contains a secret and every user may read it: `chmod 600 %s`, or use token_file",
            config->path, config->path);
    return err;
}

int node_config_parse(struct node_list *list, struct slice text, const char *path,
                      const struct node_list_options *options, struct fault *fault)
{
    struct node_reading reading = {
        .list = list, .options = options, .first_node = list->nodes.count};
    const char *slash = strrchr(path, '/');
    struct fault why = {.text = ""};
    char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup("");
    reading.config = (struct config){.path = path, .folder = folder, .fault = fault};
    if (!folder)
        return fault_set(fault, -ENOMEM, "not enough memory to read %s", path);
    reading.config.others_may_read = node_secret_is_open(path);
    int err = yaml_in_open(&reading.config.yaml, text, &why);
    if (err) {
        fault_at(fault, err, why.offset, "%s: %s", path, why.text);
    } else {
        err = parse_all(&reading);
        yaml_in_close(&reading.config.yaml);
    }
    vec_each (rule, &reading.roles) {
        free(rule->role);
        free(rule->expression);
    }
    vec_free(&reading.roles);
    free(folder);
    return err;
}

int node_config_read(struct node_list *list, const char *path,
                     const struct node_list_options *options, struct fault *fault)
{
    struct slice text;
    int err = text_file_read(path, YAML_IN_BYTES_MAX, &text, fault);
    if (err)
        return err;
    err = node_config_parse(list, text, path, options, fault);
    text_file_free(text);
    return err;
}
