/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/block_table.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define YOUNG_BITS      12
#define SEGMENT_BITS    8
#define SEGMENTS        (1u << SEGMENT_BITS)
#define FIRST_ROOM      48u
#define SIZE_BITS       36
#define SIZE_LIMIT      (1ull << SIZE_BITS)
#define SPARE_BITS      6
#define SPARE_ELSEWHERE ((1u << SPARE_BITS) - 1) /* size and slack are in `odd` */
#define TIME_SHIFT      14
#define TIME_BITS       39
#define THREAD_BITS     12

/* address/8:45 | time and thread, low 19 bits;  site:22 spare:6 size:36;  time and thread, high 32
 * bits.  time and thread: time:39 | thread:12;  spare: usable = 8 * (ceil(size / 8) + spare) */
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

/* A block whose size or slack does not fit its entry. */
struct odd_block {
    uint64_t address, size, slack;
};

struct block_table {
    struct block young[1 << YOUNG_BITS]; /* address 0: empty */
    struct segment segments[SEGMENTS];
    struct odd_block *odd; /* open addressing, at most half full */
    size_t odd_room, odd_count;
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
    free(table->odd);
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

static struct odd_block *find_odd(struct block_table *table, uint64_t address)
{
    size_t at = hash_of(address) & (table->odd_room - 1);
    while (table->odd[at].address && table->odd[at].address != address)
        at = (at + 1) & (table->odd_room - 1);
    return &table->odd[at];
}

static int grow_odd(struct block_table *table)
{
    struct odd_block *old = table->odd;
    size_t old_room = table->odd_room, room = old_room ? 2 * old_room : 64;
    struct odd_block *grown = calloc(room, sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    table->odd = grown;
    table->odd_room = room;
    table->bytes += (room - old_room) * sizeof(*grown);
    for (size_t i = 0; i < old_room; i++) {
        if (old[i].address)
            *find_odd(table, old[i].address) = old[i];
    }
    free(old);
    return 0;
}

static int put_odd(struct block_table *table, struct odd_block odd)
{
    if (2 * table->odd_count >= table->odd_room && grow_odd(table) < 0)
        return -ENOMEM;
    *find_odd(table, odd.address) = odd;
    table->odd_count++;
    return 0;
}

/* Takes one out; those behind it move up to where they would be looked for. */
static struct odd_block take_odd(struct block_table *table, uint64_t address)
{
    struct odd_block *found = find_odd(table, address), taken = *found;
    size_t mask = table->odd_room - 1, at = (size_t)(found - table->odd);
    table->odd_count--;
    found->address = 0;
    while (table->odd[at = (at + 1) & mask].address) {
        struct odd_block moved = table->odd[at];
        table->odd[at].address = 0;
        *find_odd(table, moved.address) = moved;
    }
    return taken;
}

static int insert_old(struct block_table *table, const struct block *block)
{
    struct segment *segment = segment_of(table, hash_of(block->address));
    if ((uint64_t)segment->count * 5 >= (uint64_t)segment->room * 4 && grow(table, segment) < 0)
        return -ENOMEM;
    uint64_t usable = block->size + block->slack, size = block->size;
    uint64_t spare = usable / 8 - (size + 7) / 8;
    if (size >= SIZE_LIMIT || spare >= SPARE_ELSEWHERE || usable % 8) {
        if (put_odd(table, (struct odd_block){block->address, size, block->slack}) < 0)
            return -ENOMEM;
        spare = SPARE_ELSEWHERE;
        size = 0;
    }
    uint64_t since =
        (block->time_ns >> TIME_SHIFT & ((1ull << TIME_BITS) - 1)) << THREAD_BITS | block->thread;
    place(segment, (struct entry){.key = block->address >> 3 << 19 | (since & 0x7ffff),
                                  .value = (uint64_t)block->site << (SIZE_BITS + SPARE_BITS) |
                                           spare << SIZE_BITS | size,
                                  .since = (uint32_t)(since >> 19)});
    return 0;
}

static void unpack(struct block_table *table, const struct entry *entry, struct block *block)
{
    uint64_t since = (uint64_t)entry->since << 19 | (entry->key & 0x7ffff);
    uint64_t spare = entry->value >> SIZE_BITS & SPARE_ELSEWHERE;
    *block = (struct block){.address = entry_address(entry),
                            .size = entry->value & (SIZE_LIMIT - 1),
                            .time_ns = since >> THREAD_BITS << TIME_SHIFT,
                            .site = (uint32_t)(entry->value >> (SIZE_BITS + SPARE_BITS)),
                            .thread = (uint32_t)(since & ((1u << THREAD_BITS) - 1))};
    if (spare == SPARE_ELSEWHERE) {
        struct odd_block odd = take_odd(table, block->address);
        block->size = odd.size;
        block->slack = odd.slack;
    } else {
        block->slack = 8 * ((block->size + 7) / 8 + spare) - block->size;
    }
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
    if (block->address >> 3 == 0 || block->address % 8)
        return -EINVAL; /* how empty entries look, and what an entry cannot say */
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
    unpack(table, entry, block);
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
