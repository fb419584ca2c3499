/* recorder_subject.h - what a recorder records: a program that it starts, or one that runs already.
 *
 * All functions are called from the thread that reads the rings, and must not keep it. */
#pragma once

#include "capture/rings/arena.h"
#include "capture/sessions/recorder.h"

struct recorder_subject {
    /* Before anything else, where the recorder gives up its rights: all that takes them, so that
     * `start` takes none.  Its process id, or -errno with `fault`.  NULL: it cannot be without. */
    int (*hold)(void *self, struct arena *arena, struct fault *fault);
    /* Begins it.  Its process id, or -errno with `fault`. */
    int (*start)(void *self, struct arena *arena, struct fault *fault);
    /* Asked every round.  An enum subject_state, or -errno with `fault`: then nothing is kept.
     * `enough`: it is to be left alone.  Once it has ended its status is in `result`, -1 when
     * that is not known. */
    int (*look)(void *self, bool enough, struct recorder_result *result, struct fault *fault);
    /* Whether there is something to look at before the recorder may rest. */
    bool (*has_news)(void *self);
    /* After everything is written and given back. */
    void (*finish)(void *self, enum subject_state how, struct recorder_result *result);
    void *self;
};

/* Records it to its end.  0, or -errno with `fault`. */
int recorder_record(const struct recorder_options *options, const struct recorder_subject *subject,
                    struct recorder_result *result, struct fault *fault);
