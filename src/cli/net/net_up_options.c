/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/net/net_up_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "nets/template.h"

#define SETTINGS_MAX 32

static int parse_tps(void *into, const char *name, const char *value, struct fault *fault)
{
    char *end;
    double const rate = strtod(value, &end);
    if (*end || !(rate > 0 && rate <= 1e6))
        return fault_set(fault, -EINVAL, "%s cannot be \"%s\": it is transactions a second", name,
                         value);
    ((struct up_options *)into)->tps = rate;
    return 0;
}

static const struct option_rule rules[] = {
    {"-o", "DIR", "folder of the network (TEMPLATE.net): data, logs, net.json",
     OPTION_TEXT(struct up_options, dir)},
    {"--nodes", "N", "number of nodes, of the kind that the template scales",
     OPTION_COUNT(struct up_options, nodes, 1, TEMPLATE_NODES_MAX)},
    {"--tps", "N", "transactions a second, of all load generators together",
     OPTION_CALLBACK(parse_tps)},
    {"--set", "NAME=VALUE", "a setting of the template; may be repeated",
     OPTION_LIST(struct up_options, settings, SETTINGS_MAX)},
    {"--fresh", NULL, "end what runs in DIR, start without data, and remove the data at the end",
     OPTION_FLAG(struct up_options, fresh)},
    {"--restart", NULL, "restart a node that crashed; a crash is only reported unless given",
     OPTION_FLAG(struct up_options, restart)},
    {"--for", "TIME", "stay in the foreground, and end the network after TIME",
     OPTION_DURATION(struct up_options, for_ns, 0, OPTION_NO_LIMIT)},
    {"--cpu", NULL, "record the CPU time of all nodes, from their first instruction",
     OPTION_FLAG(struct up_options, cpu)},
    {"--heap", NULL, "run each node under memoir run, which records its heap",
     OPTION_FLAG(struct up_options, heap)},
    {"--pages", NULL, "record who owns the resident pages of all nodes, by memoir agent",
     OPTION_FLAG(struct up_options, pages)},
    {"--watch", NULL, "watch the nodes, to DIR/heaps; all words after --watch are for memoir watch",
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
    int const words = command_words(split_watch(argc, argv, options), argv, &help, status);
    if (words >= 0)
        *status = 2;
    if (words == 1) {
        options->template_name = argv[1];
        if (!options->dir)
            options->dir = default_folder(options);
        if (check_watch(options))
            return true;
    } else if (words >= 0)
        fprintf(stderr, "memoir net up: which template? as in: memoir net up etcd-3 -o D\n");
    up_options_fini(options);
    return false;
}

void up_options_fini(struct up_options *options)
{
    vec_free(&options->settings);
}
