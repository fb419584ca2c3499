/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/shared/options.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/shared/help.h"
#include "cli/shared/answer_file.h"
#include "cli/shared/option_store.h"
#include "base/nearest.h"

struct options_match {
    const struct option_rule *rule;
    void *into;
    const char *argument; /* from the same word: after '=' or the short letter */
};

static bool matches(const struct option_rule *rule, const char *word, const char **argument)
{
    size_t const length = strlen(rule->name);
    bool const is_long = rule->name[1] == '-';
    *argument = NULL;
    if (strncmp(word, rule->name, length) != 0)
        return false;
    if (word[length] == '\0')
        return true;
    if (is_long && word[length] != '=')
        return false;
    if (!is_long && !rule->argument)
        return false;
    *argument = word + length + is_long;
    return true;
}

static bool find_rule(const struct option_set *sets, size_t set_count, const char *word,
                      struct options_match *match)
{
    for (size_t i = 0; i < set_count; i++) {
        for (const struct option_rule *rule = sets[i].rules; rule->name; rule++) {
            if (!matches(rule, word, &match->argument))
                continue;
            match->rule = rule;
            match->into = sets[i].into;
            return true;
        }
    }
    return false;
}

static int unknown_option(const struct option_set *sets, size_t set_count, const char *word,
                          struct fault *fault)
{
    char name[64];
    const char *nearest = "--help";

    snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
    size_t best = nearest_distance(name, nearest);
    for (size_t i = 0; i < set_count; i++) {
        for (const struct option_rule *rule = sets[i].rules; rule->name; rule++) {
            size_t const distance = nearest_distance(name, rule->name);
            if (distance < best) {
                best = distance;
                nearest = rule->name;
            }
        }
    }
    if (nearest_is_near(name, best))
        return fault_set(fault, -EINVAL, "there is no option %s, did you mean %s?", name, nearest);
    return fault_set(fault, -EINVAL, "there is no option %s: --help lists all options", name);
}

/* Handles argv[at] with what `match` found; the number of words used, or -EINVAL. */
static int handle_option(char **argv, int at, const struct options_match *match,
                         struct fault *fault)
{
    const struct option_rule *rule = match->rule;
    const char *argument = match->argument;
    int used = 1;

    if (!rule->argument && argument)
        return fault_set(fault, -EINVAL, "%s takes no argument, leave \"=%s\" out", rule->name,
                         argument);
    bool const is_optional = rule->argument && rule->argument[0] == '=';
    if (rule->argument && !argument && !is_optional) {
        argument = argv[at + 1]; /* argv ends with NULL */
        used = 2;
    }
    if (rule->argument && !argument && !is_optional)
        return fault_set(fault, -EINVAL, "%s needs an argument: %s %s", rule->name, rule->name,
                         rule->argument);
    struct fault inner = {.text = ""};
    int err = option_store(rule, match->into, argument, &inner);
    if (err == 0)
        return used;
    if (inner.text[0])
        return fault_set(fault, -EINVAL, "%s", inner.text);
    return fault_set(fault, -EINVAL, "%s cannot be \"%s\": it takes %s", rule->name,
                     argument ? argument : "", rule->argument + is_optional);
}

int options_parse(int argc, char **argv, const struct option_set *sets, size_t set_count,
                  struct fault *fault)
{
    int words = 0;
    for (int at = 1; at < argc;) {
        const char *word = argv[at];
        struct options_match match;
        if (strcmp(word, "--") == 0) {
            for (at++; at < argc; at++)
                argv[++words] = argv[at];
            break;
        }
        if (word[0] != '-' || word[1] == '\0') { /* "-" alone is a file: standard input or output */
            argv[++words] = argv[at++];
            continue;
        }
        if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
            return -ECANCELED;
        if (!find_rule(sets, set_count, word, &match))
            return unknown_option(sets, set_count, word, fault);
        int const used = handle_option(argv, at, &match, fault);
        if (used < 0)
            return used;
        at += used;
    }
    return words;
}

int command_misused(const char *command, const char *sentence)
{
    fprintf(stderr, "memoir %s: %s\n", command, sentence);
    return 2;
}

int command_failed(const char *command, const struct fault *fault)
{
    fprintf(stderr, "memoir %s: %s\n", command, fault->text);
    return 1;
}

int command_words(int argc, char **argv, const struct command_help *help, int *status)
{
    struct fault fault = {.text = ""};
    int const words = options_parse(argc, argv, help->sets, help->set_count, &fault);
    for (int i = 1; i <= words; i++)
        answer_protect(argv[i]); /* most of them are files that will be read */
    if (words >= 0)
        return words;
    if (words == -ECANCELED) {
        help_print(stdout, help);
        *status = 0;
    } else {
        *status = command_misused(argv[0], fault.text);
    }
    return -1;
}
