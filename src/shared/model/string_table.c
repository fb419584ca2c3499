/* SPDX-License-Identifier: Apache-2.0 */
#include "model/string_table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/invariant.h"
#include "base/vec.h"

#define BLOCK_BYTES ((size_t)64 * 1024)
#define APART       0x80000000u /* ids of texts apart have this bit */

struct text_entry {
    const char *text;
    uint32_t size;
    uint32_t hash; /* spares most comparisons, and all rehashing */
};

struct string_table {
    VEC(struct text_entry) entries; /* entries[id - 1] */
    VEC(struct text_entry) apart;   /* apart[id - APART - 1] */
    bool sets_apart;
    VEC(char *) blocks; /* the texts; never moved */
    size_t block_left;  /* unused bytes at the end of the last block */
    char *block_next;
    string_id *slots; /* open addressing: an id, or STRING_EMPTY when free */
    size_t slot_mask;
};

struct string_table *string_table_create(void)
{
    struct string_table *table = calloc(1, sizeof(*table));
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

void string_table_destroy(struct string_table *table)
{
    if (!table)
        return;
    vec_each (block, &table->blocks)
        free(*block);
    vec_free(&table->blocks);
    vec_free(&table->entries);
    vec_free(&table->apart);
    free(table->slots);
    free(table);
}

void string_table_set_apart(struct string_table *table)
{
    table->sets_apart = true;
}

static bool is_there(const struct string_table *table, string_id id)
{
    if (id & APART)
        return id > APART && id - APART <= table->apart.count;
    return id != STRING_EMPTY && id <= table->entries.count;
}

/* Of an id that is there. */
static const struct text_entry *entry_of(const struct string_table *table, string_id id)
{
    INVARIANT(is_there(table, id));
    return id & APART ? table->apart.items + (id - APART - 1) : table->entries.items + (id - 1);
}

/* A copy with a final NUL that stays where it is. */
static const char *keep_text(struct string_table *table, struct slice text)
{
    size_t need = text.size + 1;
    if (need > table->block_left) {
        size_t room = need > BLOCK_BYTES / 4 ? need : BLOCK_BYTES;
        char *block = malloc(room);
        if (!block || !vec_push(&table->blocks, block)) {
            free(block);
            return NULL;
        }
        if (room == need) { /* a long text has its own block; the current one goes on */
            memcpy(block, text.data, text.size);
            block[text.size] = '\0';
            return block;
        }
        table->block_next = block;
        table->block_left = room;
    }
    INVARIANT(need <= table->block_left);
    char *copy = table->block_next;
    if (text.size > 0)
        memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    table->block_next += need;
    table->block_left -= need;
    return copy;
}

static int grow_slots(struct string_table *table)
{
    size_t mask = table->slot_mask * 2 + 1;
    INVARIANT((mask & (mask + 1)) == 0);
    string_id *slots = calloc(mask + 1, sizeof(slots[0]));
    if (!slots)
        return -ENOMEM;
    for (size_t i = 0; i <= table->slot_mask; i++) {
        if (table->slots[i] == STRING_EMPTY)
            continue;
        size_t at = entry_of(table, table->slots[i])->hash & mask;
        while (slots[at] != STRING_EMPTY)
            at = (at + 1) & mask;
        slots[at] = table->slots[i];
    }
    free(table->slots);
    table->slots = slots;
    table->slot_mask = mask;
    return 0;
}

/* The slot that holds `text`, or the free one where it belongs. */
static string_id *find_slot(const struct string_table *table, struct slice text, uint32_t hash)
{
    INVARIANT(table->entries.count + table->apart.count <= table->slot_mask);
    size_t at = hash & table->slot_mask;
    for (; table->slots[at] != STRING_EMPTY; at = (at + 1) & table->slot_mask) {
        const struct text_entry *entry = entry_of(table, table->slots[at]);
        if (entry->hash == hash && slice_equals((struct slice){entry->text, entry->size}, text))
            break;
    }
    return &table->slots[at];
}

/* Keeps the text and makes room for its slot.  False when out of memory or ids. */
static bool make_entry(struct string_table *table, struct slice text, struct text_entry *entry)
{
    size_t const count = table->entries.count + table->apart.count;
    if (text.size >= UINT32_MAX || table->entries.count >= APART - 1 ||
        table->apart.count >= APART - 1)
        return false;
    if ((count + 1) * 2 > table->slot_mask && grow_slots(table) < 0)
        return false;
    *entry = (struct text_entry){.text = keep_text(table, text), .size = (uint32_t)text.size};
    return entry->text != NULL;
}

/* The id of a text that is added as the next one; STRING_EMPTY when out of memory. */
static string_id push_entry(struct string_table *table, struct text_entry entry, bool apart)
{
    INVARIANT(entry.text[entry.size] == '\0');
    if (apart)
        return vec_push(&table->apart, entry) ? APART + (string_id)table->apart.count
                                              : STRING_EMPTY;
    return vec_push(&table->entries, entry) ? (string_id)table->entries.count : STRING_EMPTY;
}

static int add_entry(struct string_table *table, struct slice text, uint32_t hash, bool apart)
{
    struct text_entry entry;
    if (!make_entry(table, text, &entry))
        return -ENOMEM;
    entry.hash = hash;
    string_id const id = push_entry(table, entry, apart);
    if (id == STRING_EMPTY)
        return -ENOMEM;
    string_id *slot = find_slot(table, text, hash);
    INVARIANT(is_there(table, id) && (text.size == 0 || *slot != id));
    if (text.size > 0 && (*slot == STRING_EMPTY || *slot & APART))
        *slot = id;
    return 0;
}

int string_table_intern(struct string_table *table, struct slice text, string_id *id)
{
    if (text.size == 0) {
        *id = STRING_EMPTY;
        return 0;
    }
    uint32_t hash = (uint32_t)hash_bytes(text.data, text.size);
    if (*find_slot(table, text, hash) == STRING_EMPTY &&
        add_entry(table, text, hash, table->sets_apart) < 0)
        return -ENOMEM;
    *id = *find_slot(table, text, hash);
    INVARIANT(is_there(table, *id));
    return 0;
}

string_id string_table_find(const struct string_table *table, struct slice text)
{
    if (text.size == 0)
        return STRING_EMPTY;
    return *find_slot(table, text, (uint32_t)hash_bytes(text.data, text.size));
}

int string_table_append(struct string_table *table, struct slice text)
{
    return add_entry(table, text, (uint32_t)hash_bytes(text.data, text.size), false);
}

const char *string_table_text(const struct string_table *table, string_id id)
{
    return is_there(table, id) ? entry_of(table, id)->text : "";
}

uint32_t string_table_count(const struct string_table *table)
{
    return (uint32_t)table->entries.count;
}
