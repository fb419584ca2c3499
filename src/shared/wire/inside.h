/* inside.h - allocators linked into a program: what the recorder tells the tracer about their
 * functions.
 *
 * The recorder knows symbols and instructions; the tracer is in the program. So the recorder reads
 * the files, decides where each function can be entered by a jump of ours, and writes, byte for
 * byte, what must run in place of the instructions that the jump covers. The tracer maps memory
 * where the plan says, copies the bytes and makes the jumps; it decodes nothing. The tracer asks
 * for a plan through the one bell in the arena; the recorder then writes the plan into the memory
 * of the process.
 *
 *   cell, 128 bytes within reach of a jump from the function:
 *     0   the way to the hook, written by the tracer
 *     32  the covered instructions, moved, and the jump back to the instruction after them
 *   The first cell of a region holds INSIDE_SIGN instead. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

/* What a function does with memory. Arguments are numbered from 0. */
enum inside_call {
    INSIDE_NOTHING,
    INSIDE_ALLOC, /* Returns a block or NULL. */
    /* Like posix_memalign: returns 0 and stores the block where argument `block` points. */
    INSIDE_ALLOC_OUT,
    INSIDE_ALLOC_TEXT,  /* Like strdup: the block holds a text. */
    INSIDE_FREE,        /* Frees a block; NULL is allowed. */
    INSIDE_RESIZE,      /* Like realloc. */
    INSIDE_RESIZE_FREE, /* Like reallocf: a failure frees the old block. */
    /* Like reallocarr: returns 0; argument `block` points to the old block, then to the new one. */
    INSIDE_RESIZE_OUT,
    INSIDE_EXPAND,  /* Resizes in place: returns the block, or NULL. */
    INSIDE_XALLOCX, /* Resizes in place: returns the usable size; argument size + 1 is `extra`. */
    INSIDE_CALLS
};

#define INSIDE_ARGUMENTS 6u
#define INSIDE_NO        0xffu /* There is no such argument. */

struct inside_shape {
    uint8_t call;  /* enum inside_call */
    uint8_t block; /* Argument that is the block, or points to the block. */
    uint8_t size;  /* Argument that is the size in bytes, to be multiplied by ... */
    uint8_t count; /* ... this argument. */
};

/* How to find the usable size of a block if the allocator has no function for that. */
enum inside_usable { INSIDE_USABLE_WORDS, INSIDE_USABLE_JEMALLOC };

enum inside_outcome {
    INSIDE_WAITING,
    INSIDE_HOOKED,
    INSIDE_CHANGED_CODE, /* The code in memory differs from the file. */
    INSIDE_NO_MEMORY,    /* No memory near the code, or none that may be executed. */
    INSIDE_PROTECTED,    /* The code cannot be made writable. */
    INSIDE_THREADS,      /* Other threads run already. */
    INSIDE_OURSELVES,    /* The code belongs to the tracer itself. */
    /* The moved code pushes a return address, which a shadow stack would not know. */
    INSIDE_SHADOW_STACK,
    INSIDE_OUTCOMES
};

#define INSIDE_CELL    128u
#define INSIDE_CODE_AT 32u
#define INSIDE_JUMP    5u                 /* Bytes of a jump instruction. */
#define INSIDE_SIGN    "memoir's hooks\n" /* Text at the start of a region. */
#define INSIDE_SIGNED  16u                /* Bytes of INSIDE_SIGN, with its NUL. */
_Static_assert(sizeof(INSIDE_SIGN) == INSIDE_SIGNED && INSIDE_SIGNED <= INSIDE_CELL, "it fits");

struct inside_patch {
    uint64_t address; /* Address of the function. */
    uint64_t cell;    /* Address of its cell, in one of the regions. */
    uint64_t usable;  /* Address of the function that returns a block's usable size, or 0. */
    struct inside_shape shape;
    uint8_t usable_rule; /* enum inside_usable */
    uint8_t stolen;      /* Bytes of code that move; at least INSIDE_JUMP. */
    uint8_t code_size;
    /* 1: the moved code pushes a return address, which a shadow stack would not know. */
    uint8_t pushes;
    uint8_t before[24]; /* The bytes that move, as they were. */
    uint8_t code[64];   /* Code that runs in their place; valid only at cell + INSIDE_CODE_AT. */
    uint64_t unused;
};

#define INSIDE_PATCHES 512u
#define INSIDE_REGIONS 16u

struct inside_region {
    uint64_t start, bytes; /* Address range that was free when the plan was made; whole pages. */
};

/* Which side waits. The tracer takes the bell (`holder`, 0 if free) and rings; the recorder
 * answers, and frees the bell once the tracer is done or gone. All processes of an arena can write
 * to the bell, also a process with fewer rights than others: all that such a process can do is to
 * ring. */
enum plan_state {
    PLAN_NONE,
    PLAN_ASKED, /* The recorder must answer. */
    PLAN_READY, /* The plan is there: the tracer must carry it out. */
    PLAN_TAKEN, /* The tracer is done: `outcomes` is filled in. */
    PLAN_LATE   /* The tracer has stopped waiting. */
};

struct arena_bell {
    _Atomic uint32_t holder; /* Index of the process, plus one; 0: free. */
    _Atomic uint32_t state;  /* enum plan_state; a futex. */
    /* The tracer's answers, one per patch: enum inside_outcome. */
    _Atomic uint32_t outcomes[INSIDE_PATCHES];
};

/* The plan, memoir_tracer_plan in our library: code that the process will run. The recorder writes
 * the plan into the memory of that process, where no other process can write, and only while
 * `wanted` says PLAN_WANTED. */
enum plan_wanted { PLAN_UNWANTED, PLAN_WANTED, PLAN_DELIVERED };
struct inside_plan {
    _Atomic uint32_t wanted;
    uint32_t unused;
    uint32_t patch_count, region_count;
    struct inside_region regions[INSIDE_REGIONS];
    struct inside_patch patches[INSIDE_PATCHES];
};

/* The jumps that the tracer has prepared in its process: memoir_tracer_jumps in our library. In a
 * program that runs already, the recorder stops all threads, makes the jumps, and removes them
 * before tracing ends. */
struct inside_jump {
    uint64_t address;
    uint8_t before[8], jump[8]; /* The first INSIDE_JUMP bytes of each are used. */
    /* No thread may be between address and address + stolen when the jump is made. */
    uint8_t stolen;
    uint8_t unused[7];
};
struct inside_jumps {
    uint32_t count;
    uint32_t unused;
    struct inside_jump jumps[INSIDE_PATCHES];
};

_Static_assert(sizeof(struct inside_jump) == 32, "shared layout");
_Static_assert(sizeof(struct inside_patch) == 128, "shared layout");
