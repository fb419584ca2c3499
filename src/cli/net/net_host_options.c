/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/net/net_host_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/vec.h"
#include "nets/template.h"

#define SETTINGS_MAX 16

/* -p, -i and -F are those of ssh, and --ssh-option is its -o. */
static int handle_ssh(void *into, const char *name, const char *value, struct fault *fault)
{
    text_list *words = &((struct host_options *)into)->ssh_words;
    const char *word = name[1] == '-' ? "-o" : name;
    (void)fault;
    return text_list_add(words, word) && text_list_add(words, value) ? 0 : -ENOMEM;
}

static const struct option_rule rules[] = {
    {"--relay", "HOST:PORT", "address that the nodes connect to; must be reachable from the hosts",
     OPTION_TEXT(struct host_options, relay)},
    {"-o", "DIR", "folder for the results, with a folder for each host (hosts.net)",
     OPTION_TEXT(struct host_options, dir)},
    {"--for", "TIME", "end after TIME (Ctrl-C unless given)",
     OPTION_DURATION(struct host_options, for_ns, 0, OPTION_NO_LIMIT)},
    {"--nodes", "N", "nodes on each host (2)",
     OPTION_COUNT(struct host_options, nodes, 1, TEMPLATE_NODES_MAX)},
    {"--template", "TEMPLATE",
     "network to start on the hosts (etcd-leaves): a shipped template or a file",
     OPTION_TEXT(struct host_options, template_name)},
    {"--set", "NAME=VALUE", "a setting of the template; may be repeated",
     OPTION_LIST(struct host_options, settings, SETTINGS_MAX)},
    {"--cpu", NULL, "record the CPU time of the nodes", OPTION_FLAG(struct host_options, cpu)},
    {"--watch", NULL, "all words after --watch are for memoir watch on the hosts",
     OPTION_FLAG(struct host_options, watch)},
    {.name = NULL}};

static const struct option_rule ssh_rules[] = {
    {"-p", "PORT", "port of the ssh server", OPTION_CALLBACK(handle_ssh)},
    {"-i", "FILE", "private key for ssh", OPTION_CALLBACK(handle_ssh)},
    {"-F", "FILE", "configuration file for ssh instead of your own", OPTION_CALLBACK(handle_ssh)},
    {"--ssh-option", "NAME=VALUE",
     "option of ssh, as StrictHostKeyChecking=accept-new; may be repeated",
     OPTION_CALLBACK(handle_ssh)},
    {"--provision", "CMD",
     "shell command that creates a host and prints its address as the last line",
     OPTION_TEXT(struct host_options, provision)},
    {"--release", "CMD", "shell command that releases the host whose address is in MEMOIR_HOST",
     OPTION_TEXT(struct host_options, release)},
    {.name = NULL}};

static bool check(int words, char **argv, struct host_options *options)
{
    for (int i = 1; i <= words; i++) {
        if (argv[i][0] == '-' || argv[i][0] == '\0' || strpbrk(argv[i], "/\r\n") ||
            words > HOSTS_MAX - 1) {
            fprintf(stderr,
                    "memoir net host: \"%s\" is not a host name, or there are more than %d "
                    "hosts\n",
                    argv[i], HOSTS_MAX - 1);
            return false;
        }
        options->hosts[options->host_count++] = argv[i];
    }
    if (options->host_count || options->provision)
        return true;
    fprintf(stderr, "memoir net host: no host, as in: memoir net host user@10.0.0.7 --relay "
                    "10.0.0.5:2379\n");
    return false;
}

bool host_options_parse(int argc, char **argv, struct host_options *options, int *status)
{
    struct option_set const sets[] = {{NULL, rules, options}, {"The host", ssh_rules, options}};
    struct command_help const help = {
        .usage = "memoir net host [USER@]HOST... --relay HOST:PORT [options] [--watch [options of "
                 "memoir watch]]",
        .summary = "Runs nodes on other hosts against one relay, over ssh; only the node must be "
                   "installed there.\nmemoir copies itself to the host, starts the nodes, watches "
                   "them, and at the end collects the\nresults and removes its files.  ssh must "
                   "work without a password (with a key or an agent).",
        .examples = "  memoir net host ubuntu@10.0.0.7 --relay 10.0.0.5:2379 --for 10m -o D\n"
                    "  memoir net host --provision ./new-host.sh --release ./end-host.sh --relay "
                    "10.0.0.5:2379 --for 1h\n",
        .sets = sets,
        .set_count = 2};
    *options =
        (struct host_options){.nodes = 2, .template_name = "etcd-leaves", .dir = "hosts.net"};
    int const words =
        command_words(net_watch_split(argc, argv, &options->watch_words), argv, &help, status);
    if (words < 0) {
        host_options_fini(options);
        return false;
    }
    *status = 2;
    if (check(words, argv, options))
        return true;
    host_options_fini(options);
    return false;
}

void host_options_fini(struct host_options *options)
{
    text_list_fini(&options->ssh_words);
    vec_free(&options->settings);
    free(options->provisioned);
}

int host_provision(struct host_options *options, struct fault *fault)
{
    char *line = NULL;
    size_t room = 0;
    if (!options->provision)
        return 0;
    FILE *pipe = popen(options->provision, "re"); /* the user's own command line, as it is */
    if (!pipe)
        return fault_set(fault, -errno, "cannot run --provision: %s", strerror(errno));
    while (getline(&line, &room, pipe) > 0) {
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0]) {
            free(options->provisioned);
            options->provisioned = strdup(line);
        }
    }
    free(line);
    int const status = pclose(pipe);
    if (status != 0 || !options->provisioned)
        return fault_set(fault, -EIO, "--provision ended with status %d and %s address",
                         WIFEXITED(status) ? WEXITSTATUS(status) : 1,
                         options->provisioned ? "an" : "without an");
    const char *host = options->provisioned;
    if (host[0] == '-' || strpbrk(host, " /\t"))
        return fault_set(fault, -EINVAL, "--provision printed \"%.100s\", which is no host", host);
    options->hosts[options->host_count++] = host;
    return 0;
}

int host_release(const struct host_options *options, struct fault *fault)
{
    if (!options->release || !options->provisioned)
        return 0;
    setenv("MEMOIR_HOST", options->provisioned, 1);
    if (system(options->release) == 0)
        return 0;
    return fault_set(fault, -EIO, "--release failed: %s may still run, and cost",
                     options->provisioned);
}
