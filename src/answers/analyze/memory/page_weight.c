/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/memory/page_weight.h"

#include <errno.h>
#include <string.h>

#define SUM_MOST (UINT64_C(1) << 62)

bool page_weigh(const struct running *running, stack_id stack, uint64_t unit_bytes, uint64_t *sums,
                unsigned width)
{
    uint64_t all[PAGE_SUMS];
    uint64_t *kinds = all + PAGE_SUM_KIND_0;
    bool has_any = false;
    for (unsigned kind = 0; kind < PAGE_KINDS; kind++)
        kinds[kind] = running_pages(running, stack, kind);
    all[PAGE_SUM_CACHE] =
        kinds[PAGE_FILE] > kinds[PAGE_CACHE] ? kinds[PAGE_FILE] : kinds[PAGE_CACHE];
    all[PAGE_SUM_VALUE] = all[PAGE_SUM_CACHE];
    /* Each is less than 2^63: what is too much shows after each step. */
    static const enum page_kind others[] = {PAGE_ANON, PAGE_SHMEM, PAGE_KERNEL};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        all[PAGE_SUM_VALUE] += kinds[others[i]];
        if (all[PAGE_SUM_VALUE] > SUM_MOST)
            all[PAGE_SUM_VALUE] = UINT64_MAX / 2;
    }
    for (unsigned i = 0; i < width; i++) {
        sums[i] = all[i] / unit_bytes;
        has_any = has_any || sums[i];
    }
    return has_any;
}

bool page_sums_add(uint64_t *to, const uint64_t *from, unsigned width)
{
    for (unsigned i = 0; i < width; i++)
        if (from[i] > SUM_MOST - to[i])
            return false;
    for (unsigned i = 0; i < width; i++)
        to[i] += from[i];
    return true;
}

int page_weigh_all(const struct running *running, uint64_t unit_bytes, uint64_t *sums,
                   unsigned width)
{
    uint64_t of_stack[PAGE_SUMS];
    memset(sums, 0, width * sizeof(*sums));
    for (size_t stack = 0; stack < running_stacks(running); stack++)
        if (page_weigh(running, (stack_id)stack, unit_bytes, of_stack, width) &&
            !page_sums_add(sums, of_stack, width))
            return -ERANGE;
    return 0;
}
