/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/shared/answer_options.h"

#define JSON                                                                                       \
    {                                                                                              \
        "--json", NULL, "print JSON, a stable interface", OPTION_FLAG(struct answer_options, json) \
    }
#define CSV                                                                                        \
    {                                                                                              \
        "--csv", NULL, "print CSV", OPTION_FLAG(struct answer_options, csv)                        \
    }
#define OUTPUT                                                                                     \
    {                                                                                              \
        "-o", "FILE", "write the answer to FILE", OPTION_TEXT(struct answer_options, output)       \
    }
#define NO_COLOR                                                                                   \
    {                                                                                              \
        "--no-color", NULL, "no colours, also on a terminal (as NO_COLOR=1)",                      \
            OPTION_FLAG(struct answer_options, no_color)                                           \
    }
#define END                                                                                        \
    {                                                                                              \
        .name = NULL                                                                               \
    }

const struct option_rule answer_rules[] = {JSON, OUTPUT, NO_COLOR, END};
const struct option_rule answer_table_rules[] = {JSON, CSV, OUTPUT, NO_COLOR, END};
