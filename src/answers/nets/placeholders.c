/* SPDX-License-Identifier: Apache-2.0 */
#include "nets/placeholders.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD_MAX  128u
#define TEXT_MAX  (1u << 20)
#define DEPTH_MAX 4u

const struct template_group *group_of(const struct net_template *plan, const struct net_part *part)
{
    if (!part || (part->kind != PART_NODE && part->kind != PART_LOAD))
        return NULL;
    return &plan->groups.items[part->stage - plan->setup.count];
}

static struct scope scope_of(const struct scope *outer, const struct net_part *part)
{
    return (struct scope){outer->net, outer->plan, part, group_of(outer->plan, part),
                          outer->depth + 1};
}

static size_t number_in_group(const struct scope *scope)
{
    size_t number = 0;
    vec_each (part, &scope->net->parts)
        if (part == scope->part)
            break;
        else if (part->stage == scope->part->stage && part->kind == scope->part->kind)
            number++;
    return number;
}

static size_t size_of_group(const struct scope *scope)
{
    size_t count = 0;
    vec_each (part, &scope->net->parts)
        count += part->stage == scope->part->stage && part->kind == scope->part->kind;
    return count;
}

static const struct template_list *find_list(const struct net_template *plan, const char *name)
{
    vec_each (list, &plan->lists)
        if (strcmp(list->name, name) == 0)
            return list;
    return NULL;
}

/* Each item of a list as it is for this part. */
static int fill_list(const struct scope *scope, const struct template_list *list, text_list *out,
                     struct fault *fault)
{
    int err = scope->depth < DEPTH_MAX
                  ? 0
                  : fault_set(fault, -ELOOP, "the list %s contains itself", list->name);
    vec_each (part, &scope->net->parts) {
        const struct template_group *group = group_of(scope->plan, part);
        if (err || !group || strcmp(group->name, list->of) != 0 ||
            (list->others && part == scope->part))
            continue;
        struct scope const inner = scope_of(scope, part);
        char *item = NULL;
        err = placeholders_fill(&inner, list->item, &item, fault);
        if (!err && !vec_push(out, item))
            err = -ENOMEM;
        if (err)
            free(item);
    }
    return err;
}

static int put_list(const struct scope *scope, const char *name, FILE *out, struct fault *fault)
{
    text_list items = {0};
    const struct template_list *list = find_list(scope->plan, name);
    if (!list)
        return fault_set(fault, -EINVAL, "the template has no list %s", name);
    int const err = fill_list(scope, list, &items, fault);
    vec_each (item, &items)
        fprintf(out, "%s%s", item == items.items ? "" : list->join ? list->join : " ", *item);
    text_list_fini(&items);
    return err;
}

static int put_port(const struct net_part *part, const char *name, FILE *out, struct fault *fault)
{
    uint16_t const port = net_port_of(part, name);
    if (!port)
        return fault_set(fault, -EINVAL, "%s has no port called %s", part->name, name);
    fprintf(out, "%u", port);
    return 0;
}

static int put_of_node(const struct scope *scope, const char *word, FILE *out, struct fault *fault)
{
    char name[WORD_MAX];
    const char *dot = strchr(word, '.');
    snprintf(name, sizeof(name), "%.*s", (int)(dot ? dot - word : 0), word);
    const struct net_part *part = net_find(scope->net, name);
    if (!dot || !part)
        return fault_set(fault, -EINVAL, "there is no node for {node.%s}", word);
    if (strncmp(dot, ".port.", 6) == 0)
        return put_port(part, dot + 6, out, fault);
    if (strcmp(dot, ".folder") == 0 && part->folder) {
        fputs(part->folder, out);
        return 0;
    }
    const struct template_group *group = group_of(scope->plan, part);
    if (strcmp(dot, ".url") != 0 || !group || !group->url || scope->depth >= DEPTH_MAX)
        return fault_set(fault, -EINVAL, "a node has no {node.%s}", word);
    struct scope const inner = scope_of(scope, part);
    char *url = NULL;
    int const err = placeholders_fill(&inner, group->url, &url, fault);
    if (!err)
        fputs(url, out);
    free(url);
    return err;
}

static int put_setting(const struct scope *scope, const char *name, FILE *out, struct fault *fault)
{
    vec_each (setting, &scope->plan->settings)
        if (strcmp(setting->name, name) == 0 && setting->value[0]) {
            fputs(setting->value, out);
            return 0;
        }
    return fault_set(fault, -EINVAL, "the template %s needs --set %s=…", scope->plan->name, name);
}

static int put_word(const struct scope *scope, const char *word, FILE *out, struct fault *fault)
{
    if (strcmp(word, "net") == 0)
        fputs(scope->net->dir, out);
    else if (strncmp(word, "list.", 5) == 0)
        return put_list(scope, word + 5, out, fault);
    else if (strncmp(word, "set.", 4) == 0)
        return put_setting(scope, word + 4, out, fault);
    else if (strncmp(word, "node.", 5) == 0)
        return put_of_node(scope, word + 5, out, fault);
    else if (!scope->part)
        return fault_set(fault, -EINVAL, "{%s} is for nodes only", word);
    else if (strcmp(word, "name") == 0)
        fputs(scope->part->name, out);
    else if (strcmp(word, "i") == 0)
        fprintf(out, "%zu", number_in_group(scope));
    else if (strcmp(word, "n") == 0)
        fprintf(out, "%zu", size_of_group(scope));
    else if (strcmp(word, "folder") == 0 && scope->part->folder)
        fputs(scope->part->folder, out);
    else if (strncmp(word, "port.", 5) == 0)
        return put_port(scope->part, word + 5, out, fault);
    else
        return fault_set(fault, -EINVAL, "there is no placeholder {%s} (docs/templates.md)", word);
    return 0;
}

/* The word after a brace at `at`; "" when it is no placeholder. */
static size_t word_at(const char *at, char word[WORD_MAX])
{
    size_t const length =
        strspn(at + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");
    word[0] = '\0';
    if (length == 0 || length >= WORD_MAX || at[1 + length] != '}')
        return 0;
    snprintf(word, WORD_MAX, "%.*s", (int)length, at + 1);
    return length + 2;
}

int placeholders_fill(const struct scope *scope, const char *text, char **out, struct fault *fault)
{
    size_t size = 0;
    int err = 0;
    *out = NULL;
    if (!text)
        return 0;
    FILE *stream = open_memstream(out, &size);
    if (!stream)
        return fault_set(fault, -ENOMEM, "out of memory");
    for (const char *at = text; !err && *at;) {
        char word[WORD_MAX];
        size_t const length = *at == '{' ? word_at(at, word) : 0;
        if (length) {
            err = put_word(scope, word, stream, fault);
            at += length;
        } else {
            fputc(*at, stream);
            at += at[0] == '{' && at[1] == '{' ? 2 : 1;
        }
        if (!err && ftell(stream) > (long)TEXT_MAX)
            err = fault_set(fault, -EFBIG, "a text of the template becomes too long");
    }
    if (fclose(stream) != 0 && !err)
        err = fault_set(fault, -ENOMEM, "out of memory");
    if (err) {
        free(*out);
        *out = NULL;
    }
    return err;
}

int placeholders_fill_words(const struct scope *scope, const text_list *words, text_list *out,
                            struct fault *fault)
{
    int err = 0;
    vec_each (text, words) {
        char word[WORD_MAX] = "", *filled = NULL;
        size_t const length = **text == '{' ? word_at(*text, word) : 0;
        const struct template_list *list =
            length && !(*text)[length] && strncmp(word, "list.", 5) == 0
                ? find_list(scope->plan, word + 5)
                : NULL;
        if (err)
            break;
        if (list && !list->join)
            err = fill_list(scope, list, out, fault);
        else if ((err = placeholders_fill(scope, *text, &filled, fault)) == 0 &&
                 !vec_push(out, filled)) {
            free(filled);
            err = -ENOMEM;
        }
        if (!err && out->count > 1000)
            err = fault_set(fault, -E2BIG, "a command of the template has too many words");
    }
    return err;
}
