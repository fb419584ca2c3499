/* SPDX-License-Identifier: Apache-2.0 */
#include "pages/page_parts.h"

#include <errno.h>
#include <stdlib.h>

#define PAGE_BYTES 4096

static int by_owner(const void *left, const void *right)
{
    const struct page_part *a = left, *b = right;
    if (a->stack != b->stack)
        return a->stack < b->stack ? -1 : 1;
    return (int)a->kind - (int)b->kind;
}

static int put_part(struct page_parts *parts, uint64_t key, int64_t pages)
{
    struct page_part const part = {
        .stack = (uint32_t)(key >> 8), .kind = key & 0x7f, .bytes = pages * PAGE_BYTES};
    return pages == 0 || vec_push(&parts->list, part) ? 0 : -ENOMEM;
}

int page_parts_compare(const struct number_map *before, const struct number_map *now,
                       struct page_parts *parts)
{
    int err = 0;
    *parts = (struct page_parts){.list = {NULL, 0, 0}};
    for (size_t i = 0; i < now->room && err == 0; i++) {
        const struct number_pair *pair = &now->items[i];
        if (pair->key)
            err = put_part(parts, pair->key,
                           (int64_t)pair->value - number_map_get(before, pair->key));
    }
    for (size_t i = 0; i < before->room && err == 0; i++) {
        const struct number_pair *pair = &before->items[i];
        if (pair->key && number_map_get(now, pair->key) == 0)
            err = put_part(parts, pair->key, -(int64_t)pair->value);
    }
    if (err < 0)
        page_parts_fini(parts);
    else if (parts->list.count)
        qsort(parts->list.items, parts->list.count, sizeof(struct page_part), by_owner);
    return err;
}

void page_parts_fini(struct page_parts *parts)
{
    vec_free(&parts->list);
}
