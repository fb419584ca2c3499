/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/shared/answer_options.h"

static int take_json(void *into, const char *argument, struct fault *fault)
{
    (void)argument, (void)fault;
    ((struct answer_options *)into)->json = true;
    return 0;
}

static int take_csv(void *into, const char *argument, struct fault *fault)
{
    (void)argument, (void)fault;
    ((struct answer_options *)into)->csv = true;
    return 0;
}

static int take_no_color(void *into, const char *argument, struct fault *fault)
{
    (void)argument, (void)fault;
    ((struct answer_options *)into)->no_color = true;
    return 0;
}

static int take_output(void *into, const char *argument, struct fault *fault)
{
    (void)fault;
    ((struct answer_options *)into)->output = argument;
    return 0;
}

#define JSON                                                                                       \
    {                                                                                              \
        "--json", NULL, "the answer as JSON, a stable interface", .take = take_json                \
    }
#define CSV                                                                                        \
    {                                                                                              \
        "--csv", NULL, "the answer as a table, a row per line", .take = take_csv                   \
    }
#define OUTPUT                                                                                     \
    {                                                                                              \
        "-o", "FILE", "write the answer to FILE", .take = take_output                              \
    }
#define NO_COLOR                                                                                   \
    {                                                                                              \
        "--no-color", NULL, "no colours, also on a terminal (as NO_COLOR=1)",                      \
            .take = take_no_color                                                                  \
    }
#define END                                                                                        \
    {                                                                                              \
        .name = NULL                                                                               \
    }

const struct option_rule answer_rules[] = {JSON, OUTPUT, NO_COLOR, END};
const struct option_rule answer_table_rules[] = {JSON, CSV, OUTPUT, NO_COLOR, END};
