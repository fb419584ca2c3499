/* record_options.h - what the commands that record have in common: their options, and what they
 * say at the end. */
#pragma once

#include <limits.h>

#include "capture/sessions/recorder.h"
#include "cli/alerts/sentry.h"
#include "cli/shared/options.h"
#include "cli/shared/serve_helper.h"
#include "cpu/cpu_station.h"
#include "pages/page_station.h"

struct record_options {
    struct recorder_options recorder;
    struct page_station_options pages; /* --pages */
    struct cpu_station_options cpu;    /* --cpu */
    bool wants_pages, wants_cpu;
    const char *agent; /* socket; NULL: the usual one, if an agent is there */
    struct serve_helper serve;
};

/* Into a struct record_options. */
extern const struct option_rule record_rules[];

/* The longest that a program which runs in production waits for its recorder. */
#define NEVER_WAIT_DEFAULT 20000000ull

/* Their defaults.  From now on `options` must stay where it is. */
void record_options_init(struct record_options *options);
/* Once the options are parsed: gives the recorder what was asked for. */
void record_options_finish(struct record_options *options);
/* The library, whose path `library` keeps.  false, after saying so, when it is missing. */
bool record_library(struct recorder_options *options, char library[PATH_MAX]);

/* Makes the watch that `watched` asks for and gives it to the recorder.  NULL, after saying why,
 * with the status to end with. */
struct sentry *record_watch(struct recorder_options *options, const struct sentry_options *watched,
                            int *status);
/* Ends it.  The status of the command, from that of the program. */
int record_watch_end(struct sentry *watch, int status);

/* How many words the option at argv[0] takes, by record_rules, wish_rules and sentry_rules: 1,
 * or 2 with its argument. */
int record_option_words(char *const *argv);

/* Says what is to be said about `name` when its recording has ended.  The exit status: the
 * program's, as a shell gives it; 0 when it goes on. */
int record_end(const struct recorder_options *options, const struct recorder_result *result,
               const char *name);
