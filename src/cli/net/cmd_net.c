/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_net.c - `memoir net`: private networks of real nodes. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cluster/cluster_commands.h"
#include "cli/net/net_commands.h"
#include "nets/keeper.h"
#include "nets/template.h"

int net_watch_split(int argc, char **argv, struct net_watch_words *after)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--watch") == 0) {
            *after = (struct net_watch_words){argv + i + 1, argc - i - 1};
            return i + 1;
        }
    return argc;
}

int net_sorry(const struct fault *fault)
{
    fprintf(stderr, "memoir net: %s\n", fault->text);
    return 1;
}

void net_say(const char *sentence)
{
    fprintf(stderr, "%s\n", sentence);
}

int net_own_path(char path[PATH_MAX], struct fault *fault)
{
    ssize_t const length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (length < 0)
        return fault_set(fault, -errno,
                         "cannot find memoir's own program file: "
                         "%s",
                         strerror(errno));
    path[length] = '\0';
    return 0;
}

/* The background process of a network; started by `net up` only. */
static int net_keep(int argc, char **argv)
{
    return argc == 2 ? keeper_run(argv[1], net_say) : 2;
}

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help; /* NULL: not for people */
} words[] = {{"up", net_up, "up TEMPLATE [-o DIR]     start a network and wait until it is ready"},
             {"down", net_down,
              "down DIR                 end the network; recordings stay, and data unless --fresh"},
             {"status", net_status,
              "status DIR               the state of each process of the "
              "network"},
             {"host", net_host, "host HOST... --relay A   nodes on other hosts, over ssh"},
             {"load", net_load, "load --kind KIND URL...  only a load generator"},
             {"keep", net_keep, NULL}};

static void print_help(FILE *out)
{
    const char *name, *text;
    fputs("Usage: memoir net up|down|status|host|load ...\n\nStarts private networks of real nodes "
          "on this machine from a template, with load, supervises\nthem, watches or records them, "
          "and leaves no process and no port behind.\n\n",
          out);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (words[i].help)
            fprintf(out, "  memoir net %s\n", words[i].help);
    fputs("\nTemplates:\n", out);
    for (size_t i = 0; (name = template_shipped(i, &text)); i++) {
        struct net_template plan;
        if (template_open(&plan, name, NULL) == 0)
            fprintf(out, "  %-12s %s\n", name, plan.about ? plan.about : "");
        template_fini(&plan);
    }
    fputs("  FILE.yaml    any command lines, with ports and folders put in "
          "(docs/templates.md)\n\nExamples:\n  memoir net up etcd-3 -o D\n  memoir net up etcd-3 "
          "-o D --watch --every 10s --metrics\n  memoir net status D\n  memoir net down "
          "D\n\nmemoir net up --help prints all options.\n",
          out);
}

int cmd_net(int argc, char **argv)
{
    umask(077); /* logs and data of the nodes are nobody else's, either */
    for (size_t i = 0; argc >= 2 && i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(argv[1], words[i].name) == 0) {
            static char name[32]; /* for sentences: "net up" */
            snprintf(name, sizeof(name), "net %s", words[i].name);
            argv[1] = name;
            return words[i].run(argc - 1, argv + 1);
        }
    if (argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        print_help(stdout);
        return 0;
    }
    if (argc < 2)
        print_help(stderr);
    else
        fprintf(stderr, "memoir net: there is no \"%s\": choose up, down, status, host or load\n",
                argv[1]);
    return 2;
}
