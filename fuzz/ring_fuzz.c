/* SPDX-License-Identifier: Apache-2.0 */
/* ring_fuzz.c - a program that scribbles over the shared memory.
 *
 * The input is a list of commands: put any word into a ring, put a plausible record into a ring,
 * write any word anywhere in the arena's tables, let the recorder read.  Whatever it is, the
 * recorder reads to the end and writes its file. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/rings/ring_reader.h"
#include "capture/rings/slot_keeper.h"
#include "wire/told.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SLOTS     4u
#define PROCESSES 3u

struct scribbler {
    struct arena *arena;
    struct ring_reader *reader;
    struct slot_keeper *keeper; /* only when asked for: it fills slots with memory */
    struct session *sessions[PROCESSES];
    struct tick_clock clock;
    uint16_t numbers[EVENT_GROUPS], told_numbers[EVENT_GROUPS];
    const uint8_t *at, *end;
};

/* Where recordings go; gone at exit. */
static char folder[64];

static void remove_folder(void)
{
    rmdir(folder);
}

static struct arena *fresh_arena(void)
{
    static struct arena arena;
    if (!arena.header) {
        strcpy(folder, "/tmp/memoir-fuzz-XXXXXX");
        if (!mkdtemp(folder) || arena_open(&arena, true, NULL) < 0)
            abort();
        atexit(remove_folder);
    }
    if (fallocate(arena.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)ARENA_PROCESSES_AT,
                  (off_t)(ARENA_BYTES - ARENA_PROCESSES_AT)) < 0)
        abort();
    atomic_store(&arena.header->process_high, 1);
    atomic_store(&arena.header->module_high, 2);
    atomic_store(&arena.header->slot_high, SLOTS);
    atomic_store(&arena.header->node_count, TRIE_FIRST_NODE + 16);
    return &arena;
}

static struct session *session_of(void *context, uint32_t process, uint64_t now_ns)
{
    struct scribbler *scribbler = context;
    struct session_rings const rings = {.arena = scribbler->arena, .process = process};
    struct session_options const options = {
        .folder = folder, .max_bytes = 1 << 22, .rings = &rings};
    struct fault fault;
    if (process >= PROCESSES)
        return NULL;
    if (!scribbler->sessions[process])
        scribbler->sessions[process] = session_open(&options, now_ns, &fault);
    return scribbler->sessions[process];
}

static uint64_t take(struct scribbler *scribbler, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes && scribbler->at < scribbler->end; i++)
        value |= (uint64_t)*scribbler->at++ << 8 * i;
    return value;
}

static void put(struct scribbler *scribbler, uint32_t index, uint64_t word)
{
    struct arena_slot *slot = arena_slot_at(scribbler->arena->memory, index);
    if (slot->next - atomic_load(&slot->tail) >= RING_WORDS)
        return;
    arena_slot_ring(slot)[slot->next++ % RING_WORDS] = word;
    atomic_store(&slot->head, slot->next);
}

/* A record of few addresses, few sites, right numbers most of the time. */
static void put_record(struct scribbler *scribbler, uint32_t slot)
{
    uint64_t bits = take(scribbler, 3);
    enum event_type type = (enum event_type)(1 + bits % (EVENT_TOLD - 1));
    uint64_t address = 0x10000 + (bits >> 4 & 15) * 64, node = TRIE_FIRST_NODE + (bits >> 8 & 15);
    uint64_t first = address << 16 | type | (bits >> 12 & 1 ? EVENT_TEMPORARY : 0);
    if (type <= EVENT_MOVE) {
        uint16_t *number = &scribbler->numbers[event_group(address)];
        *number = (uint16_t)(*number + 1 + (bits >> 16 == 0xff));
        first |= (uint64_t)(*number & EVENT_SEQUENCE_MASK) << EVENT_SEQUENCE_SHIFT;
    } else if (type == EVENT_THREAD) {
        first = 77ull << 32 | (bits >> 4 & 3) << 16 | EVENT_THREAD;
    } else if (type == EVENT_TIME) {
        first = bits << 8 | EVENT_TIME;
    }
    put(scribbler, slot, first);
    for (unsigned i = 1; i < event_words(type); i++) {
        uint64_t second = i == 1 && type == EVENT_ALLOC ? node << EVENT_NODE_SHIFT : node;
        put(scribbler, slot, second | (bits >> 16) << (i == 1 ? 0 : 4));
    }
}

/* The same of what a program tells through memoir.h: few pools, few blocks, few names. */
static void put_told(struct scribbler *scribbler, uint32_t slot)
{
    uint64_t bits = take(scribbler, 3), address = 0x10000 + (bits >> 3 & 15) * 8;
    enum told_kind kind = (enum told_kind)(1 + (bits & 7) % TOLD_MARK);
    uint64_t fill = bits >> 8 & 7, node = TRIE_FIRST_NODE + (bits >> 11 & 15);
    unsigned fixed = told_fixed_words(kind), text = bits >> 15 & 3;
    if (kind == TOLD_MARK)
        address = 1 + (bits >> 3 & 3);
    uint64_t number = ++scribbler->told_numbers[event_group(address)] & EVENT_SEQUENCE_MASK;
    uint64_t words[8] = {told_head(address, kind, fixed + text), fill << 32 | (bits >> 17 & 7),
                         64 * (bits >> 17 & 7), fill};
    if (kind == TOLD_ALLOC)
        words[1] = node << 32 | number;
    else if (kind == TOLD_FREE)
        words[1] = fill << 32 | number;
    for (unsigned i = 0; i < text && fixed + i < 8; i++)
        words[fixed + i] = 0x6161616161616161ull + (bits >> 17);
    for (unsigned i = 0; i < fixed + text; i++)
        put(scribbler, slot, words[i]);
}

/* Any word in the tables: processes, modules, nodes, the heads of slots. */
static void scribble(struct scribbler *scribbler)
{
    uint64_t where = take(scribbler, 2), value = take(scribbler, 8);
    char *memory = scribbler->arena->memory, *at;
    switch (where & 3) {
    case 0:
        at =
            (char *)arena_process_at(memory, 0) + (where >> 2) % (3 * sizeof(struct arena_process));
        break;
    case 1:
        at = (char *)arena_module_at(memory, 0) + (where >> 2) % (3 * sizeof(struct arena_module));
        break;
    case 2:
        at = (char *)arena_node_at(memory, TRIE_FIRST_NODE) +
             (where >> 2) % (16 * sizeof(struct trie_node));
        break;
    default: /* not `next`, which is this program's own */
        at = (char *)arena_slot_at(memory, where >> 2 & 3) +
             ((where >> 4) % (sizeof(struct arena_slot) / 8)) * 8;
        if (at == (char *)&arena_slot_at(memory, where >> 2 & 3)->next)
            return;
    }
    memcpy(at, &value, 8);
}

static void read_round(struct scribbler *scribbler)
{
    scribbler->clock.anchor_tsc += 150000000;
    scribbler->clock.anchor_ns += 150000000;
    ring_reader_round(scribbler->reader, &scribbler->clock);
    for (uint32_t i = 0; i < PROCESSES; i++) {
        if (scribbler->sessions[i])
            session_tick(scribbler->sessions[i], scribbler->clock.anchor_ns, NULL);
    }
}

static void look_after_slots(struct scribbler *scribbler)
{
    if (!scribbler->keeper)
        scribbler->keeper = slot_keeper_create(scribbler->arena);
    if (scribbler->keeper)
        slot_keeper_look(scribbler->keeper, scribbler->clock.anchor_ns);
}

static void prepare(struct scribbler *scribbler)
{
    struct arena_header *header = scribbler->arena->header;
    for (uint32_t i = 0; i < SLOTS; i++) {
        put(scribbler, i, (uint64_t)(100 + i) << 32 | EVENT_THREAD);
        put(scribbler, i, 1000 + i);
    }
    for (uint32_t i = 0; i < 16; i++)
        *arena_node_at(scribbler->arena->memory, TRIE_FIRST_NODE + i) =
            (struct trie_node){.ip = 0x1000 + i,
                               .parent = i ? TRIE_FIRST_NODE + i / 2 : TRIE_COMPLETE,
                               .module = i & 1};
    atomic_store(&arena_module_at(scribbler->arena->memory, 1)->state, MODULE_READY);
    arena_process_at(scribbler->arena->memory, 0)->pid = 1;
    atomic_store(&header->off, 0);
}

static void finish(struct scribbler *scribbler)
{
    struct fault fault;
    ring_reader_drain(scribbler->reader, &scribbler->clock);
    for (uint32_t i = 0; i < PROCESSES; i++) {
        struct session *session = scribbler->sessions[i];
        if (!session)
            continue;
        struct session_end end = {.now_ns = scribbler->clock.anchor_ns, .death = "scribbled"};
        if (scribbler->keeper) {
            slot_keeper_totals(scribbler->keeper, i, &end.counts.exact);
            slot_keeper_cost(scribbler->keeper, i, 1.0, &end.cost);
        }
        session_end(session, &end, &fault);
        ring_reader_forget(scribbler->reader, session);
        session_abandon(session);
    }
    slot_keeper_destroy(scribbler->keeper);
    ring_reader_destroy(scribbler->reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct scribbler *scribbler = calloc(1, sizeof(*scribbler));
    scribbler->arena = fresh_arena();
    scribbler->clock.ns_per_tick = 0.5;
    scribbler->at = data;
    scribbler->end = data + size;
    scribbler->reader = ring_reader_create(scribbler->arena, session_of, scribbler);
    if (!scribbler->reader)
        abort();
    prepare(scribbler);
    while (scribbler->at < scribbler->end) {
        uint64_t command = take(scribbler, 1);
        uint32_t slot = command >> 3 & 3;
        if ((command & 7) < 4 && command & 0x80)
            put_told(scribbler, slot);
        else if ((command & 7) < 4)
            put_record(scribbler, slot);
        else if ((command & 7) == 4)
            put(scribbler, slot, take(scribbler, 8));
        else if ((command & 7) == 5)
            scribble(scribbler);
        else if ((command & 7) == 6)
            read_round(scribbler);
        else
            look_after_slots(scribbler);
    }
    finish(scribbler);
    free(scribbler);
    return 0;
}
