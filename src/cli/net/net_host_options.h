/* net_host_options.h - the options of `memoir net host`, and the programs of the user that provide
 * hosts and release them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "cli/net/net_commands.h"
#include "cli/shared/options.h"
#include "scrape/nodes/text_list.h"

#define HOSTS_MAX 16

struct host_options {
    const char *hosts[HOSTS_MAX];
    size_t host_count;
    const char *relay, *template_name, *dir;
    const char *provision, *release;
    uint32_t nodes;
    bool cpu, watch;
    uint64_t for_ns;
    struct option_list settings; /* "NAME=VALUE" */
    text_list ssh_words;
    struct net_watch_words watch_words;
    char *provisioned; /* the address that --provision gave; owned */
};

/* Returns false, with the exit status in *status, if the command must end. */
bool host_options_parse(int argc, char **argv, struct host_options *options, int *status);
void host_options_fini(struct host_options *options);

/* Runs the program of --provision, if given, and adds the host on the last line of its output.
 * Returns 0 or -errno with a sentence. */
int host_provision(struct host_options *options, struct fault *fault);
/* Runs the program of --release, if --provision gave a host.  The variable MEMOIR_HOST has the
 * host.  Returns 0 or -errno with a sentence. */
int host_release(const struct host_options *options, struct fault *fault);
