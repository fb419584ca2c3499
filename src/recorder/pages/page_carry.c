/* SPDX-License-Identifier: Apache-2.0 */
#include "pages/page_carry.h"

#include <errno.h>
#include <stdlib.h>

#include "pages/page_book.h"
#include "stacks/stack_intern.h"

void page_carry_fini(struct page_carry *carry)
{
    stack_intern_destroy(carry->intern);
    carry->intern = NULL;
    carry->to = NULL;
    vec_free(&carry->names);
}

static int compare(const void *left, const void *right)
{
    const struct cell *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->column < b->column ? -1 : a->column > b->column;
}

/* The stack that stands for an owner with nothing but a name. */
static int name_owner(struct page_carry *carry, struct recording *to, uint32_t owner,
                      stack_id *stack)
{
    vec_each (known, &carry->names)
        if (known->key == owner) {
            *stack = (stack_id)known->value;
            return 0;
        }
    if (recording_name_stack(to, recording_intern(to, page_owner_name(owner)), stack) < 0 ||
        !vec_push(&carry->names, (struct cell){owner, 0, *stack}))
        return -ENOMEM;
    return 0;
}

static int add_cell(struct bucket *bucket, size_t *room, struct cell cell)
{
    if (bucket->cell_count == *room) {
        struct cell *grown = vec_grow_items(bucket->cells, room, *room + 1, sizeof(cell));
        if (!grown)
            return -ENOMEM;
        bucket->cells = grown;
    }
    bucket->cells[bucket->cell_count++] = cell;
    return 0;
}

/* Cells of one key and column, together. */
static struct cell sum_alike(const struct cell *cells, size_t count, size_t *next)
{
    struct cell sum = cells[*next];
    while (++*next < count && compare(&cells[*next], &sum) == 0)
        sum.value += cells[*next].value;
    return sum;
}

int page_carry(struct page_carry *carry, const struct recording *from, struct recording *to,
               struct cell *cells, size_t count, struct bucket *bucket)
{
    size_t room = bucket->cell_count, next = 0;
    int err = 0;
    if (count == 0)
        return 0;
    if (carry->to != to)
        page_carry_fini(carry); /* another recording: stacks have other numbers there */
    carry->to = to;
    if (!carry->intern)
        carry->intern = stack_intern_create(to);
    if (!carry->intern)
        return -ENOMEM;
    qsort(cells, count, sizeof(cells[0]), compare);
    while (next < count && err == 0) {
        struct cell cell = sum_alike(cells, count, &next);
        stack_id stack = STACK_EMPTY;
        if (!page_owner_name(cell.key) && cell.key > stack_table_count(from->stacks))
            continue; /* whoever counted was not to be trusted */
        err = page_owner_name(cell.key) ? name_owner(carry, to, cell.key, &stack)
                                        : stack_intern_carry(carry->intern, from, cell.key, &stack);
        cell.key = stack;
        if (err == 0)
            err = add_cell(bucket, &room, cell);
    }
    return err;
}
