/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/shared/help.h"

#include <stdbool.h>
#include <string.h>

#define OPTION_COLUMN 28

static void print_rule(FILE *out, const struct option_rule *rule)
{
    char left[80];
    bool const is_optional = rule->argument && rule->argument[0] == '=';
    snprintf(left, sizeof(left), "%s%s%s%s", rule->name,
             is_optional      ? "["
             : rule->argument ? " "
                              : "",
             rule->argument ? rule->argument : "", is_optional ? "]" : "");
    if (strlen(left) > OPTION_COLUMN - 2)
        fprintf(out, "  %s\n  %*s%s\n", left, OPTION_COLUMN, "", rule->help);
    else
        fprintf(out, "  %-*s%s\n", OPTION_COLUMN, left, rule->help);
}

void help_print(FILE *out, const struct command_help *help)
{
    fprintf(out, "Usage: %s\n\n%s\n", help->usage, help->summary);
    for (size_t i = 0; i < help->set_count; i++) {
        fprintf(out, "\n%s:\n", help->sets[i].title ? help->sets[i].title : "Options");
        for (const struct option_rule *rule = help->sets[i].rules; rule->name; rule++)
            print_rule(out, rule);
    }
    if (help->examples)
        fprintf(out, "\nExamples:\n%s", help->examples);
}
