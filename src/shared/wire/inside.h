/* inside.h - allocators linked into a program: what the recorder tells the tracer about their functions.
 *
 * The recorder knows symbols and instructions, the tracer is in the program.  So the recorder reads the
 * files, decides where each function can be entered by a jump of ours, and writes down, byte for byte, what must
 * run in place of the instructions that the jump covers.  The tracer maps memory where it is told, copies the bytes
 * and makes the jumps; it decodes nothing.  There is one bell in the arena to ask for a plan, which
 * then comes into the process's own memory.
 *
 *   cell, 128 bytes within reach of a jump from the function:
 *     0   the way to the hook, written by the tracer
 *     32  the covered instructions, moved, and the jump back to what follows them
 *   The first cell of a region says whose it is instead. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

/* What a function does with memory.  Arguments are numbered from 0. */
enum inside_call {
    INSIDE_NOTHING,
    INSIDE_ALLOC,       /* returns a block or NULL */
    INSIDE_ALLOC_OUT,   /* like posix_memalign: 0, and the block where argument `block` points */
    INSIDE_ALLOC_TEXT,  /* like strdup: the block holds a text */
    INSIDE_FREE,        /* NULL allowed */
    INSIDE_RESIZE,      /* like realloc */
    INSIDE_RESIZE_FREE, /* like reallocf: failing frees the old block */
    INSIDE_RESIZE_OUT,  /* like reallocarr: 0, and both blocks where argument `block` points */
    INSIDE_EXPAND,      /* where it is, or NULL */
    INSIDE_XALLOCX,     /* where it is; returns the usable size, and argument size + 1 is `extra` */
    INSIDE_CALLS
};

#define INSIDE_ARGUMENTS 6u
#define INSIDE_NO        0xffu /* no such argument */

struct inside_shape {
    uint8_t call;  /* enum inside_call */
    uint8_t block; /* argument that is the block, or points to it */
    uint8_t size;  /* in bytes, times ... */
    uint8_t count; /* ... this one */
};

/* How to know what a block can hold, when the allocator has no function that tells. */
enum inside_usable { INSIDE_USABLE_WORDS, INSIDE_USABLE_JEMALLOC };

enum inside_outcome {
    INSIDE_WAITING,
    INSIDE_HOOKED,
    INSIDE_CHANGED_CODE, /* it is not what the file says */
    INSIDE_NO_MEMORY,    /* nothing to be had near the code, or none that may run */
    INSIDE_PROTECTED,    /* the code may not be written */
    INSIDE_THREADS,      /* others run already */
    INSIDE_OURSELVES,    /* it is the tracer's own code */
    INSIDE_SHADOW_STACK, /* it would not know what was pushed */
    INSIDE_OUTCOMES
};

#define INSIDE_CELL    128u
#define INSIDE_CODE_AT 32u
#define INSIDE_JUMP    5u                 /* bytes of a jump */
#define INSIDE_SIGN    "memoir's hooks\n" /* at the beginning of a region */
#define INSIDE_SIGNED  16u                /* bytes of it */
_Static_assert(sizeof(INSIDE_SIGN) == INSIDE_SIGNED && INSIDE_SIGNED <= INSIDE_CELL, "it fits");

struct inside_patch {
    uint64_t address; /* of the function */
    uint64_t cell;    /* in one of the regions */
    uint64_t usable;  /* function that tells what a block can hold, or 0 */
    struct inside_shape shape;
    uint8_t usable_rule; /* enum inside_usable */
    uint8_t stolen;      /* bytes that move; at least INSIDE_JUMP */
    uint8_t code_size;
    uint8_t pushes;     /* its code pushes a return address, which a shadow stack would not know */
    uint8_t before[24]; /* the bytes that move */
    uint8_t code[64];   /* what runs in their place, good only at cell + INSIDE_CODE_AT */
    uint64_t unused;
};

#define INSIDE_PATCHES 512u
#define INSIDE_REGIONS 16u

struct inside_region {
    uint64_t start, bytes; /* free when the plan was made; whole pages */
};

/* Who waits for whom.  The tracer takes the bell (`holder`, 0 when it is nobody's) and rings it; the recorder answers,
 * and gives the bell back once the tracer is done or gone.  All processes of an arena can write to the bell, also one that
 * has less rights than others: all that it can do with it is to ring. */
enum plan_state {
    PLAN_NONE,
    PLAN_ASKED, /* the recorder's turn */
    PLAN_READY, /* the tracer's turn */
    PLAN_TAKEN, /* the outcomes are there */
    PLAN_LATE   /* the tracer waits no longer */
};

struct arena_bell {
    _Atomic uint32_t holder;                   /* index of the process, plus one */
    _Atomic uint32_t state;                    /* futex */
    _Atomic uint32_t outcomes[INSIDE_PATCHES]; /* the tracer's answers: enum inside_outcome */
};

/* memoir_tracer_plan in our library: code that the process will run.  The recorder writes it into the memory of that process,
 * where nobody else can, and only while it is wanted. */
enum plan_wanted { PLAN_UNWANTED, PLAN_WANTED, PLAN_DELIVERED };
struct inside_plan {
    _Atomic uint32_t wanted;
    uint32_t unused;
    uint32_t patch_count, region_count;
    struct inside_region regions[INSIDE_REGIONS];
    struct inside_patch patches[INSIDE_PATCHES];
};

/* What the tracer has made ready in its process: memoir_tracer_jumps in our library.  In
 * a program that runs, whoever has stopped all threads makes the jumps, and takes them away before tracing ends. */
struct inside_jump {
    uint64_t address;
    uint8_t before[8], jump[8]; /* the first INSIDE_JUMP bytes of each */
    uint8_t
        stolen; /* no thread may be between address and address + stolen when the jump is made */
    uint8_t unused[7];
};
struct inside_jumps {
    uint32_t count;
    uint32_t unused;
    struct inside_jump jumps[INSIDE_PATCHES];
};

_Static_assert(sizeof(struct inside_jump) == 32, "shared layout");
_Static_assert(sizeof(struct inside_patch) == 128, "shared layout");
