/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "report/rows/diff_report.h"

struct line {
    char *stack;
    int64_t before, after;
};

/* Names lose what parts frames and lines, and what steers a terminal. */
static void put_name(char *at, const char *name)
{
    size_t const size = strlen(name);
    /* NOLINTNEXTLINE(bugprone-not-null-terminated-result): what follows ends it for the moment */
    char *const copy = memcpy(at, name, size);
    for (size_t i = 0; i < size; i++)
        if (copy[i] == ';')
            copy[i] = ':';
    char const next = copy[size];
    copy[size] = '\0';
    utf8_tame(copy, ' ', "");
    copy[size] = next;
}

/* "main;handle;parse": the way from the root to a node; the caller frees. */
static char *path_of(const struct recording *recording, const struct call_tree *tree, uint32_t node)
{
    size_t size = sizeof("[no stack]");
    for (uint32_t at = node; at; at = tree->nodes.items[at].parent)
        size += strlen(recording_text(recording, tree->nodes.items[at].function)) + 1;
    char *text = malloc(size);
    if (!text)
        return NULL;
    if (node == 0)
        return strcpy(text, "[no stack]");
    char *end = text + size - 1;
    *end = '\0';
    for (uint32_t at = node; at; at = tree->nodes.items[at].parent) {
        const char *name = recording_text(recording, tree->nodes.items[at].function);
        end -= strlen(name);
        put_name(end, name);
        if (tree->nodes.items[at].parent)
            *--end = ';';
    }
    memmove(text, end, strlen(end) + 1);
    return text;
}

static int by_stack(const void *left, const void *right)
{
    const struct line *a = left, *b = right;
    return strcmp(a->stack, b->stack);
}

static int64_t not_below_zero(double value)
{
    return value > 0 ? llround(value) : 0;
}

int diff_folded_write(const struct recording *recording, const struct diff_tree *tree, FILE *out)
{
    VEC(struct line) lines = {0};
    int err = 0;
    for (uint32_t i = 0; i < tree->nodes.count && !err; i++) {
        const struct diff_values *self = &tree->nodes.items[i].self;
        struct line line = {.before = not_below_zero(tree->noise.factor * (double)self->before),
                            .after = not_below_zero((double)self->after)};
        if (line.before == 0 && line.after == 0)
            continue;
        line.stack = path_of(recording, &tree->tree, i);
        if (!line.stack || !vec_push(&lines, line)) {
            free(line.stack);
            err = -ENOMEM;
        }
    }
    if (lines.count)
        qsort(lines.items, lines.count, sizeof(lines.items[0]), by_stack);
    vec_each (line, &lines) {
        if (!err)
            fprintf(out, "%s %" PRId64 " %" PRId64 "\n", line->stack, line->before, line->after);
        free(line->stack);
    }
    vec_free(&lines);
    return err;
}
