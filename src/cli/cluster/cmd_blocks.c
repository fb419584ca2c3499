/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_blocks.c - `memoir blocks`: records the block headers of one node or many, and answers
 * questions about such a history. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/cluster/blocks_command.h"
#include "cli/cluster/cluster_commands.h"
#include "cli/shared/options.h"
#include "scrape/nodes/node_secret.h"
#include "scrape/nodes/text_list.h"

#define EVERY_NS NS_PER_SECOND

#define SELF  ((struct blocks_command *)into)
#define MS_NS UINT64_C(1000000)

static int keep(text_list *list, const char *text, struct fault *fault)
{
    return text_list_add(list, text) ? 0 : fault_set(fault, -ENOMEM, "out of memory");
}

static int handle_input(void *into, const char *name, const char *value, struct fault *fault)
{
    (void)name;
    return keep(&SELF->inputs, value, fault);
}

/* As the original's: an address is algod's unless --class says else. */
static int handle_address(void *into, const char *name, const char *value, struct fault *fault)
{
    char address[512];
    (void)name;
    if (!SELF->nodes.class_name)
        SELF->nodes.class_name = "algod";
    snprintf(address, sizeof(address), "%s%s", strstr(value, ":/") ? "" : "http://", value);
    return keep(&SELF->inputs, address, fault);
}

static int handle_header(void *into, const char *name, const char *value, struct fault *fault)
{
    if (!strchr(value, ':') || !node_secret_is_clean(value))
        return fault_set(fault, -EINVAL, "%s is one line, as in: %s \"X-Key: value\"", name, name);
    return keep(&SELF->nodes.headers, value, fault);
}

static int handle_token(void *into, const char *name, const char *value, struct fault *fault)
{
    free(SELF->token);
    SELF->token = strdup(value);
    if (SELF->token && node_secret_is_clean(SELF->token))
        return 0;
    return fault_set(fault, -EINVAL, "%s cannot be sent in a header", name);
}

static int handle_token_file(void *into, const char *name, const char *value, struct fault *fault)
{
    (void)name;
    free(SELF->token);
    SELF->token = NULL;
    return node_secret_read_file(value, &SELF->token, fault);
}

#define TEXT(field)   OPTION_TEXT(struct blocks_command, field)
#define FLAG(field)   OPTION_FLAG(struct blocks_command, field)
#define ALSO(field)   OPTION_ALSO(struct blocks_command, field)
#define HEIGHT(field) OPTION_COUNT(struct blocks_command, field, 0, OPTION_NO_LIMIT)
#define PORT          OPTION_COUNT(struct blocks_command, nodes.port, 1, UINT16_MAX)

static const struct option_rule follow_rules[] = {
    {"-o", "FILE", "file to write, or a folder for several nodes; required", TEXT(output)},
    {"--outdir", "DIR", "folder to write name_NAME_HOST.blockhistory to, for each node",
     TEXT(output_folder)},
    {"--all", NULL, "from block 0 on; with --tf-inventory: all relays", FLAG(all), ALSO(stats.all)},
    {"--all-rounds", NULL, "from block 0 on", FLAG(all_rounds)},
    {"--from", "HEIGHT", "first height of a new file (default: the newest block)", HEIGHT(from),
     ALSO(has_from)},
    {"--to", "HEIGHT", "end after this height", HEIGHT(to), ALSO(has_to)},
    {"--for", "TIME", "end after TIME: 90s, 2h, …",
     OPTION_DURATION(struct blocks_command, for_ns, 0, OPTION_NO_LIMIT)},
    {"--every", "TIME", "how often to poll nodes that have no way to wait for a block (1s)",
     OPTION_DURATION(struct blocks_command, every_ns, MS_NS, OPTION_NO_LIMIT)},
    {"--class", "CLASS", "kind of the nodes: algod, monero, ethereum", TEXT(nodes.class_name)},
    {"--header", "LINE", "\"Name: value\" for every request; may be repeated",
     OPTION_CALLBACK(handle_header)},
    {"--token-file", "FILE", "file with the token of the node", OPTION_CALLBACK(handle_token_file)},
    {"--token", "TOKEN", "token of the node; other users of this machine can see it in ps",
     OPTION_CALLBACK(handle_token)},
    {"-d", "DIR", "a node by its data folder", OPTION_CALLBACK(handle_input)},
    {"-a", "URL", "a node by its address; an algod unless --class is given",
     OPTION_CALLBACK(handle_address)},
    {"--tf-inventory", "FILE", "relays of an inventory: r1, r11, …; with --all every relay",
     OPTION_CALLBACK(handle_input), ALSO(from_inventory)},
    {"--port", "PORT", "port of inventory hosts", PORT},
    {"-p", "PORT", "same as --port", PORT},
    {"--pid", "FILE", "write the PID of memoir blocks to FILE while it runs", TEXT(pid_path)},
    {"--quiet", NULL, "print only errors", FLAG(quiet)},
    {.name = NULL}};
static const struct option_rule show_rules[] = {
    {"--start", "HEIGHT", "first height (else from a rounds.json beside the file)",
     HEIGHT(stats.start), ALSO(stats.has_start)},
    {"--stop", "HEIGHT", "last height", HEIGHT(stats.stop), ALSO(stats.has_stop)},
    {"--tps1", NULL, "last chart by single blocks instead of means of ten", FLAG(tps1)},
    {"--plot", "=FILE", "six charts (.svg, .png); without FILE: FILE_hist.svg and .png",
     TEXT(plot_path), ALSO(plot)},
    {"--stats", NULL, "also write FILE.stats, as go-algorand's scripts do", FLAG(stats_file)},
    {"--json", NULL, "print JSON", FLAG(json)},
    {"--csv", NULL, "print CSV, a row for each block", FLAG(csv)},
    {"--no-color", NULL, "no colours (as NO_COLOR=1)", FLAG(no_color)},
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
        .summary = "Follows the chain of one node or many and stores every block header, each "
                   "height once, without\ngaps, also after a restart of the node or of memoir.  An "
                   "existing file is continued.  NODE is an\naddress, a data folder, an inventory "
                   "or a configuration, as in memoir watch.  The second form\nprints block times, "
                   "transactions, missing heights, and how late each node had each block.",
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
