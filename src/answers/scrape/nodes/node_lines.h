/* node_lines.h - a node as a configuration describes it, and the nodes made from that. */
#pragma once

#include "scrape/nodes/config.h"
#include "scrape/nodes/node_list.h"
#include "scrape/nodes/node_secret.h"

struct node_lines { /* all zero except gives_blocks to begin */
    char *name, *nick, *role, *class_name;
    char *address, *metrics_url, *pprof_url;
    char *input;             /* a data folder, an inventory, or any other input */
    text_list roles, groups; /* for an inventory */
    uint16_t port;
    text_list headers;
    struct node_secret token, admin_token;
    uint64_t pid;
    char *pid_file, *program;
    uint16_t listens;
    uint32_t captures, recordings;
    uint64_t timeout_ns;
    bool gives_blocks;
};

/* Parses the pairs of a map.  `as_defaults`: allows only settings that several nodes can share.
 * Returns 0 or -errno with a sentence in config->fault. */
int node_lines_parse(struct config *config, const yaml_node_t *map, bool as_defaults,
                     struct node_lines *lines);
/* Adds the node, or the nodes of its input, to the list.  Returns 0 or -errno with a sentence. */
int node_lines_build(const struct node_lines *lines, struct node_list *list,
                     const struct node_list_options *options, struct fault *fault);
void node_lines_fini(struct node_lines *lines);

int node_lines_is_address(const char *text); /* http://…, https://…, unix:… */
