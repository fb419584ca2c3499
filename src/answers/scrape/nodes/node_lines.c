/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/nodes/node_lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scrape/nodes/node_address.h"
#include "scrape/nodes/node_inputs.h"
#include "scrape/nodes/node_make.h"
#include "scrape/nodes/text_list.h"

int node_lines_is_address(const char *text)
{
    return node_address_has_scheme(text);
}

static int parse_captures(struct config *config, const yaml_node_t *value, void *into)
{
    return config_bits(config, value, node_capture_name, into);
}

static int parse_recordings(struct config *config, const yaml_node_t *value, void *into)
{
    return config_bits(config, value, node_recording_name, into);
}

/* A secret replaces the one that stood there, wherever that was. */
static int parse_secret(struct config *config, const yaml_node_t *value, struct node_secret *secret,
                        size_t member)
{
    struct node_secret fresh = {.file = NULL};
    bool const is_file = member == offsetof(struct node_secret, file);
    int const err = (is_file ? config_path : config_text)(config, value, (char *)&fresh + member);
    if (err)
        return err;
    node_secret_fini(secret);
    *secret = fresh;
    return 0;
}

static int parse_token_file(struct config *config, const yaml_node_t *value, void *into)
{
    return parse_secret(config, value, into, offsetof(struct node_secret, file));
}

static int parse_token_env(struct config *config, const yaml_node_t *value, void *into)
{
    return parse_secret(config, value, into, offsetof(struct node_secret, variable));
}

static int parse_token(struct config *config, const yaml_node_t *value, void *into)
{
    config->holds_secret = true;
    return parse_secret(config, value, into, offsetof(struct node_secret, text));
}

static bool looks_secret(const char *header)
{
    static const char *const words[] = {"auth", "token", "key", "secret", "cookie", "password"};
    char name[64];
    size_t const size = strcspn(header, ":");
    snprintf(name, sizeof(name), "%.*s", (int)(size < sizeof(name) ? size : sizeof(name) - 1),
             header);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcasestr(name, words[i]))
            return true;
    return false;
}

static int add_header(struct config *config, const yaml_node_t *where, text_list *headers,
                      const char *header)
{
    if (headers->count >= 64)
        return config_wrong(config, where, "a node has more than 64 headers");
    config->holds_secret |= looks_secret(header);
    return text_list_add(headers, header) ? 0 : config_no_memory(config);
}

/* ["Name: value"] or {Name: value}; those of a node come after those of `defaults`. */
static int parse_headers(struct config *config, const yaml_node_t *value, void *into)
{
    char header[8192];
    if (!yaml_in_is_list(value) && !yaml_in_is_map(value))
        return config_wrong(config, value, "headers are lines of `Name: value`");
    for (size_t i = 0; i < yaml_in_count(value); i++) {
        const char *name, *text;
        if (yaml_in_is_map(value)) {
            text = yaml_in_text(yaml_in_pair(&config->yaml, value, i, &name));
            snprintf(header, sizeof(header), "%s: %s", name, text ? text : "");
        } else {
            text = yaml_in_text(yaml_in_item(&config->yaml, value, i));
            snprintf(header, sizeof(header), "%s", text ? text : "");
        }
        if (!text || strlen(text) > sizeof(header) / 2)
            return config_wrong(config, value, "headers are lines of `Name: value`");
        int const err = add_header(config, value, into, header);
        if (err)
            return err;
    }
    return 0;
}

#define AT(member) offsetof(struct node_lines, member)
/* The first ones are each node's own, the others may be defaults, too. */
#define OWN_KEYS 14u
static const struct config_key node_keys[] = {
    {"name", config_text, AT(name)},
    {"nick", config_text, AT(nick)},
    {"address", config_text, AT(address)},
    {"base_url", config_text, AT(address)},
    {"metrics_url", config_text, AT(metrics_url)},
    {"pprof_url", config_text, AT(pprof_url)},
    {"folder", config_path, AT(input)},
    {"inventory", config_path, AT(input)},
    {"roles", config_texts, AT(roles)},
    {"groups", config_texts, AT(groups)},
    {"pid", config_count, AT(pid)},
    {"pidfile", config_path, AT(pid_file)},
    {"program", config_text, AT(program)},
    {"listens", config_port, AT(listens)},
    {"class", config_text, AT(class_name)},
    {"role", config_text, AT(role)},
    {"port", config_port, AT(port)},
    {"headers", parse_headers, AT(headers)},
    {"token_file", parse_token_file, AT(token)},
    {"token_env", parse_token_env, AT(token)},
    {"token", parse_token, AT(token)},
    {"admin_token_file", parse_token_file, AT(admin_token)},
    {"admin_token_env", parse_token_env, AT(admin_token)},
    {"admin_token", parse_token, AT(admin_token)},
    {"captures", parse_captures, AT(captures)},
    {"record", parse_recordings, AT(recordings)},
    {"timeout", config_duration, AT(timeout_ns)},
    {"blocks", config_truth, AT(gives_blocks)},
    {NULL, NULL, 0}};
#undef AT

int node_lines_parse(struct config *config, const yaml_node_t *map, bool as_defaults,
                     struct node_lines *lines)
{
    return config_parse(config, map, as_defaults ? node_keys + OWN_KEYS : node_keys,
                        as_defaults ? "defaults" : "a node", lines);
}

void node_lines_fini(struct node_lines *lines)
{
    free(lines->name);
    free(lines->nick);
    free(lines->role);
    free(lines->class_name);
    free(lines->address);
    free(lines->metrics_url);
    free(lines->pprof_url);
    free(lines->input);
    text_list_fini(&lines->roles);
    text_list_fini(&lines->groups);
    text_list_fini(&lines->headers);
    node_secret_fini(&lines->token);
    node_secret_fini(&lines->admin_token);
    free(lines->pid_file);
    free(lines->program);
}

/* A whole address of metrics or profiles; a password in it becomes a header. */
static int set_url(struct node *node, const char *text, bool is_folder, char **url,
                   struct fault *fault)
{
    struct node_address address;
    const char *path = is_folder ? "/" : "";
    if (!text)
        return 0;
    if (!node_address_has_scheme(text))
        return fault_set(
            fault, -EINVAL,
            "metrics_url and pprof_url are whole addresses, with http://, https:// or unix:");
    int err = node_address_parse(text, 0, &address, fault);
    if (err)
        return err;
    if (address.authorization)
        err = node_add_header(node, address.authorization, fault);
    if (!err && !node->nick && !node_set(&node->nick, address.nick))
        err = -ENOMEM;
    if (!err && asprintf(url, "%s%s", address.base, path) < 0) {
        *url = NULL;
        err = -ENOMEM;
    }
    node_address_fini(&address);
    return err;
}

static int set_own(struct node *node, const struct node_lines *lines, struct fault *fault)
{
    int err = 0;
    for (size_t i = 0; !err && i < lines->headers.count; i++)
        err = node_add_header(node, lines->headers.items[i], fault);
    char *token = NULL, *admin_token = NULL;
    if (!err)
        err = node_secret_read(&lines->token, &token, fault);
    if (!err)
        err = node_secret_read(&lines->admin_token, &admin_token, fault);
    if (token) {
        free(node->token);
        node->token = token;
    }
    if (admin_token) {
        free(node->admin_token);
        node->admin_token = admin_token;
    }
    node->captures = lines->captures;
    node->recordings = lines->recordings;
    node->timeout_ms = (lines->timeout_ns + 999999) / 1000000;
    node->gives_blocks = lines->gives_blocks;
    if (!err && !node_set(&node->role, lines->role))
        err = fault_set(fault, -ENOMEM, "not enough memory for the nodes");
    return err;
}

static int set_process(struct node *node, const struct node_lines *lines, struct fault *fault)
{
    int const given = !!lines->pid + !!lines->pid_file + !!lines->program + !!lines->listens;
    if (given > 1)
        return fault_set(
            fault, -EINVAL,
            "pid, pidfile, program and listens each name the process: keep only one of them");
    if (lines->pid > INT32_MAX)
        return fault_set(fault, -EINVAL, "this number is too large for a PID");
    node->has_process = node->has_process || given == 1;
    node->process.pid = (uint32_t)lines->pid;
    node->process.port = lines->listens;
    if (!node_set(&node->process.pid_file, lines->pid_file) ||
        !node_set(&node->process.name, lines->program))
        return fault_set(fault, -ENOMEM, "not enough memory for the nodes");
    return 0;
}

/* A node with an address, or only a process. */
static int fill_node(struct node *node, const struct node_lines *lines, struct fault *fault)
{
    const char *nick = lines->nick ? lines->nick : lines->name;
    bool const has_url = lines->metrics_url || lines->pprof_url;
    if ((lines->name && !node_set(&node->name, lines->name)) ||
        (nick && !node_set(&node->nick, nick)))
        return fault_set(fault, -ENOMEM, "not enough memory for the nodes");
    int err = set_own(node, lines, fault);
    if (!err)
        err = set_process(node, lines, fault);
    if (!err)
        err = set_url(node, lines->metrics_url, false, &node->metrics_url, fault);
    if (!err)
        err = set_url(node, lines->pprof_url, true, &node->pprof_url, fault);
    if (!err && lines->address)
        err = node_set_address(node, lines->address, lines->port ? lines->port : node->class->port,
                               fault);
    if (!err && !lines->address && !has_url && !node->has_process)
        err = fault_set(fault, -EINVAL,
                        "a node has an address, a metrics_url or pprof_url, a folder, an "
                        "inventory, or a process "
                        "(pid, pidfile, program, listens)");
    if (!err && !node->nick && node->process.name && !node_set(&node->nick, node->process.name))
        err = fault_set(fault, -ENOMEM, "not enough memory for the nodes");
    return err;
}

static const char *class_of(const struct node_lines *lines, const struct node_list_options *options)
{
    if (lines->class_name)
        return lines->class_name;
    if (options && options->class_name)
        return options->class_name;
    return lines->address || lines->metrics_url || lines->pprof_url ? "auto" : "process";
}

static int build_input(const struct node_lines *lines, struct node_list *list,
                       const struct node_list_options *options, struct fault *fault)
{
    struct node_list_options own = options ? *options : (struct node_list_options){.port = 0};
    struct node like = {.gives_blocks = true};
    if (lines->roles.count)
        own.roles = lines->roles;
    if (lines->groups.count)
        own.name_res = lines->groups;
    if (lines->port)
        own.port = lines->port;
    if (lines->class_name)
        own.class_name = lines->class_name;
    struct node_pattern const pattern = {.options = &own, .like = &like};
    like.name = lines->name;
    like.nick = lines->nick ? lines->nick : lines->name;
    int err = set_own(&like, lines, fault);
    if (!err)
        err = node_input_read(list, lines->input, &pattern, fault);
    free(like.role);
    free(like.token);
    free(like.admin_token);
    text_list_fini(&like.headers);
    return err;
}

int node_lines_build(const struct node_lines *lines, struct node_list *list,
                     const struct node_list_options *options, struct fault *fault)
{
    if (lines->input && (lines->address || lines->metrics_url || lines->pprof_url))
        return fault_set(
            fault, -EINVAL,
            "an address and a folder or inventory do not go together: make them two nodes");
    if (lines->input)
        return build_input(lines, list, options, fault);
    struct node_pattern const pattern = {.options = NULL};
    struct node *node = node_of_pattern(list, &pattern, class_of(lines, options), fault);
    int err = node ? fill_node(node, lines, fault) : -EINVAL;
    if (!err)
        err = node_apply_options(node, options, fault);
    if (!err)
        return node_list_take(list, node, fault);
    node_destroy(node);
    return err;
}
