/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rows/name_columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

static int name_order(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static size_t common_columns(const char *a, const char *b)
{
    size_t same = 0;
    while (a[same] && a[same] == b[same])
        same++;
    return utf8_columns(a, same);
}

/* Sorted, the name that another one is most alike stands beside it. */
size_t name_columns(const char **names, size_t count, size_t least)
{
    size_t columns = least, longest = 0;
    if (count)
        qsort(names, count, sizeof(names[0]), name_order);
    for (size_t i = 0; i < count; i++) {
        size_t const own = utf8_columns(names[i], strlen(names[i]));
        longest = own > longest ? own : longest;
        if (i == 0 || strcmp(names[i - 1], names[i]) == 0)
            continue;
        /* One letter that differs, and the mark that something is cut. */
        size_t const needed = common_columns(names[i - 1], names[i]) + 2;
        columns = needed > columns ? needed : columns;
    }
    size_t const enough = longest > least ? longest : least;
    return columns < enough ? columns : enough;
}
