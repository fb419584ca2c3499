/* yaml_in.h - reads a YAML document as maps, lists and texts; safe for any input.
 *
 * Texts are UTF-8, end with a NUL, and are owned by the document.  Numbers and truth values are
 * texts, too.  Anchors and aliases are followed, so a document may contain itself: a caller must
 * limit the levels it visits.  Documents with more levels, parts, anchors or aliases than a
 * configuration needs are refused before they take much time. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <yaml.h>

#include "base/fault.h"
#include "base/slice.h"

#define YAML_IN_BYTES_MAX (1u << 20)
#define YAML_IN_DEPTH_MAX 64      /* levels of maps and lists */
#define YAML_IN_PARTS_MAX 100000u /* texts, maps and lists */
#define YAML_IN_NAMES_MAX 1000u   /* limit for anchors, for aliases, and for directives */

struct yaml_in {
    yaml_document_t document;
};

/* Reads one document, which must not be empty.  Returns 0; or -errno with a sentence and the line
 * in fault->offset, and then yaml_in_close need not be called. */
int yaml_in_open(struct yaml_in *yaml, struct slice text, struct fault *fault);
int yaml_in_open_file(struct yaml_in *yaml, const char *path, struct fault *fault);
void yaml_in_close(struct yaml_in *yaml);

/* `node`, `list` and `map` may be NULL: such a node has no text, no items, and line 0. */
const yaml_node_t *yaml_in_root(struct yaml_in *yaml);
const char *yaml_in_text(const yaml_node_t *node); /* NULL: no scalar */
size_t yaml_in_line(const yaml_node_t *node);      /* for sentences; from 1 */

/* Returns the number of items or pairs of a list or a map; 0 for any other node. */
size_t yaml_in_count(const yaml_node_t *node);
int yaml_in_is_list(const yaml_node_t *node);
int yaml_in_is_map(const yaml_node_t *node);
const yaml_node_t *yaml_in_item(struct yaml_in *yaml, const yaml_node_t *list, size_t index);
/* Returns the value of pair `index`; *key is "" if the key is no scalar. */
const yaml_node_t *yaml_in_pair(struct yaml_in *yaml, const yaml_node_t *map, size_t index,
                                const char **key);
size_t yaml_in_key_line(struct yaml_in *yaml, const yaml_node_t *map, size_t index);
/* Returns the value of the first pair with this key, or NULL. */
const yaml_node_t *yaml_in_get(struct yaml_in *yaml, const yaml_node_t *map, const char *key);
