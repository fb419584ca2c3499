/* SPDX-License-Identifier: Apache-2.0 */
/* memoir net load: a load generator, as networks start it; also by hand. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/human.h"
#include "cli/net/net_commands.h"
#include "cli/shared/options.h"
#include "nets/load.h"

static int take_kind(void *into, const char *argument, struct fault *fault)
{
    ((struct load_options *)into)->kind = argument;
    return load_kind_find(argument)
               ? 0
               : fault_set(fault, -EINVAL, "--kind %s: etcd and monero are the kinds of load",
                           argument);
}

static int take_tps(void *into, const char *argument, struct fault *fault)
{
    char *end;
    double const rate = strtod(argument, &end);
    (void)fault;
    if (*end || !(rate > 0 && rate <= 1e6))
        return -EINVAL;
    ((struct load_options *)into)->tps = rate;
    return 0;
}

static int take_value_bytes(void *into, const char *argument, struct fault *fault)
{
    uint64_t bytes;
    int const err = human_parse_bytes(argument, &bytes);
    (void)fault;
    if (err || bytes > 4096)
        return -EINVAL;
    ((struct load_options *)into)->value_bytes = (size_t)bytes;
    return 0;
}

static const struct option_rule rules[] = {
    {"--kind", "KIND", "etcd: puts and transactions by gRPC; monero: blocks generated",
     .take = take_kind},
    {"--tps", "N", "calls a second (10)", .take = take_tps},
    {"--name", "NAME", "what keys begin with (load)", OPTION_TEXT(struct load_options, name)},
    {"--value-bytes", "N", "size of etcd's values (64), at most 4096", .take = take_value_bytes},
    {"--wallet", "ADDRESS", "of monero: who gets the reward",
     OPTION_TEXT(struct load_options, wallet)},
    {.name = NULL}};

static int open_stop(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    return signalfd(-1, &set, SFD_CLOEXEC);
}

int net_load(int argc, char **argv)
{
    struct load_options options = {.name = "load", .tps = 10, .value_bytes = 64};
    struct option_set const sets[] = {{NULL, rules, &options}};
    struct command_help const help = {
        .usage = "memoir net load --kind KIND [options] URL...",
        .summary = "Calls the servers in turn, at a fixed rate whatever they do, until SIGTERM.  "
                   "Each second a line\n"
                   "of JSON: what was due, sent, answered, the rate, and latencies from when each "
                   "call was due.",
        .examples = "  memoir net load --kind etcd --tps 100 http://127.0.0.1:2379\n",
        .sets = sets,
        .set_count = 1};
    struct fault fault = {0};
    int status, words = command_words(argc, argv, &help, &status);
    if (words < 0)
        return status;
    if (words == 0 || !options.kind) {
        fprintf(
            stderr,
            "memoir net load: which kind, and which servers? as in: memoir net load --kind etcd "
            "http://127.0.0.1:2379\n");
        return 2;
    }
    options.targets.items = argv + 1;
    options.targets.count = (size_t)words;
    int const stop = open_stop();
    int const err = load_run(&options, stop, stdout, &fault);
    close(stop);
    return err ? net_sorry(&fault) : 0;
}
