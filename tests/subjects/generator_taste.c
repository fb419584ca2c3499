/* SPDX-License-Identifier: Apache-2.0 */
/* How large blocks are and where they lie. */
#include "generator.h"

#include <string.h>

#define PAGE       4096u
#define WIDEST     30 /* bits: 1 GiB */
#define WIDE_CROWD 22 /* bits: the peak of many threads must stay above what they had before */

static size_t below(uint64_t *random, size_t limit)
{
    return random_next(random) % limit;
}

bool taste_read_sizes(const char *name, enum sizes *sizes)
{
    static const char *const names[] = {"small", "wide", "pages", "powers"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(name, names[i]) == 0) {
            *sizes = (enum sizes)i;
            return true;
        }
    }
    return false;
}

static size_t small_size(uint64_t *random)
{
    switch (below(random, 64)) {
    case 0:
        return 0;
    case 1:
        return 1 + below(random, 200000);
    case 2:
    case 3:
    case 4:
        return 1 + below(random, 8000);
    default:
        return 1 + below(random, 300);
    }
}

static size_t wide_size(const struct taste *taste, uint64_t *random)
{
    size_t const bits = below(random, (taste->alone ? WIDEST : WIDE_CROWD) + 1);
    size_t const least = (size_t)1 << bits;
    return bits == WIDEST ? least : least + below(random, least);
}

size_t taste_size(const struct taste *taste, uint64_t *random)
{
    switch (taste->sizes) {
    case SIZES_WIDE:
        return wide_size(taste, random);
    case SIZES_PAGES:
        return PAGE * (1 + below(random, 32)) + below(random, 3) - 1;
    case SIZES_POWERS:
        return (size_t)1 << below(random, 18);
    default:
        return small_size(random);
    }
}

size_t taste_align(const struct taste *taste, uint64_t *random)
{
    return (size_t)16 << below(random, taste->aligned ? 18 : 6);
}

int64_t taste_live_cap(const struct taste *taste)
{
    if (taste->sizes == SIZES_SMALL)
        return 2 << 20;
    return taste->alone ? (int64_t)2 << 30 : 8 << 20;
}

size_t taste_count(const struct taste *taste, uint64_t *random, size_t limit)
{
    return taste->sizes == SIZES_WIDE ? 1 : below(random, limit);
}
