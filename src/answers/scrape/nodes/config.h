/* config.h - keys and values of a configuration: tables say what there may be, and all else
 * is there gets a sentence with file and line.
 *
 * All functions return 0 or -errno with a sentence in config->fault. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scrape/nodes/node.h"
#include "scrape/nodes/yaml_in.h"

struct config {
    struct yaml_in yaml;
    const char *path;     /* as it was given, for sentences */
    const char *folder;   /* that relative paths in it start from; "" is the present one */
    bool others_may_read; /* the file's rights let everybody have it */
    bool holds_secret;    /* a secret stands in it */
    struct fault *fault;
};

/* How a value goes to `into`, which is what the table's key points at.  What was there
 * before is replaced. */
typedef int (*config_parser)(struct config *config, const yaml_node_t *value, void *into);
struct config_key {
    const char *name; /* NULL ends the table */
    config_parser parse;
    size_t offset; /* in what is being filled */
};

/* "PATH:LINE: …", -EINVAL. */
int config_wrong(struct config *config, const yaml_node_t *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int config_wrong_line(struct config *config, size_t line, const char *text);
int config_no_memory(struct config *config);

/* Every pair of the map `where` by its key of the table; `what` it is ("a node"), for sentences. */
int config_parse(struct config *config, const yaml_node_t *where, const struct config_key *keys,
                 const char *what, void *into);

int config_text(struct config *config, const yaml_node_t *value,
                void *into); /* char *; not empty, without control characters */
int config_path(struct config *config, const yaml_node_t *value,
                void *into); /* char *; of a file, from config->folder */
int config_texts(struct config *config, const yaml_node_t *value,
                 void *into); /* text_list; a list, or one */
int config_port(struct config *config, const yaml_node_t *value, void *into);  /* uint16_t */
int config_count(struct config *config, const yaml_node_t *value, void *into); /* uint64_t, not 0 */
int config_duration(struct config *config, const yaml_node_t *value,
                    void *into); /* uint64_t, ns, not 0 */
int config_truth(struct config *config, const yaml_node_t *value,
                 void *into); /* bool: yes, no, true, false */

/* Bits by name: a list of the names that `name_of` knows, or one. */
int config_bits(struct config *config, const yaml_node_t *value,
                const char *(*name_of)(unsigned index), uint32_t *bits);
