/* SPDX-License-Identifier: Apache-2.0 */
/* net_host.c - `memoir net host`: starts nodes on other hosts over ssh; installs nothing there, and
 * leaves nothing behind. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own_path.h"
#include "cli/shared/helper_program.h"
#include "cli/net/net_commands.h"
#include "cli/net/net_host_options.h"
#include "cli/net/net_wait.h"
#include "nets/host.h"

#define FILES 4

/* The programs that are copied. */
struct baggage {
    char paths[FILES][PATH_MAX];
    const char *files[FILES + 1];
};

static int pack(struct baggage *baggage, struct fault *fault)
{
    static const char *const names[] = {"memoir", "memoir-cluster", "memoir-record"};
    *baggage = (struct baggage){0};
    for (size_t i = 0; i < 3; i++)
        if (helper_program_path(names[i], baggage->paths[i]) != 0 &&
            (i > 0 || access(net_front_path(baggage->paths[0]), X_OK) != 0))
            return fault_set(fault, -ENOENT, "there is no %s to copy", names[i]);
    if (library_path(baggage->paths[3]) != 0)
        return fault_set(fault, -ENOENT, "there is no libmemoir.so to copy");
    for (size_t i = 0; i < FILES; i++)
        baggage->files[i] = baggage->paths[i];
    return 0;
}

/* The folder here for what comes from a host. */
static int folder_here(const struct host_options *options, const char *host, char *path,
                       struct fault *fault)
{
    const char *at = strrchr(host, '@');
    if (mkdir(options->dir, 0700) != 0 && errno != EEXIST)
        return fault_set(fault, -errno, "cannot make %s: %s", options->dir, strerror(errno));
    int const err = own_folder_check(options->dir, fault);
    if (err)
        return err;
    snprintf(path, PATH_MAX, "%.2000s/%.255s", options->dir, at ? at + 1 : host);
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return fault_set(fault, -errno, "cannot make %s: %s", path, strerror(errno));
    return 0;
}

static int start(const struct host_options *options, struct remote *remote,
                 const struct baggage *baggage, struct fault *fault)
{
    char relay[300], nodes[16];
    const char *words[80];
    size_t count = 0;
    bool const is_file =
        strchr(options->template_name, '/') || strstr(options->template_name, ".yaml");
    snprintf(relay, sizeof(relay), "relay=%s", options->relay ? options->relay : "");
    snprintf(nodes, sizeof(nodes), "%u", options->nodes);
    if (!is_file)
        words[count++] = options->template_name;
    words[count++] = "--fresh";
    words[count++] = "--nodes";
    words[count++] = nodes;
    if (options->relay) {
        words[count++] = "--set";
        words[count++] = relay;
    }
    for (size_t i = 0; i < options->settings.count; i++) {
        words[count++] = "--set";
        words[count++] = options->settings.items[i];
    }
    if (options->cpu)
        words[count++] = "--cpu";
    words[count++] = "--watch";
    for (int i = 0; i < options->watch_words.count && count < 79; i++)
        words[count++] = options->watch_words.words[i];
    words[count] = NULL;
    int err = remote_prepare(remote, baggage->files, options->provision ? 20 : 1, fault);
    if (!err)
        err = remote_up(remote, is_file ? options->template_name : NULL, words, fault);
    if (!err)
        printf("%s: up in %s\n", remote->target.host, remote->folder);
    fflush(stdout);
    return err;
}

/* Ends, collects and cleans whatever was begun there; one failure does not keep the rest from
 * being done. */
static int finish(const struct host_options *options, struct remote *remote, struct fault *fault)
{
    char here[PATH_MAX];
    bool const was_up = remote->is_up;
    if (!remote->folder[0])
        return 0;
    int err = remote_down(remote, fault);
    if (!err && was_up && (err = folder_here(options, remote->target.host, here, fault)) == 0 &&
        (err = remote_collect(remote, here, fault)) == 0)
        printf("%s: collected into %s\n", remote->target.host, here);
    if (remote->is_up)
        return fault_set(fault, err, "%s; it still runs there, in %s", strdupa(fault->text),
                         remote->folder);
    struct fault other = {0};
    int const clean = remote_clean(remote, err ? &other : fault);
    return err ? err : clean;
}

static int run_all(const struct host_options *options, struct remote *remotes, struct fault *fault)
{
    struct baggage *baggage = malloc(sizeof(*baggage));
    int err = baggage ? pack(baggage, fault) : -ENOMEM;
    for (size_t i = 0; !err && i < options->host_count; i++) {
        remotes[i].target =
            (struct ssh_target){.host = options->hosts[i], .options = &options->ssh_words};
        err = start(options, &remotes[i], baggage, fault);
    }
    if (!err)
        net_wait_for(options->for_ns ? options->for_ns : UINT64_MAX / 2, 0);
    for (size_t i = 0; i < options->host_count; i++) {
        struct fault other = {0};
        int const ended = finish(options, &remotes[i], &other);
        if (!err && ended) {
            err = ended;
            *fault = other;
        } else if (ended)
            net_sorry(&other);
    }
    free(baggage);
    return err;
}

int net_host(int argc, char **argv)
{
    struct host_options options;
    struct fault fault = {0};
    int status = 0;
    if (!host_options_parse(argc, argv, &options, &status))
        return status;
    net_catch_signals();
    struct remote *remotes = NULL;
    int err = host_provision(&options, &fault);
    if (!err)
        remotes = calloc(options.host_count, sizeof(*remotes));
    if (!err)
        err = remotes ? run_all(&options, remotes, &fault) : -ENOMEM;
    struct fault other = {0};
    if (host_release(&options, &other) != 0)
        err = err ? (net_sorry(&other), err) : (fault = other, -EIO);
    free(remotes);
    host_options_fini(&options);
    return err ? net_sorry(&fault) : 0;
}
