/* wiped_arena.h - one arena for all tests of a program, empty again at the beginning of each.
 *
 * Its lock is on a list that the C library keeps for the thread, so it is never unmapped. */
#pragma once

#include <fcntl.h>
#include <string.h>

#include "capture/rings/arena.h"
#include "check.h"
#include "program_side.h"

static inline struct arena *wiped_arena(void)
{
    static struct arena arena;
    if (!arena.memory)
        CHECK(arena_open(&arena, true, NULL) == 0);
    CHECK(fallocate(arena.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)ARENA_PROCESSES_AT,
                    (off_t)(ARENA_BYTES - ARENA_PROCESSES_AT)) == 0);
    atomic_store(&program_side(&arena)->process_high, 0);
    atomic_store(&program_side(&arena)->module_high, 0);
    atomic_store(&program_side(&arena)->slot_high, 0);
    atomic_store(&program_side(&arena)->node_count, TRIE_FIRST_NODE);
    return &arena;
}
