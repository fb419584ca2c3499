/* module_message.h - what crosses between whoever attaches and the confined process that reads the
 * objects of the target for it (module_client.h, module_reader.h): of fixed size, without pointers.
 *
 * The reader may be in the hands of the target, so an answer is copied once and checked here before
 * the use. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "machine/registers.h"

#define MODULE_NAME_MAX  56u /* as in struct loaded_symbol */
#define MODULE_WHERE_MAX 64u

enum module_order {
    MODULE_REFRESH,       /* with PROC_MAPS and PROC_MOUNTINFO of the target */
    MODULE_PREPARE_USUAL, /* what nearly every stack goes through */
    MODULE_PREPARE_LACKING,
    MODULE_SPOTS,
    MODULE_FUNCTION, /* in `place` */
    MODULE_OBJECT,   /* of our library */
    MODULE_LOOK      /* at the stack of a thread with these registers */
};

/* Where a function is looked up. */
enum module_place {
    MODULE_IN_LIBC,
    MODULE_IN_LIBDL,
    MODULE_IN_OWN /* our library */
};

struct module_question {
    uint32_t order, place;
    char name[MODULE_NAME_MAX];
    uint64_t registers[REG_COUNT];
};

struct module_answer {
    int32_t err;
    uint32_t verdict, frames;               /* MODULE_LOOK: of stack_look.h */
    uint32_t has_libc, has_own, own_copies; /* MODULE_REFRESH */
    uint32_t is_lacking, has_module;        /* MODULE_LOOK; has_module also after preparing */
    uint64_t addresses[2];                  /* 0: not there */
    char where[MODULE_WHERE_MAX];           /* MODULE_LOOK: the object that decided */
};

/* Whether one that was received may be looked at: its texts end, its numbers mean something. */
bool module_question_is_valid(const struct module_question *question);
bool module_answer_is_valid(const struct module_answer *answer);
