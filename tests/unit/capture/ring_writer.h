/* ring_writer.h - writes the words of events into rings as the tracer does, without a program.
 *
 * What is written is read only once it is published; a test decides when. */
#pragma once

#include "capture/rings/arena.h"
#include "wire/event.h"

struct ring_writer {
    struct arena *arena;
    uint16_t numbers[EVENT_GROUPS]; /* of the one process that numbers its events */
};

/* A process of the arena's list, running. */
void writer_process(struct ring_writer *writer, uint32_t index, uint32_t pid, const char *path);

/* A node of the trie that ends there. */
uint32_t writer_node(struct ring_writer *writer, uint32_t parent, uint64_t ip);

struct written_block {
    uint64_t address, size, slack;
    uint32_t node;
};
void writer_thread(struct ring_writer *writer, uint32_t slot, uint32_t tid, uint32_t process);
void writer_fork(struct ring_writer *writer, uint32_t slot, uint32_t id, uint64_t tsc);
void writer_time(struct ring_writer *writer, uint32_t slot, uint64_t tsc);
void writer_alloc(struct ring_writer *writer, uint32_t slot, struct written_block block);
void writer_free(struct ring_writer *writer, uint32_t slot, uint64_t address, bool temporary);
void writer_move(struct ring_writer *writer, uint32_t slot, uint64_t address);
void writer_outcome(struct ring_writer *writer, uint32_t slot, enum event_outcome outcome);
void writer_words(struct ring_writer *writer, uint32_t slot, const uint64_t *words, unsigned count);

/* Everything written, or up to the word `head`, may be read. */
void writer_publish(struct ring_writer *writer, uint32_t slot);
void writer_publish_to(struct ring_writer *writer, uint32_t slot, uint64_t head);
uint64_t writer_written(struct ring_writer *writer, uint32_t slot);
