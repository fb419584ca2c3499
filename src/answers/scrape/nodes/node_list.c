/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/nodes/node_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/human.h"
#include "base/pattern/pattern.h"
#include "procfs/process/process_facts.h"
#include "procfs/process/process_status.h"
#include "scrape/nodes/node_address.h"
#include "scrape/nodes/node_class.h"
#include "scrape/nodes/node_inputs.h"
#include "scrape/nodes/node_make.h"
#include "scrape/nodes/text_list.h"

const char *node_capture_name(unsigned index)
{
    static const char *const names[] = {"heap", "goroutine", "mutex",     "block",
                                        "cpu",  "metrics",   "blockinfo", "rss"};
    return index < sizeof(names) / sizeof(names[0]) ? names[index] : NULL;
}

const char *node_recording_name(unsigned index)
{
    static const char *const names[] = {"heap", "pages", "cpu"};
    return index < sizeof(names) / sizeof(names[0]) ? names[index] : NULL;
}

int node_list_init(struct node_list *list, struct fault *fault)
{
    struct config config = {.path = "classes.yaml", .folder = "", .fault = fault};
    *list = (struct node_list){.inventory_path = NULL};
    int err =
        yaml_in_open(&config.yaml, (struct slice){shipped_classes, shipped_classes_size}, fault);
    if (err)
        return err;
    err = node_classes_parse(&config, yaml_in_root(&config.yaml), list);
    yaml_in_close(&config.yaml);
    if (err)
        node_list_fini(list);
    return err;
}

void node_list_fini(struct node_list *list)
{
    vec_each (node, &list->nodes)
        node_destroy(*node);
    vec_free(&list->nodes);
    vec_each (class, &list->classes)
        node_class_destroy(*class);
    vec_free(&list->classes);
    text_list_fini(&list->doubts);
    free(list->inventory_path);
    free(list->wishes.out);
    *list = (struct node_list){.inventory_path = NULL};
}

static bool copy_like(struct node *node, const struct node *like)
{
    node->captures = like->captures;
    node->recordings = like->recordings;
    node->timeout_ms = like->timeout_ms;
    node->gives_blocks = like->gives_blocks;
    return node_set(&node->name, like->name) && node_set(&node->nick, like->nick) &&
           text_list_add_all(&node->headers, &like->headers) && node_set(&node->role, like->role) &&
           node_set(&node->token, like->token) && node_set(&node->admin_token, like->admin_token);
}

struct node *node_of_pattern(struct node_list *list, const struct node_pattern *pattern,
                             const char *class_name, struct fault *fault)
{
    const struct node_class *class = node_class_find(list, class_name);
    if (!class) {
        fault_set(fault, -EINVAL,
                  "there is no class %s; docs/nodes.md lists the classes, and says how to add one",
                  class_name);
        return NULL;
    }
    struct node *node = node_create();
    if (!node || (pattern->like && !copy_like(node, pattern->like))) {
        fault_set(fault, -ENOMEM, "not enough memory for the nodes");
        node_destroy(node);
        return NULL;
    }
    node->class = class;
    if (node_apply_options(node, pattern->options, fault) != 0) {
        node_destroy(node);
        return NULL;
    }
    return node;
}

static int add_address(struct node_list *list, const char *input,
                       const struct node_pattern *pattern, struct fault *fault)
{
    const struct node_list_options *options = pattern->options;
    struct node *node = node_of_pattern(
        list, pattern, options && options->class_name ? options->class_name : "auto", fault);
    if (!node)
        return -EINVAL;
    int const err = node_set_address(node, input, options ? options->port : 0, fault);
    if (!err)
        return node_list_take(list, node, fault);
    node_destroy(node);
    return err;
}

static int add_program(struct node_list *list, const char *name, const struct node_pattern *pattern,
                       struct fault *fault)
{
    struct node *node = node_of_pattern(list, pattern, "process", fault);
    if (!node)
        return -EINVAL;
    node->has_process = true;
    int err = 0;
    if (!name[0] || strchr(name, '/'))
        err = fault_set(fault, -EINVAL,
                        "name: is followed by the name of a program, as in name:etcd");
    else if (!node_set(&node->process.name, name) || (!node->nick && !node_set(&node->nick, name)))
        err = fault_set(fault, -ENOMEM, "not enough memory for the nodes");
    if (!err)
        return node_list_take(list, node, fault);
    node_destroy(node);
    return err;
}

static int add_pid(struct node_list *list, const char *text, const struct node_pattern *pattern,
                   struct fault *fault)
{
    uint64_t pid;
    char nick[64];
    struct process_status status;
    if (human_parse_count(text, &pid) != 0 || pid == 0 || pid > INT32_MAX)
        return fault_set(fault, -EINVAL, "pid: is followed by a process id, as in pid:4242");
    if (process_status_read((uint32_t)pid, 0, &status) != 0)
        return fault_set(fault, -ESRCH, "there is no process %s; `ps -ef` lists all processes",
                         text);
    struct node *node = node_of_pattern(list, pattern, "process", fault);
    if (!node)
        return -EINVAL;
    node->has_process = true;
    node->process.pid = (uint32_t)pid;
    snprintf(nick, sizeof(nick), "%s-%s", status.name, text);
    int err = node->nick || node_set(&node->nick, nick)
                  ? 0
                  : fault_set(fault, -ENOMEM, "not enough memory for the nodes");
    if (!err && node_pid(node, fault) == 0) /* remembers whom that is */
        err = -ESRCH;
    if (!err)
        return node_list_take(list, node, fault);
    node_destroy(node);
    return err;
}

int node_input_read(struct node_list *list, const char *input, const struct node_pattern *pattern,
                    struct fault *fault)
{
    struct stat about;
    if (node_address_has_scheme(input))
        return add_address(list, input, pattern, fault);
    if (strncmp(input, "pid:", 4) == 0)
        return add_pid(list, input + 4, pattern, fault);
    if (strncmp(input, "name:", 5) == 0)
        return add_program(list, input + 5, pattern, fault);
    if (stat(input, &about) != 0)
        return fault_set(fault, -errno,
                         "%s: %s; an input is a configuration (.yaml), an inventory, a node's data "
                         "folder, an address (http://, unix:), pid:N or name:PROGRAM",
                         input, strerror(errno));
    if (S_ISDIR(about.st_mode))
        return node_folder_read(list, input, pattern, fault);
    return node_inventory_read(list, input, pattern, fault);
}

static bool ends_with(const char *text, const char *end)
{
    size_t const size = strlen(text), end_size = strlen(end);
    return size > end_size && strcmp(text + size - end_size, end) == 0;
}

/* Whether the pattern means this node: by name or nick, or as the groups of an inventory are
 * called. */
static bool is_meant(const struct node *node, const struct pattern *pattern)
{
    const char *const forms[][2] = {
        {"", node->name}, {"", node->nick}, {"name_", node->name}, {"role_", node->role}};
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        char text[512];
        snprintf(text, sizeof(text), "%s%s", forms[i][0], forms[i][1]);
        if (pattern_matches(pattern, slice_of(text)))
            return true;
    }
    return false;
}

static int choose_givers(struct node_list *list, size_t first, const char *expression,
                         struct fault *fault)
{
    struct pattern *pattern;
    int err = pattern_compile(expression, PATTERN_AT_START, NULL, &pattern, fault);
    if (err)
        return err;
    for (size_t i = first; i < list->nodes.count; i++)
        list->nodes.items[i]->gives_blocks &= is_meant(list->nodes.items[i], pattern);
    err = pattern_check(pattern, fault);
    pattern_destroy(pattern);
    return err;
}

int node_list_add(struct node_list *list, const char *input,
                  const struct node_list_options *options, struct fault *fault)
{
    struct node_pattern const pattern = {.options = options};
    size_t const before = list->nodes.count;
    int err;
    if (!node_address_has_scheme(input) && (ends_with(input, ".yaml") || ends_with(input, ".yml")))
        err = node_config_read(list, input, options, fault);
    else
        err = node_input_read(list, input, &pattern, fault);
    if (!err && options && options->block_re)
        err = choose_givers(list, before, options->block_re, fault);
    return err;
}
