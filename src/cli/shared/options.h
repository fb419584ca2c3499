/* options.h - parses command-line options by tables, and makes the help from these tables.
 *
 * A command has a list of option sets: its own, and shared ones such as selection_rules.  A row has
 * the name of an option, the kind of its value, where the value is stored (a field of the struct
 * that the set points to), and which values are allowed.  The kind also gives the sentence about a
 * wrong value.  Shell completion and man pages are to be made from these rows, so everything that a
 * user must know about an option belongs in its row, not in a callback.
 *
 *     static const struct option_rule rules[] = {
 *         {"--json", NULL, "print JSON", OPTION_FLAG(struct mine, json)},
 *         {"--top", "N", "at most N rows (20)", OPTION_COUNT(struct mine, top, 1, 1000)},
 *         {.name = NULL}};
 *
 * Accepted forms: --name value, --name=value, -o value, -ovalue.  "--" ends the options.  Other
 * words may be between options. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

enum option_kind {
    OPTION_KIND_CALLBACK,
    OPTION_KIND_FLAG,     /* bool: becomes true */
    OPTION_KIND_VALUE,    /* a flag for an enum or an integer: becomes `value` */
    OPTION_KIND_BITS,     /* a flag for an unsigned integer: the bits of `value` are added */
    OPTION_KIND_TEXT,     /* const char *, valid as long as argv; NULL: left out */
    OPTION_KIND_COUNT,    /* an integer, between `least` and `most` */
    OPTION_KIND_FRACTION, /* double: a number between `low` and `high`, typed as 0.5 or 2 */
    OPTION_KIND_BYTES,    /* an integer, typed as 64K or 2G */
    OPTION_KIND_DURATION, /* nanoseconds, typed as 250ms, 90s or 1h30m */
    OPTION_KIND_CHOICE,   /* an enum or an unsigned integer: index into `choices` */
    OPTION_KIND_LIST,     /* struct option_list: may be repeated, `most` times */
};

/* Callback that stores a value.  `name` is the option as its row has it.  `value` is NULL for a
 * flag, or if an optional argument was left out; otherwise valid as long as argv.  Returns 0; or
 * -errno with a sentence in `fault`; if the sentence is empty, a general one is made. */
typedef int option_callback(void *into, const char *name, const char *value, struct fault *fault);

struct option_rule {
    const char *name; /* "--top"; "-o" */
    /* Name of the argument in the help; NULL for a flag.  "=NAME": the argument may be left out,
     * and must be in the same word as the option. */
    const char *argument;
    const char *help; /* one line */
    enum option_kind kind;
    size_t offset, size; /* of the field */
    size_t also;         /* 1 + the offset of a bool that is set to true as well; 0: none */
    /* For OPTION_VALUE and OPTION_BITS; for a number, its value if the argument was left out (0:
     * the field stays unchanged). */
    uint64_t value;
    uint64_t least, most;       /* limits, both allowed */
    double low, high;           /* limits of a fraction; the lower one ... */
    bool is_above_low;          /* ... is not allowed itself */
    const char *const *choices; /* ends with NULL; a choice "" cannot be typed */
    option_callback *callback;
};

/* Texts, valid as long as argv, in the order typed.  All zero to begin; vec_free frees the list. */
struct option_list {
    const char **items;
    size_t count, room;
};

/* The end of a row, after the help text, such as OPTION_TEXT(struct mine, output).  A field of
 * another type than the kind needs does not compile. */
#define OPTION_FIELD(which, type, field)                                                           \
    .kind = (which), .offset = offsetof(type, field), .size = sizeof(((type *)0)->field)
#define OPTION_TYPED(which, type, field, field_type)                                               \
    .kind = (which), .size = sizeof(((type *)0)->field),                                           \
    .offset = _Generic(((type *)0)->field, field_type                                              \
                       : offsetof(type, field))
#define OPTION_FLAG(type, field) OPTION_TYPED(OPTION_KIND_FLAG, type, field, bool)
#define OPTION_VALUE(type, field, number)                                                          \
    OPTION_FIELD(OPTION_KIND_VALUE, type, field), .value = (number)
#define OPTION_BITS(type, field, bits) OPTION_FIELD(OPTION_KIND_BITS, type, field), .value = (bits)
#define OPTION_TEXT(type, field)       OPTION_TYPED(OPTION_KIND_TEXT, type, field, const char *)
#define OPTION_COUNT(type, field, from, to)                                                        \
    OPTION_FIELD(OPTION_KIND_COUNT, type, field), .least = (from), .most = (to)
#define OPTION_FRACTION(type, field, from, to)                                                     \
    OPTION_TYPED(OPTION_KIND_FRACTION, type, field, double), .low = (from), .high = (to)
/* Like OPTION_FRACTION, but `from` itself is not allowed. */
#define OPTION_FRACTION_ABOVE(type, field, from, to)                                               \
    OPTION_FRACTION(type, field, from, to), .is_above_low = true
#define OPTION_BYTES(type, field, from, to)                                                        \
    OPTION_FIELD(OPTION_KIND_BYTES, type, field), .least = (from), .most = (to)
#define OPTION_DURATION(type, field, from, to)                                                     \
    OPTION_TYPED(OPTION_KIND_DURATION, type, field, uint64_t), .least = (from), .most = (to)
#define OPTION_CHOICE(type, field, names)                                                          \
    OPTION_FIELD(OPTION_KIND_CHOICE, type, field), .choices = (names)
#define OPTION_LIST(type, field, count_max)                                                        \
    OPTION_TYPED(OPTION_KIND_LIST, type, field, struct option_list), .most = (count_max)
#define OPTION_CALLBACK(function) .kind = OPTION_KIND_CALLBACK, .callback = (function)
/* After any of these: a flag that is set as well. */
#define OPTION_ALSO(type, field)                                                                   \
    .also = 1 + _Generic(((type *)0)->field, bool : offsetof(type, field))
#define OPTION_NO_LIMIT UINT64_MAX
/* After a number with an optional argument: its value if the argument is left out. */
#define OPTION_LEFT_OUT(number) .value = (number)

struct option_set {
    const char *title;               /* heading in the help; NULL for none */
    const struct option_rule *rules; /* ends with a NULL name */
    void *into;                      /* the struct whose fields the rules name */
};

/* A command, for its --help and for its errors. */
struct command_help {
    const char *usage;    /* "memoir report FILE [options]" */
    const char *summary;  /* a sentence or a few */
    const char *examples; /* lines, each with its own newline */
    const struct option_set *sets;
    size_t set_count;
};

/* Parses argv from argv[1] on; argv[0] is the name of the command.  Words that are no options are
 * moved to argv[1] and following, in order.  Returns their number; or -1, with the exit status in
 * *status: 0 after --help, 2 after one sentence on stderr about wrong usage.  No answer can replace
 * a file that is one of the words: see answer_protect. */
int command_words(int argc, char **argv, const struct command_help *help, int *status);

/* Prints "memoir COMMAND: sentence" to stderr.  Returns the exit status: 2 for wrong usage, 1 for a
 * failure. */
int command_misused(const char *command, const char *sentence);
int command_failed(const char *command, const struct fault *fault);

/* Like command_words, but prints nothing, for tests.  Returns -ECANCELED for --help, and -EINVAL
 * with `fault` for wrong usage. */
int options_parse(int argc, char **argv, const struct option_set *sets, size_t set_count,
                  struct fault *fault);
