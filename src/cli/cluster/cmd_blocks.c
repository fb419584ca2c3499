/* SPDX-License-Identifier: Apache-2.0 */
/* memoir blocks: every block header of one node or many, and what a history of them says. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "cli/cluster/blocks_command.h"
#include "cli/cluster/cluster_commands.h"
#include "cli/shared/options.h"
#include "scrape/nodes/node_secret.h"
#include "scrape/nodes/text_list.h"

#define EVERY_NS UINT64_C(1000000000)

#define TAKE(name) static int name(void *into, const char *argument, struct fault *fault)
#define SELF       ((struct blocks_command *)into)

static int keep(text_list *list, const char *text, struct fault *fault)
{
    return text_list_add(list, text) ? 0 : fault_set(fault, -ENOMEM, "out of memory");
}

TAKE(take_output)
{
    (void)fault;
    SELF->output = argument;
    return 0;
}

TAKE(take_folder)
{
    (void)fault;
    SELF->output_folder = argument;
    return 0;
}

TAKE(take_input)
{
    return keep(&SELF->inputs, argument, fault);
}

/* As the original's: an address is algod's unless --class says else. */
TAKE(take_address)
{
    char address[512];
    if (!SELF->nodes.class_name)
        SELF->nodes.class_name = "algod";
    snprintf(address, sizeof(address), "%s%s", strstr(argument, ":/") ? "" : "http://", argument);
    return keep(&SELF->inputs, address, fault);
}

TAKE(take_inventory)
{
    SELF->from_inventory = true;
    return keep(&SELF->inputs, argument, fault);
}

TAKE(take_header)
{
    if (!strchr(argument, ':') || !node_secret_is_clean(argument))
        return fault_set(fault, -EINVAL, "--header is one line, as in: --header \"X-Key: value\"");
    return keep(&SELF->nodes.headers, argument, fault);
}

TAKE(take_token)
{
    free(SELF->token);
    SELF->token = strdup(argument);
    if (SELF->token && node_secret_is_clean(SELF->token))
        return 0;
    return fault_set(fault, -EINVAL, "--token cannot be sent in a header");
}

TAKE(take_token_file)
{
    free(SELF->token);
    SELF->token = NULL;
    return node_secret_read_file(argument, &SELF->token, fault);
}

TAKE(take_class)
{
    (void)fault;
    SELF->nodes.class_name = argument;
    return 0;
}

TAKE(take_port)
{
    uint64_t port;
    if (human_parse_count(argument, &port) < 0 || port == 0 || port > 65535)
        return fault_set(fault, -EINVAL, "--port is a number from 1 to 65535");
    SELF->nodes.port = (uint16_t)port;
    return 0;
}

TAKE(take_all)
{
    (void)argument, (void)fault;
    SELF->all = SELF->stats.all = true;
    return 0;
}

TAKE(take_all_rounds)
{
    (void)argument, (void)fault;
    SELF->all_rounds = true;
    return 0;
}

TAKE(take_from)
{
    SELF->has_from = true;
    return human_parse_count(argument, &SELF->from) < 0
               ? fault_set(fault, -EINVAL, "--from is a height")
               : 0;
}

TAKE(take_to)
{
    SELF->has_to = true;
    return human_parse_count(argument, &SELF->to) < 0
               ? fault_set(fault, -EINVAL, "--to is a height")
               : 0;
}

TAKE(take_for)
{
    (void)fault;
    return human_parse_duration(argument, &SELF->for_ns);
}

TAKE(take_every)
{
    if (human_parse_duration(argument, &SELF->every_ns) < 0 || SELF->every_ns < 1000000)
        return fault_set(fault, -EINVAL, "--every is a time of at least 1ms, such as 250ms");
    return 0;
}

TAKE(take_pid_path)
{
    (void)fault;
    SELF->pid_path = argument;
    return 0;
}

TAKE(take_quiet)
{
    (void)argument, (void)fault;
    SELF->quiet = true;
    return 0;
}

TAKE(take_start)
{
    SELF->stats.has_start = true;
    return human_parse_count(argument, &SELF->stats.start) < 0
               ? fault_set(fault, -EINVAL, "--start is a height")
               : 0;
}

TAKE(take_stop)
{
    SELF->stats.has_stop = true;
    return human_parse_count(argument, &SELF->stats.stop) < 0
               ? fault_set(fault, -EINVAL, "--stop is a height")
               : 0;
}

TAKE(take_tps1)
{
    (void)argument, (void)fault;
    SELF->tps1 = true;
    return 0;
}

TAKE(take_plot)
{
    (void)fault;
    SELF->plot = true;
    SELF->plot_path = argument;
    return 0;
}

TAKE(take_stats_file)
{
    (void)argument, (void)fault;
    SELF->stats_file = true;
    return 0;
}

TAKE(take_json)
{
    (void)argument, (void)fault;
    SELF->json = true;
    return 0;
}

TAKE(take_csv)
{
    (void)argument, (void)fault;
    SELF->csv = true;
    return 0;
}

TAKE(take_no_color)
{
    (void)argument, (void)fault;
    SELF->no_color = true;
    return 0;
}

static const struct option_rule follow_rules[] = {
    {"-o", "FILE", "the history, or a folder for those of several nodes; needed",
     .take = take_output},
    {"--outdir", "DIR", "a folder: name_NAME_HOST.blockhistory for each node", .take = take_folder},
    {"--all", NULL, "from block 0 on; with --tf-inventory: all relays", .take = take_all},
    {"--all-rounds", NULL, "from block 0 on", .take = take_all_rounds},
    {"--from", "HEIGHT", "where a new file begins (else after the newest block)",
     .take = take_from},
    {"--to", "HEIGHT", "end after this height", .take = take_to},
    {"--for", "TIME", "end after 90s, 2h, …", .take = take_for},
    {"--every", "TIME", "how often to ask nodes that cannot be waited for: 1s", .take = take_every},
    {"--class", "CLASS", "what the addresses are: algod, monero, ethereum", .take = take_class},
    {"--header", "LINE", "sent with every request: \"Name: value\"; may be repeated",
     .take = take_header},
    {"--token-file", "FILE", "has the token of the node", .take = take_token_file},
    {"--token", "TOKEN", "the same; others on this machine can see it", .take = take_token},
    {"-d", "DIR", "a node by its data folder", .take = take_input},
    {"-a", "URL", "a node by its address; algod unless --class says else", .take = take_address},
    {"--tf-inventory", "FILE", "relays of an inventory: r1, r11, …; with --all each",
     .take = take_inventory},
    {"--port", "PORT", "of inventory hosts", .take = take_port},
    {"-p", "PORT", "as --port", .take = take_port},
    {"--pid", "FILE", "our process id, while we run", .take = take_pid_path},
    {"--quiet", NULL, "tell errors only", .take = take_quiet},
    {.name = NULL}};
static const struct option_rule show_rules[] = {
    {"--start", "HEIGHT", "from here (else from a rounds.json beside the file)",
     .take = take_start},
    {"--stop", "HEIGHT", "to here", .take = take_stop},
    {"--tps1", NULL, "the last chart by block, not over ten", .take = take_tps1},
    {"--plot", "=FILE", "six charts (.svg, .png); without FILE: FILE_hist.svg and .png",
     .take = take_plot},
    {"--stats", NULL, "FILE.stats as the original writes it", .take = take_stats_file},
    {"--json", NULL, "as JSON", .take = take_json},
    {"--csv", NULL, "a row for each block", .take = take_csv},
    {"--no-color", NULL, "no colour", .take = take_no_color},
    {.name = NULL}};

/* `blocks stats …`, or nothing but histories. */
static bool is_about_files(char **words, int count)
{
    for (int i = 0; i < count; i++) {
        const char *ending = strrchr(words[i], '.');
        if (!ending || strcmp(ending, ".blockhistory") != 0)
            return false;
    }
    return count > 0;
}

int cmd_blocks(int argc, char **argv)
{
    struct blocks_command command = {.every_ns = EVERY_NS};
    struct option_set const sets[] = {{"Following", follow_rules, &command},
                                      {"Statistics", show_rules, &command}};
    struct command_help const help = {
        .usage = "memoir blocks NODE… -o FILE|DIR [options]\n"
                 "       memoir blocks stats FILE.blockhistory… [options]",
        .summary = "Follows the chain of one node or many: every block header, each height once, "
                   "without gaps,\nalso after the node or memoir was away. A file is gone on with. "
                   "NODE is an address, a data\nfolder, an inventory or a configuration, as in "
                   "memoir watch. Then: block times, transactions,\nwhat is missing, and how late "
                   "each node had the same block.",
        .examples =
            "  memoir blocks ~/node/data -o node.blockhistory\n"
            "  memoir blocks http://127.0.0.1:18081 --class monero --all -o monero.blockhistory\n"
            "  memoir blocks --tf-inventory terraform-inventory.host --all --outdir run --for 2h\n"
            "  memoir blocks stats run/*.blockhistory --plot=blocks.svg\n",
        .sets = sets,
        .set_count = 2};
    int status, words = command_words(argc, argv, &help, &status);
    if (words < 0)
        return status;
    bool const is_stats = words > 0 && strcmp(argv[1], "stats") == 0;
    command.nodes.token = command.token;
    if (is_stats || (!command.inputs.count && is_about_files(argv + 1, words)))
        status = blocks_show(&command, argv + 1 + is_stats, words - is_stats);
    else
        status = blocks_follow(&command, argv + 1, words);
    text_list_fini(&command.inputs);
    text_list_fini(&command.nodes.headers);
    free(command.token);
    return status;
}
