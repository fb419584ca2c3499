/* module_message.h - the messages between the process that attaches and the confined process that
 * reads the objects of the target for it (module_client.h, module_reader.h).  They have a fixed
 * size and no pointers.
 *
 * The target may have taken over the reader, so an answer is copied once and checked here before it
 * is used. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "machine/registers.h"

#define MODULE_NAME_MAX  56u /* As in struct loaded_symbol. */
#define MODULE_WHERE_MAX 64u

enum module_order {
    MODULE_REFRESH,       /* With PROC_MAPS and PROC_MOUNTINFO of the target. */
    MODULE_PREPARE_USUAL, /* Read the tables that nearly every stack needs. */
    MODULE_PREPARE_LACKING,
    MODULE_SPOTS,
    MODULE_FUNCTION, /* In `place`. */
    MODULE_OBJECT,   /* Of our library. */
    MODULE_LOOK      /* Look at the stack of a thread with these registers. */
};

/* Where to look up a function. */
enum module_place {
    MODULE_IN_LIBC,
    MODULE_IN_LIBDL,
    MODULE_IN_OWN /* Our library. */
};

struct module_question {
    uint32_t order, place;
    char name[MODULE_NAME_MAX];
    uint64_t registers[REG_COUNT];
};

struct module_answer {
    int32_t err;
    uint32_t verdict, frames;               /* MODULE_LOOK: see stack_look.h. */
    uint32_t has_libc, has_own, own_copies; /* MODULE_REFRESH */
    uint32_t is_lacking, has_module;        /* MODULE_LOOK; has_module also after preparing. */
    uint64_t addresses[2];                  /* 0: not found. */
    char where[MODULE_WHERE_MAX];           /* MODULE_LOOK: the object that decided. */
};

/* Return whether a received message is valid: its texts end and its numbers are in range. */
bool module_question_is_valid(const struct module_question *question);
bool module_answer_is_valid(const struct module_answer *answer);
