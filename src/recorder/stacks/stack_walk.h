/* stack_walk.h - walks the call stack in a copy of a thread's registers and stack memory.
 *
 * Of the process's stack, only the copy is read, because the process has long moved on.  Besides
 * the frames, the walk says on what it depends: the words of the stack that it used.  If registers
 * and copy are equal in these, the walk is the same, whatever else changed.  So a known stack can
 * be recognized by comparing these words. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/registers.h"
#include "model/recording.h"
#include "stacks/process_code.h"

#define STACK_FRAMES_MAX 4096u
#define STACK_INNER_KEPT 64u   /* Of deeper stacks; the other frames kept are the outermost ones. */
#define STACK_WORDS_MAX  2048u /* A walk that depends on more is not repeatable. */

struct stack_copy {
    const uint64_t *registers; /* REG_COUNT of them (machine/registers.h). */
    uint64_t start;            /* Address of the first byte: the stack pointer, or below it. */
    const uint8_t *bytes;
    size_t size;
};

/* Why the walk ended; finer than enum stack_end. */
enum stack_stop {
    STACK_STOP_OUTERMOST, /* The tables say that this has no caller. */
    STACK_STOP_ZERO,      /* A return address of 0. */
    STACK_STOP_ENTRY,     /* Where the kernel enters a program. */
    /* The outermost frame of this stack; a runtime that has several stacks came here from
     * another. */
    STACK_STOP_SWITCHED,
    STACK_STOP_NO_CODE,     /* An address in no executable mapping. */
    STACK_STOP_NO_TABLES,   /* Code without unwind tables, and without a valid frame pointer. */
    STACK_STOP_NO_ROW,      /* Like NO_TABLES, in a file that has tables. */
    STACK_STOP_MADE_CODE,   /* Like NO_TABLES, in code made at run time. */
    STACK_STOP_BAD_ROW,     /* Tables that are broken, or use something unknown to us. */
    STACK_STOP_COPY_ENDS,   /* Continues above what was copied. */
    STACK_STOP_OTHER_STACK, /* Continues below it: on another stack. */
    STACK_STOP_ASTRAY,      /* The rules led inward, or to no word. */
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
    /* Innermost first.  Each is the address to look up: for the innermost frame and for frames that
     * a signal interrupted, where the thread was; for others, the return address minus one.  The
     * code to which a signal handler returns is a frame of its own. */
    uint64_t frames[STACK_FRAMES_MAX];
    uint32_t frame_count;
    uint32_t left_out; /* Frames between the first STACK_INNER_KEPT and the others. */
    /* Frames that were left by their frame pointer, because there were no tables. */
    uint32_t by_pointer;
    /* In the order in which they were first used, each once: which word is used next follows from
     * those before. */
    struct stack_word words[STACK_WORDS_MAX];
    uint32_t word_count;
    /* Depends on more than words: other registers, or code that is not known yet. */
    bool not_repeatable;
};

/* Always returns a walk of at least one frame; `end` says how far it came.  For an address in no
 * known mapping, reads the mappings again if that is due: call process_code_was_replaced
 * afterwards. */
void stack_walk(struct process_code *code, const struct stack_copy *copy, struct stack_walk *walk);
