/* stack_walk.h - the call stack in a copy of a thread's registers and stack memory.
 *
 * Nothing but the copy is read of the process, which has long moved on.  Beside the frames the
 * walk says what it rests on: the words of the stack that it used.  Registers and copy being the
 * same in these, the walk is the same, whatever else changed; so whoever knows the words can
 * tell a known stack by comparing them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/registers.h"
#include "model/recording.h"
#include "stacks/process_code.h"

#define STACK_FRAMES_MAX 4096u
#define STACK_INNER_KEPT 64u   /* of deeper stacks; the rest are the outermost ones */
#define STACK_WORDS_MAX  2048u /* a walk that rests on more is not repeatable */

struct stack_copy {
    const uint64_t *registers; /* REG_COUNT of them (machine/registers.h) */
    uint64_t start;            /* address of the first byte: the stack pointer, or below it */
    const uint8_t *bytes;
    size_t size;
};

/* Why the walk went no further; finer than enum stack_end. */
enum stack_stop {
    STACK_STOP_OUTERMOST, /* the tables say that nobody called this */
    STACK_STOP_ZERO,      /* a return address of 0 */
    STACK_STOP_ENTRY,     /* where the kernel enters a program */
    /* the outermost of this stack; a runtime that has several came here from another */
    STACK_STOP_SWITCHED,
    STACK_STOP_NO_CODE,     /* an address in no executable mapping */
    STACK_STOP_NO_TABLES,   /* code without unwind tables, and without a sound frame pointer */
    STACK_STOP_NO_ROW,      /* the same in a file that has tables */
    STACK_STOP_MADE_CODE,   /* the same in code made at run time */
    STACK_STOP_BAD_ROW,     /* tables that are broken, or use what we do not know */
    STACK_STOP_COPY_ENDS,   /* goes on above what was copied */
    STACK_STOP_OTHER_STACK, /* goes on below it: on another stack */
    STACK_STOP_ASTRAY,      /* the rules led inward, or to no word */
    STACK_STOP_KINDS
};
const char *stack_stop_name(enum stack_stop stop);

#define STACK_WORD_FP                                                                              \
    1u /* no address of a word: the frame pointer (on ip and sp a walk always rests) */
struct stack_word {
    uint64_t address, value;
};

struct stack_walk {
    enum stack_end end;
    enum stack_stop stop;
    /* Innermost first.  Each is the address to look up: where the thread was, for the innermost
     * frame and those that a signal interrupted; the return address minus one for others.  What
     * a handler returns to is a frame of its own. */
    uint64_t frames[STACK_FRAMES_MAX];
    uint32_t frame_count;
    uint32_t left_out;   /* frames between the first STACK_INNER_KEPT and the others */
    uint32_t by_pointer; /* frames left by their frame pointer, for lack of tables */
    /* In the order in which they were first used, each once: what is used next follows from
     * those before. */
    struct stack_word words[STACK_WORDS_MAX];
    uint32_t word_count;
    /* rests on more than can be said by words: other registers, or code not known yet */
    bool not_repeatable;
};

/* Always gives a walk, of one frame at least; `end` says how far it came.  Looks at the mappings
 * again, if that is due, when it meets an address that is in none: ask process_code_was_replaced
 * afterwards. */
void stack_walk(struct process_code *code, const struct stack_copy *copy, struct stack_walk *walk);
