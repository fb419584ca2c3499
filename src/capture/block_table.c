/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/block_table.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"

#define YOUNG_BITS     12
#define SEGMENT_BITS   8
#define SEGMENTS       (1u << SEGMENT_BITS)
#define FIRST_ROOM     48u
#define SIZE_BITS      36
#define SIZE_ELSEWHERE ((1ull << SIZE_BITS) - 1) /* the size is in `large` */
#define TIME_SHIFT     14
#define TIME_BITS      39
#define THREAD_BITS    12

/* address/8:45 | time and thread, low 19 bits;  site:28 size:36;  time and thread, high 32 bits.
 * time and thread: time:39 | thread:12 */
struct __attribute__((packed, aligned(4))) entry {
    uint64_t key;
    uint64_t value;
    uint32_t since;
};
_Static_assert(sizeof(struct entry) == 20, "the memory budget counts on it");

struct segment {
    struct entry *entries; /* an empty one has value and key 0 */
    uint32_t room, count;
};

struct large_size {
    uint64_t address, size;
};

struct block_table {
    struct block young[1 << YOUNG_BITS]; /* address 0: empty */
    struct segment segments[SEGMENTS];
    VEC(struct large_size) large;
    uint64_t count, bytes;
};

struct block_table *block_table_create(void)
{
    struct block_table *table = calloc(1, sizeof(*table));
    if (table)
        table->bytes = sizeof(*table);
    return table;
}

void block_table_destroy(struct block_table *table)
{
    if (!table)
        return;
    for (unsigned i = 0; i < SEGMENTS; i++)
        free(table->segments[i].entries);
    vec_free(&table->large);
    free(table);
}

static inline uint64_t hash_of(uint64_t address)
{
    return hash_mix(address >> 3);
}

static inline uint64_t entry_address(const struct entry *entry)
{
    return entry->key >> 19 << 3;
}

static inline bool entry_is_empty(const struct entry *entry)
{
    return entry->key >> 19 == 0;
}

static inline struct segment *segment_of(const struct block_table *table, uint64_t hash)
{
    return (struct segment *)&table->segments[hash >> (64 - SEGMENT_BITS)];
}

/* Any room, not only powers of two: multiply the low half of the hash into the range. */
static inline uint32_t home_of(const struct segment *segment, uint64_t hash)
{
    return (uint32_t)(((hash & 0xffffffffu) * segment->room) >> 32);
}

static struct entry *find_entry(const struct segment *segment, uint64_t address, uint64_t hash)
{
    if (!segment->room)
        return NULL;
    for (uint32_t at = home_of(segment, hash);; at = at + 1 == segment->room ? 0 : at + 1) {
        struct entry *entry = &segment->entries[at];
        if (entry_is_empty(entry))
            return NULL;
        if (entry_address(entry) == address)
            return entry;
    }
}

static void place(struct segment *segment, struct entry entry)
{
    uint32_t at = home_of(segment, hash_of(entry_address(&entry)));
    while (!entry_is_empty(&segment->entries[at]))
        at = at + 1 == segment->room ? 0 : at + 1;
    segment->entries[at] = entry;
    segment->count++;
}

/* Growing by a quarter keeps the table between 64 and 80 % full. */
static int grow(struct block_table *table, struct segment *segment)
{
    struct segment bigger = {.room = segment->room ? segment->room + segment->room / 4 + 8
                                                   : FIRST_ROOM};
    bigger.entries = calloc(bigger.room, sizeof(struct entry));
    if (!bigger.entries)
        return -ENOMEM;
    for (uint32_t i = 0; i < segment->room; i++) {
        if (!entry_is_empty(&segment->entries[i]))
            place(&bigger, segment->entries[i]);
    }
    table->bytes += (uint64_t)(bigger.room - segment->room) * sizeof(struct entry);
    free(segment->entries);
    *segment = bigger;
    return 0;
}

static int insert_old(struct block_table *table, const struct block *block)
{
    struct segment *segment = segment_of(table, hash_of(block->address));
    if ((uint64_t)segment->count * 5 >= (uint64_t)segment->room * 4 && grow(table, segment) < 0)
        return -ENOMEM;
    uint64_t size = block->size;
    if (size >= SIZE_ELSEWHERE) {
        if (!vec_push(&table->large, (struct large_size){block->address, size}))
            return -ENOMEM;
        size = SIZE_ELSEWHERE;
    }
    uint64_t since =
        (block->time_ns >> TIME_SHIFT & ((1ull << TIME_BITS) - 1)) << THREAD_BITS | block->thread;
    place(segment, (struct entry){.key = block->address >> 3 << 19 | (since & 0x7ffff),
                                  .value = (uint64_t)block->site << SIZE_BITS | size,
                                  .since = (uint32_t)(since >> 19)});
    return 0;
}

static uint64_t take_large(struct block_table *table, uint64_t address)
{
    for (size_t i = 0; i < table->large.count; i++) {
        if (table->large.items[i].address == address) {
            uint64_t size = table->large.items[i].size;
            table->large.items[i] = table->large.items[--table->large.count];
            return size;
        }
    }
    return SIZE_ELSEWHERE;
}

/* Closes the hole at `entry` by moving up those that would otherwise not be found. */
static void remove_entry(struct segment *segment, struct entry *entry)
{
    uint32_t hole = (uint32_t)(entry - segment->entries), at = hole;
    for (;;) {
        at = at + 1 == segment->room ? 0 : at + 1;
        struct entry *next = &segment->entries[at];
        if (entry_is_empty(next))
            break;
        uint32_t home = home_of(segment, hash_of(entry_address(next)));
        bool stays = hole <= at ? home > hole && home <= at : home > hole || home <= at;
        if (!stays) {
            segment->entries[hole] = *next;
            hole = at;
        }
    }
    memset(&segment->entries[hole], 0, sizeof(struct entry));
    segment->count--;
}

static inline struct block *young_of(const struct block_table *table, uint64_t address)
{
    uint64_t at = (address >> 4) ^ (address >> 16);
    return (struct block *)&table->young[at & ((1u << YOUNG_BITS) - 1)];
}

int block_table_insert(struct block_table *table, const struct block *block)
{
    struct block *young = young_of(table, block->address);
    if (block->address >> 3 == 0)
        return -EINVAL; /* that is how empty entries look */
    if (young->address && insert_old(table, young) < 0)
        return -ENOMEM;
    *young = *block;
    table->count++;
    return 0;
}

bool block_table_take(struct block_table *table, uint64_t address, struct block *block)
{
    struct block *young = young_of(table, address);
    if (address >> 3 == 0)
        return false;
    if (young->address == address) {
        *block = *young;
        young->address = 0;
        table->count--;
        return true;
    }
    uint64_t hash = hash_of(address);
    struct segment *segment = segment_of(table, hash);
    struct entry *entry = find_entry(segment, address, hash);
    if (!entry)
        return false;
    uint64_t since = (uint64_t)entry->since << 19 | (entry->key & 0x7ffff);
    *block = (struct block){.address = address,
                            .size = entry->value & SIZE_ELSEWHERE,
                            .time_ns = since >> THREAD_BITS << TIME_SHIFT,
                            .site = (uint32_t)(entry->value >> SIZE_BITS),
                            .thread = (uint32_t)(since & ((1u << THREAD_BITS) - 1))};
    if (block->size == SIZE_ELSEWHERE)
        block->size = take_large(table, address);
    remove_entry(segment, entry);
    table->count--;
    return true;
}

bool block_table_has(const struct block_table *table, uint64_t address)
{
    if (address >> 3 == 0)
        return false;
    if (young_of(table, address)->address == address)
        return true;
    uint64_t hash = hash_of(address);
    return find_entry(segment_of(table, hash), address, hash) != NULL;
}

void block_table_prefetch(const struct block_table *table, uint64_t address)
{
    uint64_t hash = hash_of(address);
    struct segment *segment = segment_of(table, hash);
    if (segment->room)
        __builtin_prefetch(&segment->entries[home_of(segment, hash)]);
}

uint64_t block_table_count(const struct block_table *table)
{
    return table->count;
}

uint64_t block_table_bytes(const struct block_table *table)
{
    return table->bytes;
}
