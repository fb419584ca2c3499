/* SPDX-License-Identifier: Apache-2.0 */
/* net_up.c - `memoir net up`: starts a network from a template, and waits until it is ready. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/human.h"
#include "base/own_path.h"
#include "cli/net/net_commands.h"
#include "cli/net/net_record.h"
#include "cli/net/net_up_options.h"
#include "cli/net/net_wait.h"
#include "nets/down.h"
#include "nets/fill.h"
#include "nets/net_data.h"
#include "nets/process.h"
#include "nets/template.h"

/* All programs of the template are there, or one sentence says which package has the one that is
 * not. */
static int check_programs(const struct net_template *plan, struct fault *fault)
{
    vec_each (need, &plan->needs)
        if (!program_find(need->program))
            return fault_set(
                fault, -ENOENT,
                "the template %s needs the program %s, which is not here: apt-get install %s",
                plan->name, need->program, need->package);
    return 0;
}

static int make_folder(const char *path, char absolute[PATH_MAX], struct fault *fault)
{
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return fault_set(fault, -errno, "cannot make the folder %s: %s", path, strerror(errno));
    int const err = own_folder_check(path, fault);
    if (err)
        return err;
    if (!realpath(path, absolute))
        return fault_set(fault, -errno, "cannot use %s: %s", path, strerror(errno));
    if (strlen(absolute) > PATH_MAX - 300)
        return fault_set(fault, -ENAMETOOLONG, "the path %s is too long", path);
    return 0;
}

/* What was in the folder before: ended and emptied with --fresh, else its ports and data are
 * used again. */
static int meet_old(const struct up_options *options, const char *dir, struct net *old,
                    struct fault *fault)
{
    int err = net_read(old, dir, fault);
    if (err == -ENOENT) {
        *fault = (struct fault){0};
        return 0;
    }
    if (err)
        return err;
    bool const runs = net_is_kept(old) || net_signal_all(old, NULL, 0) > 0;
    if (runs && !options->fresh)
        return fault_set(
            fault, -EEXIST,
            "a network (%s) runs in %s: memoir net down %s ends it, --fresh replaces it",
            old->template_name, options->dir, options->dir);
    if (runs) {
        net_fini(old);
        err = net_bring_down(dir, old, net_say, fault);
    }
    if (!err && options->fresh) {
        net_remove_data(old);
        net_remove_logs(old);
        net_fini(old);
    }
    return err;
}

/* memoir watch on the nodes, with what suits the template, and then what was asked for. */
static int add_watch(struct net *net, const struct net_template *plan, const char *own,
                     const struct up_options *options, struct fault *fault)
{
    char *nodes = net_path(net, "nodes.yaml"), *run = net_path(net, "heaps");
    struct net_part *part = nodes && run ? net_add(net, "watch", PART_WATCH) : NULL;
    const char *const words[] = {own, "watch", nodes, "-o", run};
    bool good = part != NULL;
    for (size_t i = 0; good && i < sizeof(words) / sizeof(words[0]); i++)
        good = text_list_add(&part->argv, words[i]);
    good = good && text_list_add_all(&part->argv, &plan->watch);
    for (int i = 0; good && i < options->watch_words.count; i++)
        good = text_list_add(&part->argv, options->watch_words.words[i]);
    free(nodes);
    free(run);
    return good ? 0 : fault_set(fault, -ENOMEM, "out of memory");
}

static int plan_net(const struct up_options *options, const char *dir, struct net *net,
                    struct fault *fault)
{
    struct net_template plan;
    struct net old = {0};
    char own[PATH_MAX];
    int err = template_open(&plan, options->template_name, fault);
    if (err)
        return err;
    for (size_t i = 0; !err && i < options->settings.count; i++)
        err = template_set(&plan, options->settings.items[i], fault);
    if (!err)
        err = check_programs(&plan, fault);
    if (!err)
        err = net_own_path(own, fault);
    if (!err)
        err = meet_old(options, dir, &old, fault);
    struct fill_options const fill = {.dir = dir,
                                      .cluster = own,
                                      .nodes = options->nodes,
                                      .tps = options->tps,
                                      .old = old.dir ? &old : NULL};
    if (!err)
        err = net_fill(net, &plan, &fill, fault);
    if (!err)
        err = net_make_files(net, &plan, fault);
    if (!err)
        err = net_write_nodes(net, fault);
    if (!err)
        err = net_add_recorders(net, options, fault);
    if (!err && options->watch)
        err = add_watch(net, &plan, own, options, fault);
    net->fresh = options->fresh;
    net->restart = options->restart;
    net_fini(&old);
    template_fini(&plan);
    return err;
}

/* In the child: the keeper, away from this terminal. */
static void become_keeper(const char *own, const char *dir)
{
    char log[PATH_MAX + 16];
    snprintf(log, sizeof(log), "%s/keeper.log", dir);
    setsid();
    int const nothing = open("/dev/null", O_RDONLY);
    int const out = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (nothing >= 0 && out >= 0 && dup2(nothing, 0) >= 0 && dup2(out, 1) >= 0 && dup2(out, 2) >= 0)
        execl(own, "memoir", "net", "keep", dir, (char *)NULL);
    _exit(127);
}

static pid_t start_keeper(const char *dir, struct fault *fault)
{
    char own[PATH_MAX];
    if (net_own_path(own, fault) != 0)
        return -1;
    fflush(NULL);
    pid_t const pid = fork();
    if (pid == 0)
        become_keeper(own, dir);
    if (pid < 0)
        fault_set(fault, -errno, "cannot start the keeper: %s", strerror(errno));
    return pid;
}

static void tell_up(const struct up_options *options, const struct net *net)
{
    size_t const loads = net_count(net, PART_LOAD, PART_PLANNED);
    size_t const nodes = net_count(net, PART_NODE, PART_PLANNED);
    printf("%s is up in %s: %zu node%s", net->template_name, options->dir, nodes,
           nodes == 1 ? "" : "s");
    if (loads)
        printf(", %zu load generator%s", loads, loads == 1 ? "" : "s");
    puts("");
    vec_each (part, &net->parts)
        if (part->kind == PART_NODE && part->url)
            printf("  %-10s %s\n", part->name, part->url);
    if (!options->for_ns)
        printf("memoir net status %s shows its state, memoir net down %s ends it\n", options->dir,
               options->dir);
    fflush(stdout);
}

static int run_net(const struct up_options *options, const char *dir, struct fault *fault)
{
    struct net net = {0};
    pid_t const keeper = start_keeper(dir, fault);
    if (keeper < 0)
        return fault->code;
    int err = net_wait_until_up(dir, keeper, &net, fault);
    if (!err)
        tell_up(options, &net);
    bool const ends = err == -EINTR || (!err && options->for_ns);
    if (!err && options->for_ns)
        net_wait_for(options->for_ns, keeper);
    net_fini(&net);
    if (ends) {
        struct fault other = {0};
        int const down = net_bring_down(dir, &net, net_say, err ? &other : fault);
        if (!err && !down)
            net_draw(&net);
        net_fini(&net);
        err = err ? err : down;
    }
    return err;
}

int net_up(int argc, char **argv)
{
    struct up_options options;
    struct fault fault = {0};
    struct net net = {0};
    char dir[PATH_MAX];
    int status;
    if (!up_options_parse(argc, argv, &options, &status))
        return status;
    net_catch_signals();
    int err = make_folder(options.dir, dir, &fault);
    if (!err)
        err = plan_net(&options, dir, &net, &fault);
    if (!err)
        err = net_write(&net, &fault);
    net_fini(&net);
    if (!err)
        err = run_net(&options, dir, &fault);
    up_options_fini(&options);
    return err ? net_sorry(&fault) : 0;
}
