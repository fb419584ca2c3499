/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/net/net_up_options.h"

#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "nets/load.h"
#include "nets/template.h"

#define SETTINGS_MAX 32

static const struct option_rule rules[] = {
    {"-o", "DIR", "folder of the network (TEMPLATE.net): data, logs, net.json",
     OPTION_TEXT(struct up_options, dir)},
    {"--nodes", "N", "number of nodes, of the kind that the template scales",
     OPTION_COUNT(struct up_options, nodes, 1, TEMPLATE_NODES_MAX)},
    {"--tps", "N", "transactions a second, of all load generators together",
     OPTION_FRACTION_ABOVE(struct up_options, tps, 0, LOAD_TPS_MAX)},
    {"--set", "NAME=VALUE", "a setting of the template; may be repeated",
     OPTION_LIST(struct up_options, settings, SETTINGS_MAX)},
    {"--fresh", NULL,
     "end a network in DIR, start without old data, and remove the data at the "
     "end",
     OPTION_FLAG(struct up_options, fresh)},
    {"--restart", NULL, "restart a node that crashed; without this option a crash is only reported",
     OPTION_FLAG(struct up_options, restart)},
    {"--for", "TIME", "stay in the foreground, and end the network after TIME",
     OPTION_DURATION(struct up_options, for_ns, 0, OPTION_NO_LIMIT)},
    {"--cpu", NULL, "record the CPU time of all nodes, from their first instruction",
     OPTION_FLAG(struct up_options, cpu)},
    {"--heap", NULL, "run each node under memoir run, which records its heap",
     OPTION_FLAG(struct up_options, heap)},
    {"--pages", NULL, "record which code touched the resident pages of all nodes, by memoir agent",
     OPTION_FLAG(struct up_options, pages)},
    {"--watch", NULL, "watch the nodes, to DIR/heaps; all words after --watch are for memoir watch",
     OPTION_FLAG(struct up_options, watch)},
    {.name = NULL}};

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
    for (int i = 0; i < options->watch_words.count; i++)
        if (strcmp(options->watch_words.words[i], "-o") == 0) {
            fprintf(stderr,
                    "memoir net up: -o is after --watch, where all words are for memoir watch; put "
                    "-o before --watch\n");
            return false;
        }
    return true;
}

bool up_options_parse(int argc, char **argv, struct up_options *options, int *status)
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
    int const words =
        command_words(net_watch_split(argc, argv, &options->watch_words), argv, &help, status);
    if (words >= 0)
        *status = 2;
    if (words == 1) {
        options->template_name = argv[1];
        if (!options->dir)
            options->dir = default_folder(options);
        if (check_watch(options))
            return true;
    } else if (words >= 0)
        fprintf(stderr, "memoir net up: no template, as in: memoir net up etcd-3 -o D\n");
    up_options_fini(options);
    return false;
}

void up_options_fini(struct up_options *options)
{
    vec_free(&options->settings);
}
