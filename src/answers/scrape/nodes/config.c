/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/nodes/config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "scrape/nodes/text_list.h"

#define LIST_MAX 4096u /* aliases make long lists of short texts */

int config_wrong(struct config *config, const yaml_node_t *where, const char *format, ...)
{
    char text[FAULT_TEXT_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return config_wrong_line(config, yaml_in_line(where), text);
}

int config_wrong_line(struct config *config, size_t line, const char *text)
{
    return fault_at(config->fault, -EINVAL, line, "%s:%zu: %s", config->path, line, text);
}

int config_no_memory(struct config *config)
{
    return fault_set(config->fault, -ENOMEM, "not enough memory to read %s", config->path);
}

static const struct config_key *find_key(const struct config_key *keys, const char *name)
{
    while (keys->name && strcmp(keys->name, name) != 0)
        keys++;
    return keys->name ? keys : NULL;
}

static int unknown_key(struct config *config, size_t line, const char *key,
                       const struct config_key *keys, const char *what)
{
    char known[360] = "", text[FAULT_TEXT_MAX];
    size_t size = 0;
    for (; keys->name && size < sizeof(known); keys++)
        size += (size_t)snprintf(known + size, sizeof(known) - size, "%s%s", size ? ", " : "",
                                 keys->name);
    snprintf(text, sizeof(text), "`%.40s` is no key of %s; there are %s", key, what, known);
    return config_wrong_line(config, line, text);
}

/* Whether the key of pair `index` stands before it, too. */
static bool is_repeated(struct config *config, const yaml_node_t *map, size_t index,
                        const char *key)
{
    for (size_t i = 0; i < index; i++) {
        const char *other;
        yaml_in_pair(&config->yaml, map, i, &other);
        if (strcmp(other, key) == 0)
            return true;
    }
    return false;
}

int config_parse(struct config *config, const yaml_node_t *where, const struct config_key *keys,
                 const char *what, void *into)
{
    if (!yaml_in_is_map(where))
        return config_wrong(config, where, "%s is written as lines of `key: value`", what);
    for (size_t i = 0; i < yaml_in_count(where); i++) {
        const char *name;
        const yaml_node_t *value = yaml_in_pair(&config->yaml, where, i, &name);
        const struct config_key *key = find_key(keys, name);
        if (!key)
            return unknown_key(config, yaml_in_key_line(&config->yaml, where, i), name, keys, what);
        if (is_repeated(config, where, i, name))
            return config_wrong(config, value, "`%s` is there twice", name);
        int const err = key->parse(config, value, (char *)into + key->offset);
        if (err)
            return err;
    }
    return 0;
}

/* The text of a value, or NULL with a sentence. */
static const char *plain_text(struct config *config, const yaml_node_t *value)
{
    const char *text = yaml_in_text(value);
    if (!text || !text[0]) {
        config_wrong(config, value, "exactly one value belongs here");
        return NULL;
    }
    for (const char *letter = text; *letter; letter++)
        if ((unsigned char)*letter < ' ' || *letter == 0x7f) {
            config_wrong(config, value,
                         "a value goes over several lines, or has a control character in it");
            return NULL;
        }
    return text;
}

int config_text(struct config *config, const yaml_node_t *value, void *into)
{
    const char *text = plain_text(config, value);
    if (!text)
        return -EINVAL;
    char *copy = strdup(text), **owner = into;
    if (!copy)
        return config_no_memory(config);
    free(*owner);
    *owner = copy;
    return 0;
}

int config_path(struct config *config, const yaml_node_t *value, void *into)
{
    const char *text = plain_text(config, value);
    char *path = NULL, **owner = into;
    if (!text)
        return -EINVAL;
    bool const is_whole = text[0] == '/' || !config->folder[0];
    if (asprintf(&path, "%s%s%s", is_whole ? "" : config->folder, is_whole ? "" : "/", text) < 0)
        return config_no_memory(config);
    free(*owner);
    *owner = path;
    return 0;
}

int config_texts(struct config *config, const yaml_node_t *value, void *into)
{
    text_list list = {0}, *owner = into;
    size_t const count = yaml_in_is_list(value) ? yaml_in_count(value) : 1;
    int err = count > LIST_MAX
                  ? config_wrong(config, value, "a list has more than %u lines", LIST_MAX)
                  : 0;
    for (size_t i = 0; !err && i < count; i++) {
        const yaml_node_t *item =
            yaml_in_is_list(value) ? yaml_in_item(&config->yaml, value, i) : value;
        const char *text = plain_text(config, item);
        err = !text ? -EINVAL : text_list_add(&list, text) ? 0 : config_no_memory(config);
    }
    if (err) {
        text_list_fini(&list);
        return err;
    }
    text_list_fini(owner);
    *owner = list;
    return 0;
}

int config_count(struct config *config, const yaml_node_t *value, void *into)
{
    const char *text = yaml_in_text(value);
    uint64_t count = 0;
    if (!text || human_parse_count(text, &count) != 0 || count == 0)
        return config_wrong(config, value, "a whole number above 0 belongs here");
    *(uint64_t *)into = count;
    return 0;
}

int config_port(struct config *config, const yaml_node_t *value, void *into)
{
    uint64_t port;
    const char *text = yaml_in_text(value);
    if (!text || human_parse_count(text, &port) != 0 || port == 0 || port > UINT16_MAX)
        return config_wrong(config, value, "a port is a number from 1 to 65535");
    *(uint16_t *)into = (uint16_t)port;
    return 0;
}

int config_duration(struct config *config, const yaml_node_t *value, void *into)
{
    const char *text = yaml_in_text(value);
    uint64_t ns = 0;
    if (!text || human_parse_duration(text, &ns) != 0 || ns == 0)
        return config_wrong(config, value, "a time such as 10s, 5m or 1h30m belongs here");
    *(uint64_t *)into = ns;
    return 0;
}

int config_truth(struct config *config, const yaml_node_t *value, void *into)
{
    const char *text = yaml_in_text(value) ? yaml_in_text(value) : "";
    bool const is_true = strcmp(text, "true") == 0 || strcmp(text, "yes") == 0;
    if (!is_true && strcmp(text, "false") != 0 && strcmp(text, "no") != 0)
        return config_wrong(config, value, "yes or no belongs here");
    *(bool *)into = is_true;
    return 0;
}

static int find_bit(struct config *config, const yaml_node_t *value,
                    const char *(*name_of)(unsigned index), uint32_t *bits)
{
    char known[160] = "";
    size_t size = 0;
    const char *text = yaml_in_text(value) ? yaml_in_text(value) : "";
    for (unsigned i = 0; name_of(i); i++) {
        if (strcmp(text, name_of(i)) == 0) {
            *bits |= 1u << i;
            return 0;
        }
        size += (size_t)snprintf(known + size, sizeof(known) - size, "%s%s", size ? ", " : "",
                                 name_of(i));
    }
    return config_wrong(config, value, "`%.40s` is none of %s", text, known);
}

int config_bits(struct config *config, const yaml_node_t *value,
                const char *(*name_of)(unsigned index), uint32_t *bits)
{
    uint32_t found = 0;
    size_t const count = yaml_in_is_list(value) ? yaml_in_count(value) : 1;
    if (count == 0)
        return config_wrong(config, value,
                            "the list is empty: leave the key out, or name something");
    for (size_t i = 0; i < count && i < LIST_MAX; i++) {
        const yaml_node_t *item =
            yaml_in_is_list(value) ? yaml_in_item(&config->yaml, value, i) : value;
        int const err = find_bit(config, item, name_of, &found);
        if (err)
            return err;
    }
    *bits = found;
    return 0;
}
