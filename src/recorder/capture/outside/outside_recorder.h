/* outside_recorder.h - records processes from outside: one that is started, some that run, or all
 * that a selector chooses, also later ones.  One recording for each, or one for all. */
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

/* Chooses the processes to record: called once a second, adds them to `list`. */
struct outside_selector {
    void *self;
    void (*find)(void *self, struct pid_list *list);
};

struct outside_recorder_options {
    struct recording_wish wish;
    const char *source; /* Which command records. */
    /* To start, with the state that launch_remember kept; NULL: processes that run. */
    char *const *command;
    struct pid_list fixed;                   /* Processes to begin with. */
    const struct outside_selector *selector; /* NULL: only the fixed ones. */
    /* Name of processes that come later, if they have ended by then; NULL: unknown. */
    const char *awaited;
    bool is_one;          /* Of processes that come later, record only the first. */
    const char *together; /* Name of the one recording of all; NULL: one recording for each. */
    bool is_endless; /* What is recorded together never ends by itself: the machine, a cgroup. */
    struct outside_watch *watches[CELL_SOURCES_MAX]; /* The watches to use, at least one. */
    unsigned watch_count;
    /* Called when a recording has ended, before it is closed.  May be NULL. */
    void (*ended)(const struct outside_recorder_options *options, const struct recording *recording,
                  const char *path);
    void *context; /* For `ended`. */
};

struct outside_recorder_result {
    int wait_status; /* Of the program that was started; -1: none was, or it still runs. */
    int exec_errno;  /* Why it could not be started; 0: it could, or was not tried. */
    uint32_t recordings;
    uint32_t unfinished; /* Of these: whose file is not complete, or not there. */
};

/* Records until all processes have ended (and no selector can add more), the time is up, or SIGINT,
 * SIGTERM or SIGHUP arrives.  Returns 0, or -errno with `fault`. */
int outside_record(const struct outside_recorder_options *options,
                   struct outside_recorder_result *result, struct fault *fault);
