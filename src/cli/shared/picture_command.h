/* picture_command.h - what the commands that make pictures share: their options and their output.
 */
#pragma once

#include "cli/shared/confine.h"
#include "cli/shared/picture_output.h"
#include "cli/shared/selection_options.h"

/* Room for the rules a picture takes from selection_rules, with the ending one. */
#define PICTURE_RULES_MAX 12

struct picture_rule {
    const char *name;
    const char *help; /* what it means for this picture; NULL: as everywhere */
};

/* Copies the rules of these names (a list that ends with a NULL name) out of selection_rules, so
 * that a picture offers, explains and accepts only what it can do. */
void picture_pick_rules(const struct picture_rule *wanted,
                        struct option_rule rules[PICTURE_RULES_MAX]);

/* In the row of an option: a number of pixels. */
#define PICTURE_PIXELS(type, field) OPTION_COUNT(type, field, 1, PICTURE_PIXELS_MAX)
#define PICTURE_PIXELS_MAX          16000

struct picture_job {
    const char *command; /* "flame" */
    const char *output;
    int (*draw)(void *context, struct recording *recording, enum picture_format format,
                struct fault *fault); /* and write */
    void *context;
    const struct selection *selection; /* of a run; NULL: all of it */
    const char *other;                 /* a second file that is read, or NULL */
    enum confine_kind confined_as;
};

/* Opens the recording and has it drawn; `path` NULL: not exactly one was given.  The exit
 * status, after a sentence when it is not 0. */
int picture_run(const struct picture_job *job, const char *path);

/* Like picture_run; `find_format` chooses the format by the ending of the output. */
typedef int picture_find_format(const char *path, enum picture_format *format, struct fault *fault);
int picture_run_as(const struct picture_job *job, const char *path,
                   picture_find_format *find_format);
