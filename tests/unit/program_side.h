/* program_side.h - the arena as the watched program has it, which tests stand for: the recorder's
 * own pointers cannot be looked through (capture/rings/shared.h). */
#pragma once

#include "capture/rings/arena.h"

static inline struct arena_header *program_side(const struct arena *arena)
{
    return (struct arena_header *)(void *)arena->memory;
}
