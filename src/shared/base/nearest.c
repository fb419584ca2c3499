/* SPDX-License-Identifier: Apache-2.0 */
#include "base/nearest.h"

#include <string.h>

#define WORD_MAX 48 /* longer words are compared by their beginnings */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t nearest_distance(const char *a, const char *b)
{
    size_t const a_length = strnlen(a, WORD_MAX), b_length = strnlen(b, WORD_MAX);
    size_t rows[3][WORD_MAX + 1]; /* two rows back, one row back, this one: by turns */

    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *const row = rows[i % 3];
        const size_t *const above = rows[(i - 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] = least(above[j - 1] + (a[i - 1] != b[j - 1]), least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], rows[(i - 2) % 3][j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

int nearest_is_near(const char *word, size_t distance)
{
    size_t const length = strlen(word + strspn(word, "-")); /* all options have those in common */
    return distance <= (length <= 1 ? 0 : length <= 5 ? 1 : length <= 8 ? 2 : 3);
}
