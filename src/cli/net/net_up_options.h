/* net_up_options.h - the options of `memoir net up`. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/net/net_commands.h"
#include "cli/shared/options.h"

struct up_options {
    const char *template_name;
    const char *dir;
    uint32_t nodes;
    double tps;
    bool fresh, restart;
    bool cpu, heap, pages;
    uint64_t for_ns;
    bool watch;
    struct net_watch_words watch_words;
    struct option_list settings; /* "NAME=VALUE" */
    char default_dir[128];
};

/* Returns false, with the exit status in *status, if the command must end. */
bool up_options_parse(int argc, char **argv, struct up_options *options, int *status);
void up_options_fini(struct up_options *options);
