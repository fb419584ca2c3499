/* SPDX-License-Identifier: Apache-2.0 */
/* node_take.c - adds nodes to a list: each once, with a name and a nick that no other node has. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pattern/pattern.h"
#include "scrape/nodes/node_make.h"
#include "scrape/nodes/text_list.h"

#define NODES_MAX  20000u
#define NICK_MAX   150u
#define DOUBTS_MAX 1000u

int node_list_doubt(struct node_list *list, const char *format, ...)
{
    char text[FAULT_TEXT_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (list->doubts.count >= DOUBTS_MAX)
        return 0;
    return text_list_add(&list->doubts, text) ? 0 : -ENOMEM;
}

/* No slash, nothing that steers a terminal, no dot in front, not too long for a file name. */
static void make_fit(char *nick)
{
    for (char *letter = nick; *letter; letter++)
        if ((unsigned char)*letter <= ' ' || *letter == 0x7f || *letter == '/')
            *letter = '_';
    if (nick[0] == '.')
        nick[0] = '_';
    if (strlen(nick) > NICK_MAX)
        nick[NICK_MAX] = '\0';
}

static bool same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* In whatever order: behind one address there may be one node for each value of a header. */
static bool have_same_headers(const text_list *some, const text_list *others)
{
    size_t found = 0;
    vec_each (one, some)
        for (size_t i = 0; i < others->count; i++)
            if (strcmp(*one, others->items[i]) == 0) {
                found++;
                break;
            }
    return found == some->count && some->count == others->count;
}

static bool is_same_node(const struct node *a, const struct node *b)
{
    const struct node_process *one = &a->process, *other = &b->process;
    if (!same(a->base_url, b->base_url) || !same(a->metrics_url, b->metrics_url) ||
        !same(a->pprof_url, b->pprof_url) || !have_same_headers(&a->headers, &b->headers))
        return false;
    return a->base_url || (one->pid == other->pid && one->port == other->port &&
                           same(one->pid_file, other->pid_file) && same(one->name, other->name));
}

static bool is_in_use(const struct node_list *list, const char *text, bool nick)
{
    vec_each (other, &list->nodes)
        if (strcmp(nick ? (*other)->nick : (*other)->name, text) == 0)
            return true;
    return false;
}

/* "Primary", "Primary-2", "Primary-3". */
static bool make_unique(const struct node_list *list, char **text, bool nick)
{
    char *other = NULL;
    for (unsigned number = 2; is_in_use(list, other ? other : *text, nick); number++) {
        free(other);
        if (asprintf(&other, "%s-%u", *text, number) < 0)
            return false;
    }
    if (other) {
        free(*text);
        *text = other;
    }
    return true;
}

static const char *place_of(const struct node *node)
{
    if (node->base_url)
        return node->base_url;
    return node->metrics_url ? node->metrics_url
           : node->pprof_url ? node->pprof_url
                             : "one process";
}

static int name_node(struct node_list *list, struct node *node)
{
    if ((!node->nick && !node_set(&node->nick, node->name ? node->name : "node")) ||
        (!node->role && !node_set(&node->role, "")))
        return -ENOMEM;
    make_fit(node->nick);
    char *wanted = strdup(node->nick);
    bool const fits = wanted && (node->name || node_set(&node->name, node->nick)) &&
                      make_unique(list, &node->nick, true) && make_unique(list, &node->name, false);
    int err = fits ? 0 : -ENOMEM;
    if (!err && strcmp(wanted, node->nick) != 0)
        err = node_list_doubt(list, "several nodes are called %s: the one at %s is %s here", wanted,
                              place_of(node), node->nick);
    free(wanted);
    return err;
}

int node_list_take(struct node_list *list, struct node *node, struct fault *fault)
{
    int err = 0;
    vec_each (other, &list->nodes)
        if (is_same_node(*other, node)) {
            err = node_list_doubt(list, "%s is named twice: %s and %s; it is asked once",
                                  place_of(node), (*other)->name,
                                  node->name   ? node->name
                                  : node->nick ? node->nick
                                               : "another");
            node_destroy(node);
            return err ? fault_set(fault, err, "not enough memory for the nodes") : 0;
        }
    if (list->nodes.count >= NODES_MAX)
        err = fault_set(fault, -E2BIG, "there are more than %u nodes", NODES_MAX);
    else if (name_node(list, node) != 0 || !vec_push(&list->nodes, node))
        err = fault_set(fault, -ENOMEM, "not enough memory for the nodes");
    if (err)
        node_destroy(node);
    return err;
}

int node_re_matches(const char *expression, const char *text, struct fault *fault)
{
    struct pattern *pattern;
    int err = pattern_compile(expression, PATTERN_AT_START, NULL, &pattern, fault);
    if (err)
        return err;
    bool const matches = pattern_matches(pattern, slice_of(text));
    err = pattern_check(pattern, fault);
    pattern_destroy(pattern);
    return err ? err : matches;
}
