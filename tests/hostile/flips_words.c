/* SPDX-License-Identifier: Apache-2.0 */
/* flips_words: what is read twice is not the same twice.  One thread writes records that are in
 * order, another changes them all the time: lengths, kinds, node numbers, the nodes' parents and
 * modules, names without an end, heads and entries. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "hostile.h"

#define SECONDS 1.2
#define WORDS   16u /* that are flipped, at the head of the ring */

struct flipping {
    struct arena_header *arena;
    struct arena_slot *slot;
    uint32_t entry;
    _Atomic bool stop;
};

static void flip_record(struct flipping *flipping, uint64_t bits)
{
    uint64_t *ring = arena_slot_ring(flipping->slot);
    uint64_t const at = atomic_load(&flipping->slot->head) - 1 - bits % (4 * WORDS);
    uint64_t *word = &ring[at % RING_WORDS];
    uint64_t const was = __atomic_load_n(word, __ATOMIC_RELAXED);
    if (event_type_of(was) == EVENT_TOLD) /* long, and back again */
        __atomic_store_n(word, was ^ 0xff00, __ATOMIC_RELAXED);
    else
        __atomic_store_n(word, was ^ bits >> 7, __ATOMIC_RELAXED);
    if (event_type_of(was) == EVENT_TOLD)
        __atomic_store_n(word, was, __ATOMIC_RELAXED);
}

static void flip_tables(struct flipping *flipping, uint64_t bits)
{
    struct arena_header *arena = flipping->arena;
    struct trie_node *node = arena_node_at(arena, TRIE_FIRST_NODE + bits % 64);
    struct arena_module *module = arena_module_at(arena, 1 + bits % 8);
    struct arena_process *process = arena_process_at(arena, flipping->entry);
    __atomic_store_n(&node->parent, TRIE_FIRST_NODE + (uint32_t)(bits >> 8) % 64, __ATOMIC_RELAXED);
    __atomic_store_n(&node->module, (uint32_t)(bits >> 14), __ATOMIC_RELAXED);
    __atomic_store_n(&node->depth, (uint32_t)bits, __ATOMIC_RELAXED);
    __atomic_store_n(&module->build_id_size, (uint32_t)(bits >> 9), __ATOMIC_RELAXED);
    memset(module->path, 'A' + (int)(bits & 15), sizeof(module->path));
    memset(process->path, 'a' + (int)(bits & 15), sizeof(process->path));
    atomic_store(&arena->node_count, (uint32_t)bits | TRIE_FIRST_NODE);
    if ((bits >> 40 & 0xffff) == 0)
        atomic_store(&flipping->slot->head, bits);
}

static void *flip(void *context)
{
    struct flipping *flipping = context;
    uint64_t state = 88172645463325252u;
    while (!atomic_load(&flipping->stop)) {
        uint64_t const bits = hostile_random(&state);
        flip_record(flipping, bits);
        if (bits >> 58 == 0)
            flip_tables(flipping, bits);
    }
    return NULL;
}

static bool tell(struct arena_slot *slot, uint64_t bits)
{
    enum told_kind const kind = (enum told_kind)(1 + bits % (TOLD_KINDS - 1));
    unsigned const fixed = told_fixed_words(kind), text = fixed + 14 > 17 ? 0 : 14;
    uint64_t words[TOLD_WORDS_MAX];
    memset(words, 'N', sizeof(words)); /* a text without NUL */
    words[0] = told_head(0x10000 + (bits >> 8) % 64 * 16, kind, fixed + text);
    words[1] = (bits >> 16) % 64 << 32 | (bits & EVENT_SEQUENCE_MASK);
    words[2] = bits >> 20;
    return hostile_put(slot, words, fixed + text);
}

int main(void)
{
    struct flipping flipping = {.arena = hostile_begin()};
    pthread_t flippers[2];
    uint64_t state = 1234567;
    flipping.entry = hostile_entry(flipping.arena);
    flipping.slot = hostile_take_slot(flipping.arena);
    hostile_thread(flipping.slot, flipping.entry, 4711);
    for (int i = 0; i < 2; i++)
        if (pthread_create(&flippers[i], NULL, flip, &flipping) != 0)
            return 1;
    while (!hostile_is_over(SECONDS)) {
        uint64_t const bits = hostile_random(&state);
        uint64_t const alloc[2] = {(0x20000 + bits % 1024 * 64) << 16 | EVENT_ALLOC,
                                   (TRIE_FIRST_NODE + bits % 64) << EVENT_NODE_SHIFT | 100};
        if (!hostile_put(flipping.slot, alloc, 2) || !tell(flipping.slot, bits)) {
            flipping.slot->next = atomic_load(&flipping.slot->tail); /* a flipped head */
            atomic_store(&flipping.slot->head, flipping.slot->next);
        }
    }
    atomic_store(&flipping.stop, true);
    for (int i = 0; i < 2; i++)
        pthread_join(flippers[i], NULL);
    printf("flipped words\n");
    return 0;
}
