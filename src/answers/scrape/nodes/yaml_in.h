/* yaml_in.h - a YAML document as maps, lists and texts: configuration of people, bounded, any
 * input.
 *
 * Texts are UTF-8, owned by the document, and end with a NUL.  Numbers and truths are texts to
 * whoever wants them.  Anchors and aliases are followed, so a document may contain itself: go
 * down a known number of levels.  Documents with more levels, parts, anchors or aliases than
 * configurations have are refused before they cost time. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <yaml.h>

#include "base/fault.h"
#include "base/slice.h"

#define YAML_IN_BYTES_MAX (1u << 20)
#define YAML_IN_DEPTH_MAX 64      /* of maps and lists in each other */
#define YAML_IN_PARTS_MAX 100000u /* texts, maps and lists */
#define YAML_IN_NAMES_MAX 1000u   /* anchors, aliases, directives: of each */

struct yaml_in {
    yaml_document_t document;
};

/* One document, not empty.  Returns 0 or -errno with a sentence and the line in fault->offset; then
 * there is nothing to end. */
int yaml_in_open(struct yaml_in *yaml, struct slice text, struct fault *fault);
int yaml_in_open_file(struct yaml_in *yaml, const char *path, struct fault *fault);
void yaml_in_close(struct yaml_in *yaml);

/* `node`, `list` and `map` may be NULL: such a node has no text, no items, and line 0. */
const yaml_node_t *yaml_in_root(struct yaml_in *yaml);
const char *yaml_in_text(const yaml_node_t *node); /* NULL: no scalar */
size_t yaml_in_line(const yaml_node_t *node);      /* for sentences; from 1 */

/* Of a list or a map; 0 for anything else. */
size_t yaml_in_count(const yaml_node_t *node);
int yaml_in_is_list(const yaml_node_t *node);
int yaml_in_is_map(const yaml_node_t *node);
const yaml_node_t *yaml_in_item(struct yaml_in *yaml, const yaml_node_t *list, size_t index);
/* Returns the value of pair `index`; *key is "" if the key is no scalar. */
const yaml_node_t *yaml_in_pair(struct yaml_in *yaml, const yaml_node_t *map, size_t index,
                                const char **key);
size_t yaml_in_key_line(struct yaml_in *yaml, const yaml_node_t *map, size_t index);
/* Returns the first with this key, or NULL. */
const yaml_node_t *yaml_in_get(struct yaml_in *yaml, const yaml_node_t *map, const char *key);
