/* SPDX-License-Identifier: Apache-2.0 */
#include "ring_writer.h"

#include <string.h>

#include "program_side.h"
#include "tracer/process/arena_raise.h"

void writer_process(struct ring_writer *writer, uint32_t index, uint32_t pid, const char *path)
{
    struct arena_process *process = arena_process_at(program_side(writer->arena), index);
    process->pid = pid;
    process->parent_pid = 1;
    strncpy(process->path, path, sizeof(process->path) - 1);
    atomic_store(&process->state, PROCESS_RUNNING);
    arena_raise(&program_side(writer->arena)->process_high, index);
}

uint32_t writer_node(struct ring_writer *writer, uint32_t parent, uint64_t ip)
{
    uint32_t id = atomic_fetch_add(&program_side(writer->arena)->node_count, 1);
    *arena_node_at(program_side(writer->arena), id) =
        (struct trie_node){.ip = ip, .parent = parent, .target = id};
    return id;
}

void writer_words(struct ring_writer *writer, uint32_t slot, const uint64_t *words, unsigned count)
{
    struct arena_slot *at = arena_slot_at(program_side(writer->arena), slot);
    for (unsigned i = 0; i < count; i++)
        arena_slot_ring(at)[at->next++ % RING_WORDS] = words[i];
    arena_raise(&program_side(writer->arena)->slot_high, slot);
}

void writer_thread(struct ring_writer *writer, uint32_t slot, uint32_t tid, uint32_t process)
{
    uint64_t words[2] = {(uint64_t)tid << 32 | (uint64_t)process << 16 | EVENT_THREAD, 1000};
    arena_tag_at(program_side(writer->arena), slot)->process = process;
    writer_words(writer, slot, words, 2);
}

void writer_fork(struct ring_writer *writer, uint32_t slot, uint32_t id, uint64_t tsc)
{
    uint64_t words[2] = {(uint64_t)id << 4 | EVENT_FORK, tsc};
    writer_time(writer, slot, tsc);
    writer_words(writer, slot, words, 2);
}

void writer_time(struct ring_writer *writer, uint32_t slot, uint64_t tsc)
{
    writer_words(writer, slot, &(uint64_t){tsc << 4 | EVENT_TIME}, 1);
}

static uint64_t first_word(struct ring_writer *writer, uint64_t address, enum event_type type)
{
    uint16_t *number = &writer->numbers[event_group(address)];
    uint64_t next = ++*number & EVENT_SEQUENCE_MASK;
    return address << 16 | next << EVENT_SEQUENCE_SHIFT | type;
}

void writer_alloc(struct ring_writer *writer, uint32_t slot, struct written_block block)
{
    uint64_t usable = block.size + block.slack, spare = usable / 8 - (block.size + 7) / 8;
    if (block.size < EVENT_SIZE_LIMIT && usable % 8 == 0 && spare < EVENT_SPARE_LIMIT) {
        uint64_t words[2] = {first_word(writer, block.address, EVENT_ALLOC),
                             (uint64_t)block.node << EVENT_NODE_SHIFT | spare << EVENT_SIZE_BITS |
                                 block.size};
        writer_words(writer, slot, words, 2);
        return;
    }
    uint64_t words[4] = {first_word(writer, block.address, EVENT_ALLOC_BIG), block.node, block.size,
                         usable};
    writer_words(writer, slot, words, 4);
}

void writer_free(struct ring_writer *writer, uint32_t slot, uint64_t address, bool temporary)
{
    uint64_t word = first_word(writer, address, EVENT_FREE) | (temporary ? EVENT_TEMPORARY : 0);
    writer_words(writer, slot, &word, 1);
}

void writer_move(struct ring_writer *writer, uint32_t slot, uint64_t address)
{
    writer_words(writer, slot, &(uint64_t){first_word(writer, address, EVENT_MOVE)}, 1);
}

void writer_outcome(struct ring_writer *writer, uint32_t slot, enum event_outcome outcome)
{
    writer_words(writer, slot, &(uint64_t){(uint64_t)outcome << 4 | EVENT_OUTCOME}, 1);
}

uint64_t writer_written(struct ring_writer *writer, uint32_t slot)
{
    return arena_slot_at(program_side(writer->arena), slot)->next;
}

void writer_publish_to(struct ring_writer *writer, uint32_t slot, uint64_t head)
{
    atomic_store(&arena_slot_at(program_side(writer->arena), slot)->head, head);
}

void writer_publish(struct ring_writer *writer, uint32_t slot)
{
    writer_publish_to(writer, slot, writer_written(writer, slot));
}
