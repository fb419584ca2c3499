/* node_inputs.h - reads each kind of input, and adds its nodes to a list.
 *
 * All functions return 0 or -errno with a sentence, unless a comment says otherwise. */
#pragma once

#include "cluster/runs/inventory.h"
#include "scrape/nodes/node_list.h"

/* What is given for all nodes of an input: class, tokens, headers, captures.  NULL: nothing. */
struct node_pattern {
    const struct node_list_options *options;
    /* from `defaults:`, or from the line that names the input; its headers, tokens, captures,
     * limits and role are copied */
    const struct node *like;
};

/* Reads a configuration from `text`; `path` is for sentences, permissions and relative paths. */
int node_config_parse(struct node_list *list, struct slice text, const char *path,
                      const struct node_list_options *options, struct fault *fault);
int node_config_read(struct node_list *list, const char *path,
                     const struct node_list_options *options, struct fault *fault);

/* Reads a data folder, which has the address_file of a class.  A folder without is left out, with a
 * doubt. */
int node_folder_read(struct node_list *list, const char *path, const struct node_pattern *pattern,
                     struct fault *fault);

/* Reads a file that may be an inventory.  A file without hosts is left out, with a doubt. */
int node_inventory_read(struct node_list *list, const char *path,
                        const struct node_pattern *pattern, struct fault *fault);

/* Reads any input: http://…, https://…, unix:…, pid:N, name:PROGRAM, a folder, or a file. */
int node_input_read(struct node_list *list, const char *input, const struct node_pattern *pattern,
                    struct fault *fault);

/* Returns a new node of the class, with the settings of the pattern.  NULL with a sentence if there
 * is no such class. */
struct node *node_of_pattern(struct node_list *list, const struct node_pattern *pattern,
                             const char *class_name, struct fault *fault);
