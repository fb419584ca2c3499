/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/nodes/yaml_in.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "procfs/process/proc_text.h"

/* A text with a NUL inside is two texts to C: nobody writes that on purpose. */
static int refuse_nul(struct yaml_in *yaml, struct fault *fault)
{
    for (yaml_node_t *node = yaml->document.nodes.start; node < yaml->document.nodes.top; node++)
        if (node->type == YAML_SCALAR_NODE &&
            memchr(node->data.scalar.value, '\0', node->data.scalar.length))
            return fault_at(fault, -EINVAL, node->start_mark.line + 1,
                            "line %zu: a text has a NUL character in it",
                            node->start_mark.line + 1);
    return 0;
}

static int say_no_yaml(const yaml_parser_t *parser, struct fault *fault)
{
    if (parser->error == YAML_MEMORY_ERROR)
        return fault_set(fault, -ENOMEM, "out of memory");
    return fault_at(fault, -EINVAL, parser->problem_mark.line + 1, "line %zu: %s",
                    parser->problem_mark.line + 1, parser->problem ? parser->problem : "no YAML");
}

struct yaml_sums {
    size_t depth, parts, anchors, aliases;
};

/* Adds an event; what there is too much of, or NULL. */
static const char *count_event(struct yaml_sums *sums, const yaml_event_t *event)
{
    const yaml_char_t *anchor = NULL;
    switch (event->type) {
    case YAML_ALIAS_EVENT:
        return ++sums->aliases > YAML_IN_NAMES_MAX ? "aliases" : NULL;
    case YAML_SCALAR_EVENT:
        anchor = event->data.scalar.anchor;
        break;
    case YAML_SEQUENCE_START_EVENT:
        anchor = event->data.sequence_start.anchor;
        sums->depth++;
        break;
    case YAML_MAPPING_START_EVENT:
        anchor = event->data.mapping_start.anchor;
        sums->depth++;
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        sums->depth--;
        return NULL;
    default:
        return NULL;
    }
    sums->anchors += anchor != NULL;
    return sums->depth > YAML_IN_DEPTH_MAX     ? "levels"
           : ++sums->parts > YAML_IN_PARTS_MAX ? "parts"
           : sums->anchors > YAML_IN_NAMES_MAX ? "anchors"
                                               : NULL;
}

static int too_many(struct fault *fault, size_t line, const char *what)
{
    return fault_at(fault, -E2BIG, line,
                    "line %zu: the file has more %s than any configuration needs", line, what);
}

/* A parser compares each directive ("%TAG ...") with all before it. */
static int check_directives(struct slice text, struct fault *fault)
{
    size_t line = 1, directives = 0;
    for (size_t at = 0; at < text.size; at++) {
        directives += text.data[at] == '%' && (at == 0 || text.data[at - 1] == '\n');
        if (directives > YAML_IN_NAMES_MAX)
            return too_many(fault, line, "directives");
        line += text.data[at] == '\n';
    }
    return 0;
}

/* The document in passing, without keeping any of it: making one takes time that grows with the
 * square of its levels and anchors. */
static int check_sums(struct slice text, struct fault *fault)
{
    yaml_parser_t parser;
    struct yaml_sums sums = {0};
    bool goes_on = true;
    int err = 0;
    if (!yaml_parser_initialize(&parser))
        return fault_set(fault, -ENOMEM, "out of memory");
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text.data, text.size);
    while (goes_on && !err) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            err = say_no_yaml(&parser, fault);
            break;
        }
        const char *much = count_event(&sums, &event);
        size_t const line = event.start_mark.line + 1;
        goes_on = event.type != YAML_DOCUMENT_END_EVENT && event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
        if (much)
            err = too_many(fault, line, much);
    }
    yaml_parser_delete(&parser);
    return err;
}

static int load(struct yaml_in *yaml, yaml_parser_t *parser, struct fault *fault)
{
    if (!yaml_parser_load(parser, &yaml->document))
        return say_no_yaml(parser, fault);
    int err = yaml_document_get_root_node(&yaml->document)
                  ? refuse_nul(yaml, fault)
                  : fault_set(fault, -ENODATA, "there is nothing in it");
    if (err)
        yaml_document_delete(&yaml->document);
    return err;
}

int yaml_in_open(struct yaml_in *yaml, struct slice text, struct fault *fault)
{
    if (text.size > YAML_IN_BYTES_MAX)
        return fault_set(fault, -EFBIG,
                         "the file is larger than 1 MiB, too large for a configuration");
    yaml_parser_t parser;
    int err = check_directives(text, fault);
    if (!err)
        err = check_sums(text, fault);
    if (err)
        return err;
    if (!yaml_parser_initialize(&parser))
        return fault_set(fault, -ENOMEM, "out of memory");
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text.data, text.size);
    err = load(yaml, &parser, fault);
    yaml_parser_delete(&parser);
    return err;
}

int yaml_in_open_file(struct yaml_in *yaml, const char *path, struct fault *fault)
{
    char *text;
    struct fault why = {0};
    int err = proc_text_read(path, YAML_IN_BYTES_MAX + 1, &text);
    if (err)
        return fault_set(fault, err, "cannot read %s: %s", path, strerror(-err));
    err = yaml_in_open(yaml, slice_of(text), &why);
    free(text);
    if (err)
        fault_at(fault, err, why.offset, "%s: %s", path, why.text);
    return err;
}

void yaml_in_close(struct yaml_in *yaml)
{
    yaml_document_delete(&yaml->document);
}

const yaml_node_t *yaml_in_root(struct yaml_in *yaml)
{
    return yaml_document_get_root_node(&yaml->document);
}

const char *yaml_in_text(const yaml_node_t *node)
{
    return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

size_t yaml_in_line(const yaml_node_t *node)
{
    return node ? node->start_mark.line + 1 : 0;
}

int yaml_in_is_list(const yaml_node_t *node)
{
    return node && node->type == YAML_SEQUENCE_NODE;
}

int yaml_in_is_map(const yaml_node_t *node)
{
    return node && node->type == YAML_MAPPING_NODE;
}

size_t yaml_in_count(const yaml_node_t *node)
{
    if (yaml_in_is_list(node))
        return (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
    if (yaml_in_is_map(node))
        return (size_t)(node->data.mapping.pairs.top - node->data.mapping.pairs.start);
    return 0;
}

const yaml_node_t *yaml_in_item(struct yaml_in *yaml, const yaml_node_t *list, size_t index)
{
    if (!yaml_in_is_list(list) || index >= yaml_in_count(list))
        return NULL;
    return yaml_document_get_node(&yaml->document, list->data.sequence.items.start[index]);
}

const yaml_node_t *yaml_in_pair(struct yaml_in *yaml, const yaml_node_t *map, size_t index,
                                const char **key)
{
    *key = "";
    if (!yaml_in_is_map(map) || index >= yaml_in_count(map))
        return NULL;
    yaml_node_pair_t const pair = map->data.mapping.pairs.start[index];
    const char *text = yaml_in_text(yaml_document_get_node(&yaml->document, pair.key));
    if (text)
        *key = text;
    return yaml_document_get_node(&yaml->document, pair.value);
}

size_t yaml_in_key_line(struct yaml_in *yaml, const yaml_node_t *map, size_t index)
{
    if (!yaml_in_is_map(map) || index >= yaml_in_count(map))
        return 0;
    return yaml_in_line(
        yaml_document_get_node(&yaml->document, map->data.mapping.pairs.start[index].key));
}

const yaml_node_t *yaml_in_get(struct yaml_in *yaml, const yaml_node_t *map, const char *key)
{
    for (size_t i = 0; i < yaml_in_count(map); i++) {
        const char *name;
        const yaml_node_t *value = yaml_in_pair(yaml, map, i, &name);
        if (yaml_in_is_map(map) && strcmp(name, key) == 0)
            return value;
    }
    return NULL;
}
