/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>

#include "cli/shared/confine.h"
#include "cli/shared/answer_file.h"
#include "cli/shared/answer_options.h"
#include "cli/cluster/cluster_commands.h"
#include "cluster/blocks/agreement.h"

struct agreement_command {
    struct answer_options answer;
    uint64_t end_round;
};

static const struct option_rule rules[] = {
    {"--end-round", "R", "stop reading each log after round R",
     OPTION_COUNT(struct agreement_command, end_round, 1, OPTION_NO_LIMIT)},
    {"-e", "R", "same as --end-round",
     OPTION_COUNT(struct agreement_command, end_round, 1, OPTION_NO_LIMIT)},
    {.name = NULL}};

static const char summary[] =
    "Prints how nodes agreed on blocks: the agreement events from the logs of all nodes, in order "
    "of\ntime, with one colour per node.  LOGS are logs of algod (one JSON object per line, "
    "compressed or\nnot), folders that contain NODE-node.log or NODE/node.log, or the output of a "
    "test that shows\nseveral logs under headings such as Primary/node.log:.  Times are UTC.";

static const char examples[] =
    "  memoir agreement logs/\n"
    "  memoir agreement net/Primary/node.log net/Node1/node.log --end-round 20\n"
    "  memoir agreement logs/ --csv -o agreement.csv\n"
    "  memoir agreement logs/ --json | jq '.events[] | select(.type == \"RoundConcluded\")'\n";

static int write_answer(const struct agreement_command *command, const struct agreement *agreement,
                        struct fault *fault)
{
    int err = 0;
    FILE *out = answer_open(command->answer.output, fault);
    if (!out)
        return fault->code;
    struct text_style const style = {answer_width(out),
                                     answer_wants_color(out, command->answer.no_color)};
    if (command->answer.json)
        err = agreement_json_write(agreement, out);
    else if (command->answer.csv)
        agreement_csv_write(agreement, out);
    else
        agreement_text_write(agreement, &style, out);
    int const closed = answer_close(out, command->answer.output, fault);
    return err ? err : closed;
}

static int answer(const struct agreement_command *command, char **paths, int count,
                  struct fault *fault)
{
    struct agreement agreement;
    struct log_reading reading = {.handle = agreement_handle, .context = &agreement};
    for (int i = 0; i < count; i++)
        confine_read(paths[i]);
    confine_to(NULL, NULL, command->answer.output, CONFINE_READER);
    int err = agreement_init(&agreement, command->end_round);
    for (int i = 0; i < count && !err; i++)
        err = node_log_read(&reading, paths[i], fault);
    if (!err && agreement.events.count == 0)
        err = fault_set(fault, -ENODATA,
                        "no event of agreement in %llu lines (%llu of them no JSON): algod writes "
                        "them with Context Agreement when its log level is info or more",
                        (unsigned long long)reading.lines, (unsigned long long)reading.odd_lines);
    if (!err) {
        agreement_sort(&agreement);
        if (agreement.timeless)
            fprintf(stderr, "memoir agreement: note: %llu events without a time were left out\n",
                    (unsigned long long)agreement.timeless);
        err = write_answer(command, &agreement, fault);
    }
    agreement_fini(&agreement);
    return err;
}

int cmd_agreement(int argc, char **argv)
{
    struct agreement_command command = {0};
    struct fault fault = {.text = ""};
    struct option_set const sets[] = {{"Choosing", rules, &command},
                                      {"The answer", answer_table_rules, &command.answer}};
    struct command_help const help = {"memoir agreement LOGS... [options]", summary, examples, sets,
                                      2};
    int status;
    int const words = command_words(argc, argv, &help, &status);
    if (words < 0)
        return status;
    if (words == 0 || (command.answer.json && command.answer.csv)) {
        fprintf(stderr, words == 0 ? "memoir agreement: needs logs: memoir agreement LOGS...\n"
                                   : "memoir agreement: choose one of --json and --csv\n");
        return 2;
    }
    int const err = answer(&command, argv + 1, words, &fault);
    if (err)
        fprintf(stderr, "memoir agreement: %s\n", fault.text[0] ? fault.text : "out of memory");
    return err ? 1 : 0;
}
