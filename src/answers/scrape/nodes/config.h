/* config.h - parses keys and values of a configuration by tables.  Anything that no table has is an
 * error, with file and line.
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
    const char *path;     /* as given, for sentences */
    const char *folder;   /* relative paths in the file start from it; "" is the current folder */
    bool others_may_read; /* the mode of the file lets every user read it */
    bool holds_secret;    /* the file contains a secret */
    struct fault *fault;
};

/* Parses a value into `into`, which is the field of the key.  The old value is replaced. */
typedef int (*config_parser)(struct config *config, const yaml_node_t *value, void *into);
struct config_key {
    const char *name; /* NULL ends the table */
    config_parser parse;
    size_t offset; /* of the field, in the struct that is being filled */
};

/* Sets the sentence "PATH:LINE: …".  Returns -EINVAL. */
int config_wrong(struct config *config, const yaml_node_t *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int config_wrong_line(struct config *config, size_t line, const char *text);
int config_no_memory(struct config *config);

/* Parses every pair of the map `where` by the table `keys`.  `what` names the map in sentences,
 * such as "a node". */
int config_parse(struct config *config, const yaml_node_t *where, const struct config_key *keys,
                 const char *what, void *into);

int config_text(struct config *config, const yaml_node_t *value,
                void *into); /* fills a char *; not empty, without control characters */
int config_path(struct config *config, const yaml_node_t *value,
                void *into); /* fills a char *; path of a file, relative to config->folder */
int config_texts(struct config *config, const yaml_node_t *value,
                 void *into); /* fills a text_list; from a list, or from one text */
int config_port(struct config *config, const yaml_node_t *value, void *into);  /* uint16_t */
int config_count(struct config *config, const yaml_node_t *value, void *into); /* uint64_t, not 0 */
int config_duration(struct config *config, const yaml_node_t *value,
                    void *into); /* uint64_t, ns, not 0 */
int config_truth(struct config *config, const yaml_node_t *value,
                 void *into); /* bool: yes, no, true, false */

/* Parses names into bits: one name, or a list of names; `name_of` knows the names. */
int config_bits(struct config *config, const yaml_node_t *value,
                const char *(*name_of)(unsigned index), uint32_t *bits);
