/* recorder_subject.h - what a recorder records: a program that it starts, or one that already runs.
 *
 * All functions are called from the thread that reads the rings, and must not block it. */
#pragma once

#include "capture/rings/arena.h"
#include "capture/sessions/recorder.h"

struct recorder_subject {
    /* Called first if the recorder gives up its rights: does all that needs them, so that `start`
     * needs none.  Returns the PID, or -errno with `fault`.  NULL: this subject needs the rights
     * later, too. */
    int (*hold)(void *self, struct arena *arena, struct fault *fault);
    /* Starts recording the subject.  Returns the PID, or -errno with `fault`. */
    int (*start)(void *self, struct arena *arena, struct fault *fault);
    /* Called every round.  Returns an enum subject_state; or -errno with `fault`, and then no
     * recording is kept.  `enough`: stop recording the program.  Once it has ended, its status is
     * in `result`, -1 if unknown. */
    int (*look)(void *self, bool enough, struct recorder_result *result, struct fault *fault);
    /* Returns whether there is something to look at before the recorder may rest. */
    bool (*has_news)(void *self);
    /* Called after everything is written and freed. */
    void (*finish)(void *self, enum subject_state how, struct recorder_result *result);
    void *self;
};

/* Records the subject to its end.  Returns 0, or -errno with `fault`. */
int recorder_record(const struct recorder_options *options, const struct recorder_subject *subject,
                    struct recorder_result *result, struct fault *fault);
