/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/net/net_up_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "cli/shared/options.h"
#include "nets/template.h"

static int take_nodes(void *into, const char *argument, struct fault *fault)
{
    uint64_t count;
    if (human_parse_count(argument, &count) != 0 || count == 0 || count > TEMPLATE_NODES_MAX)
        return fault_set(fault, -EINVAL, "--nodes %s: 1 to %u nodes can be had", argument,
                         TEMPLATE_NODES_MAX);
    ((struct up_options *)into)->nodes = (uint32_t)count;
    return 0;
}

static int take_tps(void *into, const char *argument, struct fault *fault)
{
    char *end;
    double const rate = strtod(argument, &end);
    if (*end || !(rate > 0 && rate <= 1e6))
        return fault_set(fault, -EINVAL, "--tps %s: this is no number of transactions a second",
                         argument);
    ((struct up_options *)into)->tps = rate;
    return 0;
}

static int take_for(void *into, const char *argument, struct fault *fault)
{
    (void)fault;
    return human_parse_duration(argument, &((struct up_options *)into)->for_ns);
}

static int take_set(void *into, const char *argument, struct fault *fault)
{
    struct up_options *options = into;
    if (options->setting_count >= sizeof(options->settings) / sizeof(options->settings[0]))
        return fault_set(fault, -E2BIG, "more --set than any template has settings");
    options->settings[options->setting_count++] = argument;
    return 0;
}

static const struct option_rule rules[] = {
    {"-o", "DIR", "its folder (TEMPLATE.net): data, logs, net.json",
     OPTION_TEXT(struct up_options, dir)},
    {"--nodes", "N", "how many nodes of the kind that scales", .take = take_nodes},
    {"--tps", "N", "transactions a second, of all load generators together", .take = take_tps},
    {"--set", "NAME=VALUE", "a setting of the template; may be repeated", .take = take_set},
    {"--fresh", NULL, "end what runs in DIR and begin without data; no data is left later",
     OPTION_FLAG(struct up_options, fresh)},
    {"--restart", NULL, "start a node again that crashed; else it is only told",
     OPTION_FLAG(struct up_options, restart)},
    {"--for", "TIME", "stay, and end the network after this time", .take = take_for},
    {"--cpu", NULL, "record where the time of all nodes goes, from their first instruction",
     OPTION_FLAG(struct up_options, cpu)},
    {"--heap", NULL, "run each node under memoir run, which records its heap",
     OPTION_FLAG(struct up_options, heap)},
    {"--pages", NULL, "record whose their resident pages are, through memoir agent",
     OPTION_FLAG(struct up_options, pages)},
    {"--watch", NULL, "watch it into DIR/heaps; all words after this are for memoir watch",
     OPTION_FLAG(struct up_options, watch)},
    {.name = NULL}};

/* What stands after --watch is not ours to read. */
static int split_watch(int argc, char **argv, struct up_options *options)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--watch") == 0) {
            options->watch_words = argv + i + 1;
            options->watch_count = argc - i - 1;
            return i + 1;
        }
    return argc;
}

static const char *default_folder(struct up_options *options)
{
    const char *slash = strrchr(options->template_name, '/');
    const char *name = slash ? slash + 1 : options->template_name;
    snprintf(options->default_dir, sizeof(options->default_dir), "%.*s.net",
             (int)strcspn(name, "."), name);
    return options->default_dir;
}

static bool check_watch(const struct up_options *options)
{
    for (int i = 0; i < options->watch_count; i++)
        if (strcmp(options->watch_words[i], "-o") == 0) {
            fprintf(stderr,
                    "memoir net up: -o stands after --watch, where all words are for memoir watch; "
                    "put it before --watch\n");
            return false;
        }
    return true;
}

bool up_options_take(int argc, char **argv, struct up_options *options, int *status)
{
    struct option_set const sets[] = {{NULL, rules, options}};
    struct command_help const help = {
        .usage = "memoir net up TEMPLATE [-o DIR] [options] [--watch [options of memoir watch]]",
        .summary =
            "Starts a private network of real nodes on this machine, with its load, and "
            "returns when all\n"
            "nodes are ready.  A keeper in the background supervises it until memoir net "
            "down DIR.\n"
            "Templates: etcd-3, etcd-relay, etcd-leaves, monero-3, or a file (docs/templates.md).",
        .examples = "  memoir net up etcd-3 -o D\n"
                    "  memoir net up etcd-3 -o D --watch --every 10s --metrics\n"
                    "  memoir net up etcd-relay --nodes 4 --tps 100 --fresh --for 1m\n"
                    "  memoir net up etcd-3 -o D --fresh --cpu --for 10s\n"
                    "  memoir net up ./mine.yaml --restart\n",
        .sets = sets,
        .set_count = 1};
    *options = (struct up_options){0};
    int const words = command_words(split_watch(argc, argv, options), argv, &help, status);
    if (words < 0)
        return false;
    *status = 2;
    if (words != 1) {
        fprintf(stderr, "memoir net up: which template? as in: memoir net up etcd-3 -o D\n");
        return false;
    }
    options->template_name = argv[1];
    if (!options->dir)
        options->dir = default_folder(options);
    return check_watch(options);
}
