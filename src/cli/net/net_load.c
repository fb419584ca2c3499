/* SPDX-License-Identifier: Apache-2.0 */
/* net_load.c - `memoir net load`: a load generator, started by a network or by hand. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cli/net/net_commands.h"
#include "cli/shared/options.h"
#include "nets/load.h"

#define VALUE_BYTES_MAX 4096

static int handle_kind(void *into, const char *name, const char *value, struct fault *fault)
{
    ((struct load_options *)into)->kind = value;
    return load_kind_find(value)
               ? 0
               : fault_set(fault, -EINVAL, "%s cannot be \"%s\": it is etcd or monero", name,
                           value);
}

static const struct option_rule rules[] = {
    {"--kind", "KIND", "etcd: puts and transactions by gRPC; monero: generate blocks",
     OPTION_CALLBACK(handle_kind)},
    {"--tps", "N", "calls a second (10)",
     OPTION_FRACTION_ABOVE(struct load_options, tps, 0, LOAD_TPS_MAX)},
    {"--name", "NAME", "prefix of keys (load)", OPTION_TEXT(struct load_options, name)},
    {"--value-bytes", "N", "size of etcd's values (64), at most 4096",
     OPTION_BYTES(struct load_options, value_bytes, 0, VALUE_BYTES_MAX)},
    {"--wallet", "ADDRESS", "monero: address that gets the reward",
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
        .summary = "Calls the servers in turn, at a fixed rate even if they are slow, until "
                   "SIGTERM.  Prints a line of\nJSON each second: calls due, sent and answered, "
                   "the rate, and latencies from when each call was due.",
        .examples = "  memoir net load --kind etcd --tps 100 http://127.0.0.1:2379\n",
        .sets = sets,
        .set_count = 1};
    struct fault fault = {0};
    int status, words = command_words(argc, argv, &help, &status);
    if (words < 0)
        return status;
    if (words == 0 || !options.kind)
        return command_misused("net load",
                               "no kind or no server, as in: memoir net load --kind etcd "
                               "http://127.0.0.1:2379");
    options.targets.items = argv + 1;
    options.targets.count = (size_t)words;
    int const stop = open_stop();
    int const err = load_run(&options, stop, stdout, &fault);
    close(stop);
    return err ? net_sorry(&fault) : 0;
}
