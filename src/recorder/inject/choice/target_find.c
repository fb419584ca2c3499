/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/choice/target_find.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "inject/choice/container_name.h"
#include "procfs/process/process_named.h"
#include "procfs/process/process_status.h"

#define LISTED_MAX 20u

struct target_candidate {
    uint32_t pid;
    struct process_status status;
};
struct candidates {
    VEC(struct target_candidate) items;
};

static bool add_if_fitting(struct candidates *found, uint32_t pid, const char *container,
                           const char *name)
{
    struct target_candidate one = {.pid = pid};
    if (pid == (uint32_t)getpid() || (name && !process_is_named(pid, name)) ||
        (container && !container_holds(container, pid)) ||
        process_status_read(pid, 0, &one.status) < 0 || !one.status.has_memory)
        return true;
    return vec_push(&found->items, one);
}

static int search(struct candidates *found, const char *container, const char *name)
{
    DIR *folder = opendir("/proc");
    bool fits = true;
    if (!folder)
        return -errno;
    for (struct dirent *entry; fits && (entry = readdir(folder));) {
        uint32_t pid = (uint32_t)strtoul(entry->d_name, NULL, 10);
        if (pid > 0)
            fits = add_if_fitting(found, pid, container, name);
    }
    closedir(folder);
    return fits ? 0 : -ENOMEM;
}

static bool is_mere_init(const char *name)
{
    static const char *const inits[] = {"tini",    "docker-init", "dumb-init", "catatonit", "init",
                                        "systemd", "s6-svscan",   "sh",        "bash",      "dash",
                                        "ash",     "pause",       "unshare",   "conmon"};
    for (size_t i = 0; i < sizeof(inits) / sizeof(inits[0]); i++)
        if (strcmp(name, inits[i]) == 0)
            return true;
    return false;
}

/* The only one whose parent is (not) among them; NULL when there are several, or none. */
static const struct target_candidate *only_child_of(const struct candidates *found, uint32_t parent)
{
    const struct target_candidate *only = NULL;
    vec_each (one, &found->items) {
        bool among = false;
        vec_each (other, &found->items)
            among |= other->pid == one->status.parent;
        if (parent ? one->status.parent != parent : among)
            continue;
        if (only)
            return NULL;
        only = one;
    }
    return only;
}

static const struct target_candidate *choose(const struct candidates *found, bool in_container)
{
    if (found->items.count == 1)
        return &found->items.items[0];
    const struct target_candidate *first = in_container ? only_child_of(found, 0) : NULL;
    while (first && is_mere_init(first->status.name))
        first = only_child_of(found, first->pid);
    return first;
}

static void describe(const char *container, const char *name, char *text, size_t size)
{
    snprintf(text, size, "%s%.60s%s%s%.80s", name ? "named " : "", name ? name : "",
             name && container ? " " : "",
             !container               ? ""
             : strchr(container, '/') ? "in cgroup "
                                      : "in container ",
             container ? container : "");
}

static int several(const struct candidates *found, const char *what, struct fault *fault)
{
    char list[512] = "";
    size_t at = 0;
    for (size_t i = 0; i < found->items.count && i < LISTED_MAX; i++) {
        const struct target_candidate *one = &found->items.items[i];
        int put = snprintf(list + at, sizeof(list) - at, "%s%u (%s)", i ? ", " : "", one->pid,
                           one->status.name);
        if (put < 0 || (size_t)put >= sizeof(list) - at)
            break;
        at += (size_t)put;
    }
    return fault_set(fault, -ENOTUNIQ, "%zu processes are %s: %s; choose one by its PID",
                     found->items.count, what, list);
}

int target_find(const char *container, const char *name, pid_t *pid, struct fault *fault)
{
    struct candidates found = {.items = {0}};
    char id[65], what[256];
    describe(container, name, what, sizeof(what));
    int err = search(&found, container, name);
    if (err == 0 && container && found.items.count == 0 && container_id(container, id))
        err = search(&found, id, name);
    const struct target_candidate *chosen =
        err == 0 && found.items.count ? choose(&found, container != NULL) : NULL;
    if (err < 0)
        fault_set(fault, err, "cannot list the processes: %s", strerror(-err));
    else if (chosen)
        *pid = (pid_t)chosen->pid;
    else if (found.items.count == 0)
        err = fault_set(fault, -ENOENT, "no process is %s; `ps -ef` lists all processes", what);
    else
        err = several(&found, what, fault);
    vec_free(&found.items);
    return err;
}
