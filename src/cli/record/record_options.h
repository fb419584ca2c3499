/* record_options.h - what the commands that record share: their options, and what they print at the
 * end. */
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

/* Options that fill a struct record_options. */
extern const struct option_rule record_rules[];

/* The longest time, in ns, that a program in production waits for its recorder. */
#define NEVER_WAIT_DEFAULT 20000000ull

/* Sets the defaults.  From now on `options` must not move in memory. */
void record_options_init(struct record_options *options);
/* Call it after parsing: passes the options on to the recorder. */
void record_options_finish(struct record_options *options);
/* Finds the library, and writes its path to `library`, which must outlive `options`.  Returns
 * false, after a sentence, if the library is missing. */
bool record_library(struct recorder_options *options, char library[PATH_MAX]);

/* Makes the sentry that `watched` asks for and passes it to the recorder.  Returns NULL, after a
 * sentence, with the exit status in *status. */
struct sentry *record_watch(struct recorder_options *options, const struct sentry_options *watched,
                            int *status);
/* Frees the sentry.  Returns the exit status of the command; `status` is that of the program. */
int record_watch_end(struct sentry *watch, int status);

/* Returns how many words the option at argv[0] takes: 1, or 2 with its argument.  Knows the options
 * of record_rules, wish_rules and sentry_rules. */
int record_option_words(char *const *argv);

/* Prints the result of the recording `name`.  Returns the exit status: that of the program, as a
 * shell has it; 0 if the program still runs. */
int record_end(const struct recorder_options *options, const struct recorder_result *result,
               const char *name);
