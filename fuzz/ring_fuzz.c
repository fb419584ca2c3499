/* SPDX-License-Identifier: Apache-2.0 */
/* ring_fuzz.c - a program that scribbles over the shared memory.
 *
 * The input is a list of commands: put any word into a ring, put a plausible record into a ring,
 * write any word anywhere in the arena's tables, let the recorder read.  Whatever it is, the
 * recorder reads to the end and writes its file.
 *
 * The arena, the reader and its threads stay from run to run; what a run has touched is empty
 * again for the next.  With FLIPS (ring_race_fuzz.c) a thread changes what is there all the time,
 * also between two looks at the same word. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/rings/ring_reader_parts.h"
#include "capture/rings/slot_keeper.h"
#include "wire/told.h"

#ifndef FLIPS
#define FLIPS 0
#endif
#if FLIPS
#include <pthread.h>
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);

#define SLOTS     4u
#define PROCESSES 3u
#define ADDRESSES 32u /* that records are about */

/* What a command is, by the low bits of its first byte; and the bytes that follow that. */
enum command { RECORD, WORD = 4, SCRIBBLE, READ, KEEP };
#define COMMAND_BYTES_MAX 11u
static unsigned bytes_after(uint8_t first)
{
    static const uint8_t bytes[8] = {3, 3, 3, 3, 8, 10, 0, 0};
    return bytes[first & 7];
}

struct scribbler {
    struct arena *arena;
    struct ring_reader *reader;
    struct slot_keeper *keeper; /* only when asked for: it fills slots with memory */
    struct session *sessions[PROCESSES];
    struct tick_clock clock;
    uint16_t numbers[ADDRESSES], told_numbers[ADDRESSES]; /* all in groups of their own */
    const uint8_t *at, *end;
};

/* Where recordings go; gone at exit. */
static char folder[64];

static void remove_folder(void)
{
    rmdir(folder);
}

/* The arena as the program has it. */
static struct arena_header *header_of(const struct arena *arena)
{
    return (struct arena_header *)(void *)arena->memory;
}

static void wipe_slot(struct arena_slot *slot)
{
    uint64_t const written = slot->next < RING_WORDS ? slot->next : RING_WORDS;
    memset(arena_slot_ring(slot), 0, written * sizeof(uint64_t));
    memset(slot, 0, sizeof(*slot));
}

/* Its threads stay; what it knows of rings goes. */
static void reset_reader(struct ring_reader *reader)
{
    for (uint32_t i = 0; i < SLOTS; i++) {
        free(reader->rings[i].spill);
        reader->rings[i] = (struct ring){.index = i};
    }
    reader->words = reader->timed_words = 0;
    reader->blocked_count = 0;
    reader->draining = reader->is_late = false;
}

static struct arena *fresh_arena(void)
{
    static struct arena arena;
    if (!arena.memory) {
        strcpy(folder, "/dev/shm/memoir-fuzz-XXXXXX"); /* no disk is to be waited for */
        if (!mkdtemp(folder) || arena_open(&arena, true, NULL) < 0)
            abort();
        atexit(remove_folder);
    }
    struct arena_header *header = header_of(&arena);
    for (uint32_t i = 0; i < SLOTS; i++) /* what scribbles reach, and the rings as far as written */
        wipe_slot(arena_slot_at(header, i));
    memset(arena_process_at(header, 0), 0, PROCESSES * sizeof(struct arena_process));
    memset(arena_module_at(header, 0), 0, 4 * sizeof(struct arena_module));
    memset(arena_node_at(header, 0), 0, (TRIE_FIRST_NODE + 32) * sizeof(struct trie_node));
    memset(arena_tag_at(header, 0), 0, 8 * sizeof(struct arena_tag));
    atomic_store(&header_of(&arena)->process_high, 1);
    atomic_store(&header_of(&arena)->module_high, 2);
    atomic_store(&header_of(&arena)->slot_high, SLOTS);
    atomic_store(&header_of(&arena)->node_count, TRIE_FIRST_NODE + 16);
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

static uint64_t consume(struct scribbler *scribbler, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes && scribbler->at < scribbler->end; i++)
        value |= (uint64_t)*scribbler->at++ << 8 * i;
    return value;
}

static void put(struct scribbler *scribbler, uint32_t index, uint64_t word)
{
    struct arena_slot *slot = arena_slot_at(header_of(scribbler->arena), index);
    if (slot->next - atomic_load(&slot->tail) >= RING_WORDS)
        return;
    __atomic_store_n(&arena_slot_ring(slot)[slot->next++ % RING_WORDS], word, __ATOMIC_RELAXED);
    atomic_store(&slot->head, slot->next);
}

/* A record of few addresses, few sites, right numbers most of the time. */
static void put_record(struct scribbler *scribbler, uint32_t slot)
{
    uint64_t bits = consume(scribbler, 3);
    enum event_type type = (enum event_type)(1 + bits % (EVENT_TOLD - 1));
    uint64_t address = 0x10000 + (bits >> 4 & 15) * 64, node = TRIE_FIRST_NODE + (bits >> 8 & 15);
    uint64_t first = address << 16 | type | (bits >> 12 & 1 ? EVENT_TEMPORARY : 0);
    if (type <= EVENT_MOVE) {
        uint16_t *number = &scribbler->numbers[address / 64 % ADDRESSES];
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
    uint64_t bits = consume(scribbler, 3), address = 0x10000 + (bits >> 3 & 15) * 8;
    enum told_kind kind = (enum told_kind)(1 + (bits & 7) % TOLD_MARK);
    uint64_t fill = bits >> 8 & 7, node = TRIE_FIRST_NODE + (bits >> 11 & 15);
    unsigned fixed = told_fixed_words(kind), text = bits >> 15 & 3;
    if (kind == TOLD_MARK)
        address = 1 + (bits >> 3 & 3);
    uint64_t number = ++scribbler->told_numbers[address / 8 % ADDRESSES] & EVENT_SEQUENCE_MASK;
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
    uint64_t where = consume(scribbler, 2), value = consume(scribbler, 8);
    struct arena_header *memory = header_of(scribbler->arena);
    char *at;
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
    for (unsigned i = 0; i < 8; i += 4) /* some places are between two words */
        __atomic_store_n((uint32_t *)(void *)((uintptr_t)(at + i) & ~(uintptr_t)3),
                         (uint32_t)(value >> 8 * i), __ATOMIC_RELAXED);
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
    struct arena_header *header = header_of(scribbler->arena);
    for (uint32_t i = 0; i < SLOTS; i++) {
        put(scribbler, i, (uint64_t)(100 + i) << 32 | EVENT_THREAD);
        put(scribbler, i, 1000 + i);
    }
    for (uint32_t i = 0; i < 16; i++)
        *arena_node_at(header_of(scribbler->arena), TRIE_FIRST_NODE + i) =
            (struct trie_node){.ip = 0x1000 + i,
                               .parent = i ? TRIE_FIRST_NODE + i / 2 : TRIE_COMPLETE,
                               .module = i & 1};
    atomic_store(&arena_module_at(header_of(scribbler->arena), 1)->state, MODULE_READY);
    arena_process_at(header_of(scribbler->arena), 0)->pid = 1;
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
}

#if FLIPS
/* Changes what the reader reads while it does so. */
struct flipper {
    pthread_t thread;
    struct arena_header *header;
    uint64_t state;
    atomic_bool stop;
};

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void flip_word(struct arena_header *header, uint64_t bits)
{
    struct arena_slot *slot = arena_slot_at(header, bits & 3);
    uint64_t *word = &arena_slot_ring(slot)[(bits >> 2) % 256];
    uint32_t *node = (uint32_t *)arena_node_at(header, TRIE_FIRST_NODE);
    uint32_t *module = (uint32_t *)arena_module_at(header, 1);
    uint32_t *process = (uint32_t *)arena_process_at(header, 0);
    uint32_t const value = (uint32_t)(bits >> 32);
    switch (bits >> 10 & 7) {
    case 0:
        __atomic_store_n(&node[(bits >> 13) % (16 * 6)], value, __ATOMIC_RELAXED);
        break;
    case 1:
        __atomic_store_n(&module[(bits >> 13) % (sizeof(struct arena_module) / 4)], value,
                         __ATOMIC_RELAXED);
        break;
    case 2:
        __atomic_store_n(&process[(bits >> 13) % (sizeof(struct arena_process) / 4)], value,
                         __ATOMIC_RELAXED);
        break;
    case 3:
        atomic_store(&slot->head, bits >> 13 & 4095);
        break;
    default: /* a length, a kind, or anything, and back */
        __atomic_fetch_xor(word, 1ull << (bits >> 13 & 15), __ATOMIC_RELAXED);
    }
}

static void *flip(void *context)
{
    struct flipper *flipper = context;
    while (!atomic_load(&flipper->stop))
        flip_word(flipper->header, draw(&flipper->state));
    return NULL;
}

static void flipper_start(struct flipper *flipper, struct arena *arena, const uint8_t *data,
                          size_t size)
{
    flipper->header = header_of(arena);
    flipper->state = 88172645463325252u;
    for (size_t i = 0; i < size; i++)
        flipper->state = flipper->state * 31 + data[i];
    flipper->state |= 1;
    if (pthread_create(&flipper->thread, NULL, flip, flipper) != 0)
        abort();
}

static void flipper_stop(struct flipper *flipper)
{
    atomic_store(&flipper->stop, true);
    pthread_join(flipper->thread, NULL);
}
#else
struct flipper {
    int unused;
};
static void flipper_start(struct flipper *flipper, struct arena *arena, const uint8_t *data,
                          size_t size)
{
    (void)flipper, (void)arena, (void)data, (void)size;
}
static void flipper_stop(struct flipper *flipper)
{
    (void)flipper;
}
#endif

/* One of commands is put in, left out, put elsewhere again, or has other numbers. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    size_t starts[4096], count = 0, at = 0;
    uint8_t command[COMMAND_BYTES_MAX];
    unsigned state = seed * 2654435761u + 1;
#define DRAW() (state = state * 1664525u + 1013904223u, state >> 8)
    for (; at < size && count < 4096; at += 1 + bytes_after(data[at]))
        starts[count++] = at;
    if (count == 0 || DRAW() % 8 == 0)
        return LLVMFuzzerMutate(data, size, room);
    size_t const from = starts[DRAW() % count], to = starts[DRAW() % count];
    size_t length = 1 + bytes_after(data[from]);
    length = from + length > size ? size - from : length;
    memcpy(command, data + from, length);
    switch (DRAW() % 4) {
    case 0: /* gone */
        memmove(data + from, data + from + length, size - from - length);
        return size - length > 0 ? size - length : size;
    case 1: /* other numbers */
        if (length > 1)
            LLVMFuzzerMutate(data + from + 1, length - 1, length - 1);
        return size;
    case 2: /* a new one */
        command[0] = (uint8_t)DRAW();
        length = 1 + bytes_after(command[0]);
        for (size_t i = 1; i < length; i++)
            command[i] = (uint8_t)DRAW();
        /* fall through */
    default: /* once more */
        if (size + length > room)
            return size;
        memmove(data + to + length, data + to, size - to);
        memcpy(data + to, command, length);
        return size + length;
    }
#undef DRAW
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct scribbler scribbler;
    static struct ring_reader *reader;
    struct flipper flipper = {0};
    scribbler = (struct scribbler){
        .arena = fresh_arena(), .reader = reader, .at = data, .end = data + size};
    scribbler.clock.ns_per_tick = 0.5;
    if (!reader)
        reader = scribbler.reader = ring_reader_create(scribbler.arena, session_of, &scribbler);
    if (!reader)
        abort();
    reset_reader(reader);
    prepare(&scribbler);
    flipper_start(&flipper, scribbler.arena, data, size);
    while (scribbler.at < scribbler.end) {
        uint64_t const first = consume(&scribbler, 1);
        uint32_t const slot = first >> 3 & 3;
        switch (first & 7) {
        case WORD:
            put(&scribbler, slot, consume(&scribbler, 8));
            break;
        case SCRIBBLE:
            scribble(&scribbler);
            break;
        case READ:
            read_round(&scribbler);
            break;
        case KEEP:
            look_after_slots(&scribbler);
            break;
        default:
            if (first & 0x80)
                put_told(&scribbler, slot);
            else
                put_record(&scribbler, slot);
        }
    }
    finish(&scribbler);
    flipper_stop(&flipper);
    return 0;
}
