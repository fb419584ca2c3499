/* outside_recorder.h - records processes from outside: one that is started, some that run, or
 * all that somebody selects, also those that come later.  One recording each, or one of all. */
#pragma once

#include <stdbool.h>

#include "base/fault.h"
#include "base/vec.h"
#include "capture/sessions/cell_sources.h"
#include "capture/outside/outside_watch.h"
#include "capture/sessions/recording_wish.h"

struct pid_list {
    VEC(uint32_t) pids;
};

/* Whom to record, asked once a second: adds processes to `list`.  */
struct outside_selector {
    void *self;
    void (*find)(void *self, struct pid_list *list);
};

struct outside_recorder_options {
    struct recording_wish wish;
    const char *source;    /* which command records */
    char *const *command;  /* to start, as launch_remember found us; NULL: processes that run */
    struct pid_list fixed; /* those to begin with */
    const struct outside_selector *selector; /* NULL: only these */
    /* what whoever comes later is called, if they are over by then; NULL: not known */
    const char *awaited;
    bool is_one;          /* of whoever comes later, the first alone */
    const char *together; /* what the one recording of all is called; NULL: one recording each */
    bool is_endless; /* what is recorded together never ends by itself: the machine, a cgroup */
    struct outside_watch *watches[CELL_SOURCES_MAX]; /* who watch them, at least one */
    unsigned watch_count;
    /* Called when the recording of one has ended and before it is closed.  NULL: nobody asks. */
    void (*ended)(const struct outside_recorder_options *options, const struct recording *recording,
                  const char *path);
    void *context; /* for `ended` */
};

struct outside_recorder_result {
    int wait_status; /* of the program that was started; -1: none was, or it goes on */
    int exec_errno;  /* why it could not be started; 0: it was not tried, or could */
    uint32_t recordings;
};

/* Records until all have ended (and no selector may bring more), the time is up, or SIGINT,
 * SIGTERM or SIGHUP.  0 or -errno with `fault`. */
int outside_record(const struct outside_recorder_options *options,
                   struct outside_recorder_result *result, struct fault *fault);
