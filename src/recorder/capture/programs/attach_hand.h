/* attach_hand.h - a process that reaches into a running program on behalf of a recorder without
 * rights.
 *
 * It is forked before the recorder gives up its rights, when the program is already known, and
 * takes two orders: enter, leave.  It writes the outcome into memory that only this process is
 * trusted with.  It ends with the recorder, at the latest when the order under way is done. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "base/fault.h"
#include "inject/library/injection.h"
#include "model/recording.h"

#define HAND_COMMAND_MAX 4096

/* What the process reports. */
struct hand_report {
    _Atomic int stage;    /* Written last. */
    _Atomic int is_stale; /* The program has become another program. */
    int err;
    struct fault fault;
    struct injection_times times;
    struct before before;
    uint32_t slots_tight; /* As in struct arena. */
    char name[64], command[HAND_COMMAND_MAX];
};

struct attach_hand {
    int line; /* -1: there is no process. */
    struct hand_report *report;
};

/* What the process does.  enter and leave return when they are done, with the stage; they have
 * written the rest of the report. */
struct hand_work {
    int (*enter)(void *self, struct hand_report *report);
    int (*leave)(void *self, struct hand_report *report);
    int (*is_stale)(void *self);
    void (*done)(void *self); /* Called when the report is complete: wakes the recorder. */
    void *self;
};

/* Returns 0, or -errno with `fault`. */
int attach_hand_begin(struct attach_hand *hand, const struct hand_work *work, struct fault *fault);
void attach_hand_enter(struct attach_hand *hand);
void attach_hand_leave(struct attach_hand *hand);
/* Waits until the process has ended.  Does nothing if there is none. */
void attach_hand_end(struct attach_hand *hand);
