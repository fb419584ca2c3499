/* options.h - command-line options from tables, with the help made from the same tables.
 *
 * A command lists its option sets: its own, and shared ones such as selection_rules.  Accepted
 * forms:
 * --name value, --name=value, -o value, -ovalue; "--" ends the options; other words may stand
 * anywhere. */
#pragma once

#include <stddef.h>

#include "base/fault.h"

struct option_rule {
    const char *name; /* "--top"; "-o" */
    const char *
        argument; /* what to call its argument in the help; NULL for a flag; "=NAME": it may be left out, and is
                           * given in the same word */
    const char *help; /* one line */
    /* Stores it.  `argument` is NULL for a flag, or if it was left out, and lives as long as argv.  0, or -errno with a
     * sentence in `fault`; when the sentence is left empty a general one is made. */
    int (*take)(void *into, const char *argument, struct fault *fault);
};

struct option_set {
    const char *title;               /* heading in the help; NULL for none */
    const struct option_rule *rules; /* ends with a NULL name */
    void *into;                      /* handed to `take` */
};

/* What a command is, for its --help and for its errors. */
struct command_help {
    const char *usage;    /* "memoir report FILE [options]" */
    const char *summary;  /* a sentence or a few */
    const char *examples; /* lines, each with its own newline */
    const struct option_set *sets;
    size_t set_count;
};

/* Parses argv[1] onward; argv[0] is the command's name.  The words that are no options are moved to
 * argv[1].. in order.  Their number, or -1 with *status set to what the command must return: 0
 * after
 * --help was printed, 2 after wrong usage was explained on stderr in one sentence.  No answer takes the place of a file
 * that is one of the words: see answer_protect. */
int command_words(int argc, char **argv, const struct command_help *help, int *status);

/* The same without printing, for tests: -ECANCELED for --help, -EINVAL with `fault`. */
int options_parse(int argc, char **argv, const struct option_set *sets, size_t set_count,
                  struct fault *fault);
