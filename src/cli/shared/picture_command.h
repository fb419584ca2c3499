/* picture_command.h - what commands that make pictures share: their options and their output. */
#pragma once

#include "cli/shared/confine.h"
#include "cli/shared/picture_output.h"
#include "cli/shared/selection_options.h"

/* Room for the rules that a picture takes from selection_rules, and for the last, empty row. */
#define PICTURE_RULES_MAX 12

struct picture_rule {
    const char *name;
    const char *help; /* help for this picture; NULL: the help of selection_rules */
};

/* Copies rules from selection_rules, by name; `wanted` ends with a NULL name.  So a command offers,
 * explains and accepts only options that its picture supports. */
void picture_pick_rules(const struct picture_rule *wanted,
                        struct option_rule rules[PICTURE_RULES_MAX]);

/* For the row of an option: a number of pixels. */
#define PICTURE_PIXELS(type, field) OPTION_COUNT(type, field, 1, PICTURE_PIXELS_MAX)
#define PICTURE_PIXELS_MAX          16000

struct picture_job {
    const char *command; /* "flame" */
    const char *output;
    int (*draw)(void *context, struct recording *recording, enum picture_format format,
                struct fault *fault); /* draws and writes the picture */
    void *context;
    const struct selection *selection; /* what to read from a run; NULL: everything */
    const char *other;                 /* a second file that is read, or NULL */
    enum confine_kind confined_as;
};

/* Opens the recording and draws it.  `path` NULL: the command line did not have exactly one file.
 * Returns the exit status, after a sentence if it is not 0. */
int picture_run(const struct picture_job *job, const char *path);

/* Like picture_run, but `find_format` finds the format for the name of the output. */
typedef int picture_find_format(const char *path, enum picture_format *format, struct fault *fault);
int picture_run_as(const struct picture_job *job, const char *path,
                   picture_find_format *find_format);
