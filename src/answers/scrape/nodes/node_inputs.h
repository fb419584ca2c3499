/* node_inputs.h - each kind of input adds its nodes to a list.  Returns 0 or -errno with a
 * sentence. */
#pragma once

#include "cluster/runs/inventory.h"
#include "scrape/nodes/node_list.h"

/* What is given about all nodes of an input: class, tokens, headers, captures.  NULL: nothing. */
struct node_pattern {
    const struct node_list_options *options;
    /* of `defaults:` or of the line that names the input; its headers, tokens, captures, limits
     * and role are taken */
    const struct node *like;
};

/* The text of a configuration whose path is for sentences, rights and relative paths. */
int node_config_parse(struct node_list *list, struct slice text, const char *path,
                      const struct node_list_options *options, struct fault *fault);
int node_config_read(struct node_list *list, const char *path,
                     const struct node_list_options *options, struct fault *fault);

/* A data folder: it has the address_file of a class.  A folder that has none is left out with a
 * doubt. */
int node_folder_read(struct node_list *list, const char *path, const struct node_pattern *pattern,
                     struct fault *fault);

/* The text of a file that may be an inventory; one without hosts is left out with a doubt. */
int node_inventory_read(struct node_list *list, const char *path,
                        const struct node_pattern *pattern, struct fault *fault);

/* http://…, https://…, unix:…, pid:N, name:PROGRAM, a folder, or a file. */
int node_input_read(struct node_list *list, const char *input, const struct node_pattern *pattern,
                    struct fault *fault);

/* Returns a new node of the class (NULL with a sentence when there is no such class), with what the
 * pattern has. */
struct node *node_of_pattern(struct node_list *list, const struct node_pattern *pattern,
                             const char *class_name, struct fault *fault);
