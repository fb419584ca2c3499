/* SPDX-License-Identifier: Apache-2.0 */
#include "model/stack_table.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/invariant.h"
#include "base/vec.h"

struct stack_table {
    VEC(struct stack_link) links; /* links[id - 1] */
    stack_id *slots;              /* open addressing: an id, or STACK_EMPTY when free */
    size_t slot_mask;             /* slots are a power of two, at least twice the links */
};

struct stack_table *stack_table_create(void)
{
    struct stack_table *table = calloc(1, sizeof(*table));
    if (!table)
        return NULL;
    table->slot_mask = 63;
    table->slots = calloc(table->slot_mask + 1, sizeof(table->slots[0]));
    if (!table->slots) {
        free(table);
        return NULL;
    }
    return table;
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
    INVARIANT(table->links.count <= table->slot_mask); /* so there is a free one */
    size_t at = hash_link(link) & table->slot_mask;
    for (; table->slots[at] != STACK_EMPTY; at = (at + 1) & table->slot_mask) {
        INVARIANT(table->slots[at] <= table->links.count);
        struct stack_link seen = table->links.items[table->slots[at] - 1];
        if (seen.frame == link.frame && seen.caller == link.caller)
            break;
    }
    return &table->slots[at];
}

static int grow_slots(struct stack_table *table)
{
    size_t mask = table->slot_mask * 2 + 1;
    INVARIANT((mask & (mask + 1)) == 0);
    stack_id *slots = calloc(mask + 1, sizeof(slots[0]));
    if (!slots)
        return -ENOMEM;
    for (size_t i = 0; i <= table->slot_mask; i++) {
        if (table->slots[i] == STACK_EMPTY)
            continue;
        size_t at = hash_link(table->links.items[table->slots[i] - 1]) & mask;
        while (slots[at] != STACK_EMPTY)
            at = (at + 1) & mask;
        slots[at] = table->slots[i];
    }
    free(table->slots);
    table->slots = slots;
    table->slot_mask = mask;
    return 0;
}

int stack_table_append(struct stack_table *table, struct stack_link link)
{
    if (link.caller > table->links.count)
        return -EINVAL;
    if (table->links.count >= UINT32_MAX - 1)
        return -ENOMEM;
    if ((table->links.count + 1) * 2 > table->slot_mask && grow_slots(table) < 0)
        return -ENOMEM;
    if (!vec_push(&table->links, link))
        return -ENOMEM;
    INVARIANT(link.caller < table->links.count && table->links.count * 2 <= table->slot_mask);
    stack_id *slot = find_slot(table, link);
    if (*slot == STACK_EMPTY)
        *slot = (stack_id)table->links.count;
    return 0;
}

int stack_table_push(struct stack_table *table, stack_id caller, uint32_t frame, stack_id *id)
{
    struct stack_link link = {.frame = frame, .caller = caller};
    if (caller > table->links.count)
        return -EINVAL;
    stack_id seen = *find_slot(table, link);
    if (seen == STACK_EMPTY) {
        int err = stack_table_append(table, link);
        if (err < 0)
            return err;
        seen = (stack_id)table->links.count;
    }
    INVARIANT(seen > caller); /* a caller's id is smaller than its callee's */
    *id = seen;
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
                 2 * table->links.count <= table->slot_mask + 1;
    for (size_t i = 0; i < table->links.count && valid; i++)
        valid = table->links.items[i].caller <= i;
    return valid;
}

uint32_t stack_table_count(const struct stack_table *table)
{
    return (uint32_t)table->links.count;
}
