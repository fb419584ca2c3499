/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/sandbox.h"

#include <stdlib.h>
#include <unistd.h>

static int by_number(const void *left, const void *right)
{
    const int *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

void sandbox_keep_open(int *kept, size_t count)
{
    int from = STDERR_FILENO + 1;
    qsort(kept, count, sizeof(kept[0]), by_number);
    for (size_t i = 0; i < count; i++) {
        if (kept[i] < from)
            continue;
        if (kept[i] > from)
            close_range((unsigned)from, (unsigned)kept[i] - 1, 0);
        from = kept[i] + 1;
    }
    close_range((unsigned)from, UINT32_MAX, 0);
}
