/* arena.h - the recorder's side of the shared memory: creates it, and holds its lock, so that the
 * program can see whether the recorder lives. */
#pragma once

#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "capture/rings/shared.h"
#include "keeper/arena_mark.h"

/* Tells the kernel which word of the arena to mark when the thread that made the arena dies,
 * however it dies.  This is a robust list of that thread; only the marked word is in the shared
 * memory, not the list. */
struct arena_will {
    struct robust_list_head head;
    struct robust_list entry;
    struct robust_list_head *before; /* The thread's robust list until then. */
    size_t before_size;
};

struct arena_users;
struct arena {
    int fd;
    struct shared_arena *memory; /* NULL: not open. */
    struct arena_will *will;
    struct arena_users *users;
    /* Name by which other processes open the arena, if not the usual one; or "". */
    char name[ARENA_NAME_MAX];
    uint32_t slots; /* Number of mapped slots: fewer where address space is limited. */
    /* How many of them threads may use: fewer where memory is limited; 0: all. */
    uint32_t slots_tight;
    /* As the options say; the program can change what the header of the arena says. */
    bool follows_children;
};

/* Creates an empty arena of a size that nobody can change.  Makes the calling thread the holder of
 * its lock word: when that thread dies, the tracer sees that nobody reads any more.  Only that
 * thread may close the arena. */
int arena_open(struct arena *arena, bool follow_children, struct fault *fault);
void arena_close(struct arena *arena);

/* Returns how many bytes of the arena are mapped. */
size_t arena_mapped_bytes(const struct arena *arena);

/* Lets at most `slots` threads have a slot at the same time.  To be called before the program has
 * the arena. */
void arena_limit_slots(struct arena *arena, uint32_t slots);

/* Returns a number above all slots that were ever used. */
static inline uint32_t arena_slot_high(const struct arena *arena)
{
    uint32_t const high = shared_get(arena->memory, slot_high);
    return high < arena->slots ? high : arena->slots;
}

/* Returns a number above all process entries that were ever used. */
static inline uint32_t arena_process_high(const struct arena *arena)
{
    uint32_t const high = shared_get(arena->memory, process_high);
    return high < ARENA_PROCESSES ? high : ARENA_PROCESSES;
}

/* Writes the path by which a process of the same user opens the arena. */
void arena_path(const struct arena *arena, char *path, size_t size);
