/* arena.h - the recorder's side of the shared memory: makes it, and is known to live while it holds
 * it. */
#pragma once

#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "capture/rings/shared.h"
#include "keeper/arena_mark.h"

/* How the kernel is told which word to mark when the thread that made the arena dies, however it
 * dies: by a list of its own, with nothing of it in the shared memory but that word. */
struct arena_will {
    struct robust_list_head head;
    struct robust_list entry;
    struct robust_list_head *before; /* the thread's list until then */
    size_t before_size;
};

struct arena_users;
struct arena {
    int fd;
    struct shared_arena *memory; /* NULL: not open */
    struct arena_will *will;
    struct arena_users *users;
    char name[ARENA_NAME_MAX]; /* by which others open it, when they do so elsewhere; or "" */
    uint32_t slots;            /* that are mapped: fewer where address space is limited */
    uint32_t slots_tight;      /* of them, for threads: fewer where memory is limited; 0: all */
    bool follows_children;     /* as asked; the program can change what the header says */
};

/* Makes an empty arena of a size that nobody can change, and holds its lock word for the calling
 * thread, whose death then tells the tracer that nobody reads any more.  Only that thread may
 * close it. */
int arena_open(struct arena *arena, bool follow_children, struct fault *fault);
void arena_close(struct arena *arena);

/* How much of it is mapped. */
size_t arena_mapped_bytes(const struct arena *arena);

/* Before the program has it: no more threads than these get a slot at the same time. */
void arena_limit_slots(struct arena *arena, uint32_t slots);

/* Slots ever used are below this. */
static inline uint32_t arena_slot_high(const struct arena *arena)
{
    uint32_t const high = shared_get(arena->memory, slot_high);
    return high < arena->slots ? high : arena->slots;
}

/* Entries of processes ever used are below this. */
static inline uint32_t arena_process_high(const struct arena *arena)
{
    uint32_t const high = shared_get(arena->memory, process_high);
    return high < ARENA_PROCESSES ? high : ARENA_PROCESSES;
}

/* The name by which a process of the same user maps it. */
void arena_path(const struct arena *arena, char *path, size_t size);
