/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/pages/sampled_owners.h"

#include <errno.h>
#include <stdlib.h>

static bool is_heap(const struct owned *owned)
{
    return owned->kind == OWNER_LIVE || owned->kind == OWNER_HELD || owned->kind == OWNER_KEPT;
}

/* Removes the heap's parts.  Their bytes; in *later what is free and in memory that came after
 * us, or in any memory when nothing was before. */
static uint64_t remove_heap(struct page_owners *owners, uint64_t *later)
{
    uint64_t bytes = 0;
    *later = 0;
    size_t kept = 0;
    for (size_t i = 0; i < owners->owned.count; i++) {
        const struct owned *owned = &owners->owned.items[i];
        if (owned->kind == OWNER_KEPT)
            *later += owned->bytes;
        if (is_heap(owned))
            bytes += owned->bytes;
        else
            owners->owned.items[kept++] = *owned;
    }
    owners->owned.count = kept;
    return bytes;
}

/* `part` of the sum of all parts, as much of `whole`; parts that fit stay as they are. */
static uint64_t fit(uint64_t part, uint64_t sum, uint64_t whole)
{
    return sum <= whole ? part : (uint64_t)((double)part / (double)sum * (double)whole);
}

static int put_live(struct page_owners *owners, const struct pin *pin, uint64_t heap,
                    uint64_t *given)
{
    uint64_t live = 0;
    for (size_t i = 0; i < pin->cell_count; i++)
        live += pin->cells[i].column == COL_HEAP_BYTES ? (uint64_t)pin->cells[i].value : 0;
    for (size_t i = 0; i < pin->cell_count; i++) {
        const struct cell *cell = &pin->cells[i];
        uint64_t const bytes =
            cell->column == COL_HEAP_BYTES ? fit((uint64_t)cell->value, live, heap) : 0;
        if (bytes == 0 || *given + bytes > heap)
            continue;
        if (!vec_push(&owners->owned, (struct owned){OWNER_LIVE, cell->key, bytes}))
            return -ENOMEM;
        *given += bytes;
    }
    return 0;
}

static int put_rest(struct page_owners *owners, enum owner_kind kind, uint64_t bytes)
{
    return bytes == 0 || vec_push(&owners->owned, (struct owned){kind, OWNER_NOBODY, bytes})
               ? 0
               : -ENOMEM;
}

int sampled_owners_split(const struct heap_book *heap, const struct page_question *question,
                         struct page_owners *owners)
{
    struct pin pin = {.cells = NULL};
    uint64_t given = 0;
    int err = heap_book_pin_now(heap, &pin);
    uint64_t later;
    uint64_t const bytes = remove_heap(owners, &later);
    if (err == 0)
        err = put_live(owners, &pin, bytes, &given);
    uint64_t const rest = bytes > given ? bytes - given : 0;
    uint64_t const kept = question->is_attached && rest > later ? later : rest;
    if (err == 0)
        err = put_rest(owners, OWNER_KEPT, kept);
    if (err == 0)
        err = put_rest(owners, OWNER_BEFORE, rest - kept);
    free(pin.cells);
    free(pin.thread_cells);
    return err;
}
