/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/lookup/text_pool.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "symbols/dwarf/demangle.h"

#define TEXT_MAX    (64 * 1024)
#define BLOCK_BYTES (256 * 1024) /* at least one text of the largest size fits */

struct text {
    uint64_t hash;
    const char *readable; /* NULL until asked for */
    size_t size;
    char chars[];
};

struct text_block {
    struct text_block *next;
    size_t used;
    _Alignas(struct text) char bytes[BLOCK_BYTES];
};

struct text_pool {
    struct text_block *blocks;
    struct text **slots; /* open addressing; a power of two, at most half full */
    size_t slot_count, text_count;
    char printable[TEXT_MAX]; /* the text being kept, without control characters */
};

/* Returned when out of memory: a text like any other, so that it has a readable form. */
static struct text empty = {.readable = "", .chars = {'\0'}};

struct text_pool *text_pool_create(void)
{
    struct text_pool *pool = calloc(1, sizeof(*pool));
    if (!pool)
        return NULL;
    pool->slot_count = 1024;
    pool->slots = calloc(pool->slot_count, sizeof(pool->slots[0]));
    if (!pool->slots) {
        free(pool);
        return NULL;
    }
    return pool;
}

void text_pool_destroy(struct text_pool *pool)
{
    if (!pool)
        return;
    while (pool->blocks) {
        struct text_block *next = pool->blocks->next;
        free(pool->blocks);
        pool->blocks = next;
    }
    free(pool->slots);
    free(pool);
}

static struct text **find_slot(struct text **slots, size_t slot_count, uint64_t hash,
                               const char *chars, size_t size)
{
    size_t at = hash & (slot_count - 1);
    for (; slots[at]; at = (at + 1) & (slot_count - 1)) {
        const struct text *seen = slots[at];
        if (seen->hash == hash && seen->size == size && memcmp(seen->chars, chars, size) == 0)
            break;
    }
    return &slots[at];
}

static bool double_slots(struct text_pool *pool)
{
    size_t wanted = pool->slot_count * 2;
    struct text **slots = calloc(wanted, sizeof(slots[0]));
    if (!slots)
        return false;
    for (size_t i = 0; i < pool->slot_count; i++) {
        struct text *text = pool->slots[i];
        if (text)
            *find_slot(slots, wanted, text->hash, text->chars, text->size) = text;
    }
    free(pool->slots);
    pool->slots = slots;
    pool->slot_count = wanted;
    return true;
}

static struct text *new_text(struct text_pool *pool, size_t size)
{
    size_t align = _Alignof(struct text);
    size_t need = (sizeof(struct text) + size + 1 + align - 1) / align * align;

    if (!pool->blocks || pool->blocks->used + need > BLOCK_BYTES) {
        struct text_block *block = malloc(sizeof(*block));
        if (!block)
            return NULL;
        block->next = pool->blocks;
        block->used = 0;
        pool->blocks = block;
    }
    struct text *text = (struct text *)(void *)&pool->blocks->bytes[pool->blocks->used];
    pool->blocks->used += need;
    return text;
}

/* Control characters of `text` replaced, in the pool's own buffer. */
static const char *make_printable(struct text_pool *pool, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)text[i];
        pool->printable[i] = byte < 0x20 || byte == 0x7f ? '?' : (char)byte;
    }
    return pool->printable;
}

const char *text_pool_keep(struct text_pool *pool, const char *text, size_t size)
{
    if (size > TEXT_MAX)
        size = TEXT_MAX;
    if (size == 0)
        return empty.chars;
    const char *chars = make_printable(pool, text, size);
    uint64_t hash = hash_bytes(chars, size);
    struct text **slot = find_slot(pool->slots, pool->slot_count, hash, chars, size);
    if (*slot)
        return (*slot)->chars;
    if ((pool->text_count + 1) * 2 > pool->slot_count) {
        if (!double_slots(pool))
            return empty.chars;
        slot = find_slot(pool->slots, pool->slot_count, hash, chars, size);
    }
    struct text *kept = new_text(pool, size);
    if (!kept)
        return empty.chars;
    *kept = (struct text){.hash = hash, .size = size};
    memcpy(kept->chars, chars, size);
    kept->chars[size] = '\0';
    *slot = kept;
    pool->text_count++;
    return kept->chars;
}

const char *text_pool_readable(struct text_pool *pool, const char *kept)
{
    struct text *text = (struct text *)(void *)((char *)kept - offsetof(struct text, chars));

    if (!text->readable) {
        char *readable = demangle(kept);
        text->readable = readable ? text_pool_keep(pool, readable, strlen(readable)) : kept;
        free(readable);
    }
    return text->readable;
}
