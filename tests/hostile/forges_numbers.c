/* SPDX-License-Identifier: Apache-2.0 */
/* forges_numbers: every count, index and size in the arena is as large as it can be, or leads in a
 * circle, one after the other. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hostile.h"

#define NODES 512u

static void forge_circles(struct arena_header *arena)
{
    for (uint32_t i = 0; i < NODES; i++) {
        struct trie_node *node = arena_node_at(arena, ARENA_NODES - NODES + i);
        *node = (struct trie_node){.ip = UINT64_MAX - i,
                                   .parent = ARENA_NODES - NODES + (i * 7 + 3) % NODES,
                                   .module = i % 2 ? UINT32_MAX : i,
                                   .depth = UINT32_MAX,
                                   .target = UINT32_MAX};
    }
    atomic_store(&arena->node_count, UINT32_MAX);
}

static void forge_modules(struct arena_header *arena)
{
    for (uint32_t i = 1; i < 64; i++) {
        struct arena_module *module = arena_module_at(arena, i);
        module->start = UINT64_MAX - i;
        module->end = i;
        module->bias = UINT64_MAX / 2;
        module->build_id_size = UINT32_MAX;
        memset(module->path, i % 3 ? 0x1b : '/', sizeof(module->path));
        atomic_store(&module->state, MODULE_READY);
    }
    atomic_store(&arena->module_high, UINT32_MAX);
}

/* Records of every kind with the largest numbers there are. */
static void forge_records(struct arena_slot *slot, uint64_t entry)
{
    uint64_t const all = UINT64_MAX;
    for (uint64_t kind = 0; kind < 16; kind++) {
        uint64_t words[TOLD_WORDS_MAX];
        for (unsigned i = 0; i < TOLD_WORDS_MAX; i++)
            words[i] = all;
        words[0] = (all << 8) | kind;
        unsigned const count = event_words((enum event_type)kind);
        if (kind == EVENT_THREAD)
            words[0] = all << 32 | entry << 16 | EVENT_THREAD;
        if (kind != EVENT_TOLD && count > 0)
            hostile_put(slot, words, count);
        words[0] = told_head(all >> 16, (enum told_kind)kind, TOLD_WORDS_MAX);
        hostile_put(slot, words, TOLD_WORDS_MAX);
    }
    for (uint64_t length = 0; length < 256; length += 17) {
        uint64_t const head = all << 16 | length << 8 | TOLD_REGION << 4 | EVENT_TOLD;
        hostile_put(slot, &head, 1);
    }
    for (uint32_t i = 0; i < 4 * NODES; i++) {
        uint64_t const alloc[4] = {(0x30000ull + i * 16) << 16 | EVENT_ALLOC_BIG,
                                   ARENA_NODES - NODES + i % (2 * NODES), all - i, all};
        hostile_put(slot, alloc, 4);
    }
}

int main(void)
{
    struct arena_header *arena = hostile_begin();
    uint32_t const entry = hostile_entry(arena);
    struct arena_slot *slot = hostile_take_slot(arena), *other = hostile_take_slot(arena);
    struct arena_process *process = arena_process_at(arena, entry);
    forge_circles(arena);
    forge_modules(arena);
    hostile_thread(slot, entry, UINT32_MAX);
    forge_records(slot, entry);
    for (uint32_t process_index = 0; process_index < 70000; process_index += 1021)
        hostile_thread(slot, process_index & 0xffff, 1);
    atomic_store(&other->head, UINT64_MAX - 5);
    usleep(300000);
    other->calls = other->bytes = other->frees = other->lost = UINT64_MAX;
    other->gap_events = other->gap_calls = other->gap_start = UINT64_MAX;
    other->cost_ticks = other->cost_events = UINT64_MAX;
    atomic_store(&process->calls, UINT64_MAX);
    atomic_store(&process->wait_ticks, UINT64_MAX);
    atomic_store(&process->confined_tsc, UINT64_MAX);
    process->start_tsc = UINT64_MAX;
    atomic_store(&arena->slot_high, UINT32_MAX);
    atomic_store(&arena->process_high, UINT32_MAX);
    atomic_store(&arena->clock, UINT64_MAX);
    atomic_store(&arena->unlisted_processes, UINT32_MAX);
    atomic_store(&arena->left_behind, UINT32_MAX);
    atomic_store(&arena->samples_dropped, UINT64_MAX);
    arena->slot_limit = UINT32_MAX;
    arena->size = UINT64_MAX;
    arena->lock_offset = UINT32_MAX;
    usleep(300000);
    printf("forged numbers\n");
    return 0;
}
