/* SPDX-License-Identifier: Apache-2.0 */
#include "model/stack_table.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/invariant.h"
#include "base/vec.h"

#define SLOTS_FIRST 64

/* Only who adds stacks one by one looks for known ones, so the slots are made at the first such
 * push: of a recording that is only read there are none. */
struct stack_table {
    VEC(struct stack_link) links; /* links[id - 1] */
    stack_id *slots;              /* open addressing: an id, or STACK_EMPTY when free */
    size_t slot_mask;             /* slots are a power of two, at least twice the indexed links */
    size_t indexed;               /* that many links, from the first on, are in the slots */
};

struct stack_table *stack_table_create(void)
{
    return calloc(1, sizeof(struct stack_table));
}

void stack_table_destroy(struct stack_table *table)
{
    if (!table)
        return;
    INVARIANT(stack_table_is_valid(table));
    vec_free(&table->links);
    free(table->slots);
    free(table);
}

static size_t hash_link(struct stack_link link)
{
    return hash_mix((uint64_t)link.caller << 32 | link.frame);
}

/* The slot that holds `link`, or the free one where it belongs. */
static stack_id *find_slot(const struct stack_table *table, struct stack_link link)
{
    INVARIANT(table->indexed <= table->slot_mask); /* so there is a free one */
    size_t at = hash_link(link) & table->slot_mask;
    for (; table->slots[at] != STACK_EMPTY; at = (at + 1) & table->slot_mask) {
        INVARIANT(table->slots[at] <= table->links.count);
        struct stack_link seen = table->links.items[table->slots[at] - 1];
        if (seen.frame == link.frame && seen.caller == link.caller)
            break;
    }
    return &table->slots[at];
}

/* Makes room for `count` indexed links. */
static int grow_slots(struct stack_table *table, size_t count)
{
    size_t room = table->slots ? table->slot_mask + 1 : SLOTS_FIRST;
    while (room < 2 * count)
        room *= 2;
    INVARIANT((room & (room - 1)) == 0);
    stack_id *slots = calloc(room, sizeof(slots[0]));
    if (!slots)
        return -ENOMEM;
    for (size_t i = 0; table->slots && i <= table->slot_mask; i++) {
        if (table->slots[i] == STACK_EMPTY)
            continue;
        size_t at = hash_link(table->links.items[table->slots[i] - 1]) & (room - 1);
        while (slots[at] != STACK_EMPTY)
            at = (at + 1) & (room - 1);
        slots[at] = table->slots[i];
    }
    free(table->slots);
    table->slots = slots;
    table->slot_mask = room - 1;
    return 0;
}

/* Puts the links that are not in the slots yet there, with room for one more; of equal ones the
 * first counts. */
static int index_rest(struct stack_table *table)
{
    size_t const count = table->links.count + 1;
    if ((!table->slots || 2 * count > table->slot_mask) && grow_slots(table, count) < 0)
        return -ENOMEM;
    for (; table->indexed < table->links.count; table->indexed++) {
        stack_id *slot = find_slot(table, table->links.items[table->indexed]);
        if (*slot == STACK_EMPTY)
            *slot = (stack_id)(table->indexed + 1);
    }
    return 0;
}

struct stack_link *stack_table_extend(struct stack_table *table, size_t count)
{
    if (count >= UINT32_MAX - 1 - table->links.count || !vec_reserve(&table->links, count))
        return NULL;
    struct stack_link *first = table->links.items + table->links.count;
    for (size_t i = 0; i < count; i++)
        first[i] = (struct stack_link){.frame = FRAME_UNKNOWN, .caller = STACK_EMPTY};
    table->links.count += count;
    return first;
}

struct stack_link *stack_table_from(struct stack_table *table, stack_id first)
{
    INVARIANT(first > table->indexed && first <= table->links.count);
    return &table->links.items[first - 1];
}

int stack_table_push(struct stack_table *table, stack_id caller, uint32_t frame, stack_id *id)
{
    struct stack_link link = {.frame = frame, .caller = caller};
    if (caller > table->links.count)
        return -EINVAL;
    if (index_rest(table) < 0)
        return -ENOMEM;
    stack_id *slot = find_slot(table, link);
    if (*slot == STACK_EMPTY) {
        if (table->links.count >= UINT32_MAX - 1 || !vec_push(&table->links, link))
            return -ENOMEM;
        *slot = (stack_id)table->links.count;
        table->indexed = table->links.count;
    }
    INVARIANT(*slot > caller); /* a caller's id is smaller than its callee's */
    *id = *slot;
    return 0;
}

struct stack_link stack_table_innermost(const struct stack_table *table, stack_id id)
{
    if (id == STACK_EMPTY || id > table->links.count)
        return (struct stack_link){.frame = 0, .caller = STACK_EMPTY};
    INVARIANT(table->links.items[id - 1].caller < id);
    return table->links.items[id - 1];
}

bool stack_table_is_valid(const struct stack_table *table)
{
    bool valid = (table->slot_mask & (table->slot_mask + 1)) == 0 &&
                 table->indexed <= table->links.count &&
                 (!table->indexed || 2 * table->indexed <= table->slot_mask + 1);
    for (size_t i = 0; i < table->links.count && valid; i++)
        valid = table->links.items[i].caller <= i;
    return valid;
}

uint32_t stack_table_count(const struct stack_table *table)
{
    return (uint32_t)table->links.count;
}
