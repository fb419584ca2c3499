/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/pages/touched_pages.h"

#include <errno.h>
#include <stdlib.h>

/* Pages that follow each other are mostly of one. */
static void add_piece(struct touched_pages *touched, enum owner_kind kind, uint32_t who,
                      uint64_t bytes)
{
    size_t const count = touched->list.count;
    struct owned *last = count ? &touched->list.items[count - 1] : NULL;
    if (last && last->kind == kind && last->who == who)
        last->bytes += bytes;
    else if (!vec_push(&touched->list, (struct owned){kind, who, bytes}))
        touched->has_failed = true;
}

void touched_pages_add(void *into, enum owner_kind kind, uint64_t start, uint64_t end)
{
    struct touched_pages *touched = into;
    if (owner_touched_place(kind) == OWNERS_TOUCHED)
        return;
    while (start < end) {
        uint64_t const page_end = (start | (OWNER_PAGE - 1)) + 1;
        uint64_t const until = page_end < end ? page_end : end;
        add_piece(touched, kind, touched->touchers.find(touched->touchers.book, start),
                  until - start);
        start = until;
    }
}

int touched_pages_sum(struct touched_pages *touched)
{
    struct owned *items = touched->list.items;
    size_t count = 0;
    if (touched->list.count)
        qsort(items, touched->list.count, sizeof(*items), owned_compare);
    for (size_t i = 0; i < touched->list.count; i++) {
        if (count && owned_compare(&items[count - 1], &items[i]) == 0)
            items[count - 1].bytes += items[i].bytes;
        else
            items[count++] = items[i];
    }
    touched->list.count = count;
    return touched->has_failed ? -ENOMEM : 0;
}
