/* attach_hand.h - the process that reaches into a running program for a recorder without rights.
 *
 * It is forked before the recorder gives them up, knows the program by then, and hears two words:
 * enter, leave.  What became of that stands in memory that it alone is believed in.  It ends with
 * the recorder, at the latest when the word that it was told is done. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "base/fault.h"
#include "inject/library/injection.h"
#include "model/recording.h"

#define HAND_COMMAND_MAX 4096

/* What it tells. */
struct hand_report {
    _Atomic int stage;    /* written last */
    _Atomic int is_stale; /* the program became another one */
    int err;
    struct fault fault;
    struct injection_times times;
    struct before before;
    uint32_t slots_tight; /* as in struct arena */
    char name[64], command[HAND_COMMAND_MAX];
};

struct attach_hand {
    int line; /* -1: there is none */
    struct hand_report *report;
};

/* What it does, in its own process: each returns when it is done, and has written the report but
 * for the stage, which it returns. */
struct hand_work {
    int (*enter)(void *self, struct hand_report *report);
    int (*leave)(void *self, struct hand_report *report);
    int (*is_stale)(void *self);
    void (*done)(void *self); /* the report is complete: whoever waits is woken */
    void *self;
};

/* 0 or -errno with `fault`. */
int attach_hand_begin(struct attach_hand *hand, const struct hand_work *work, struct fault *fault);
void attach_hand_enter(struct attach_hand *hand);
void attach_hand_leave(struct attach_hand *hand);
/* Waits until it has ended.  Also when there is none. */
void attach_hand_end(struct attach_hand *hand);
