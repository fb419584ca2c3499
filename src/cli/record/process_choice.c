/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/record/process_choice.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/shared/parse_pid.h"
#include "inject/choice/container_name.h"
#include "inject/choice/target_find.h"
#include "inject/choice/wait_exec.h"
#include "procfs/process/process_named.h"

#define CGROUP_DEPTH_MAX 32u

const struct option_rule process_choice_rules[] = {
    {"--name", "NAME", "all processes of this name, also those that start later",
     OPTION_TEXT(struct process_choice, name)},
    {"--container", "NAME",
     "all processes of this container, by name or id; with --name, those in it",
     OPTION_TEXT(struct process_choice, container)},
    {"--cgroup", "PATH", "all processes of this cgroup, a folder below /sys/fs/cgroup",
     OPTION_TEXT(struct process_choice, cgroup)},
    {"--wait-exec", "NAME", "wait until a program of this name starts",
     OPTION_TEXT(struct process_choice, wait_exec)},
    {.name = NULL}};

static bool is_meant(const struct process_choice *choice, uint32_t pid)
{
    return pid != (uint32_t)getpid() && (!choice->name || process_is_named(pid, choice->name)) &&
           (!choice->container || container_holds(choice->container, pid));
}

static void find_in_proc(const struct process_choice *choice, struct pid_list *list)
{
    DIR *folder = opendir("/proc");
    struct dirent *entry;
    pid_t pid;
    while (folder && (entry = readdir(folder)))
        if (parse_pid(entry->d_name, &pid) == 0 && is_meant(choice, (uint32_t)pid))
            (void)vec_push(&list->pids, (uint32_t)pid);
    if (folder)
        closedir(folder);
}

static void add_processes(const struct process_choice *choice, const char *folder,
                          struct pid_list *list)
{
    char line[32], path[CGROUP_FOLDER_MAX + 16];
    pid_t pid;
    snprintf(path, sizeof(path), "%s/cgroup.procs", folder);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof(line), file)) {
        line[strcspn(line, "\n")] = '\0';
        if (parse_pid(line, &pid) == 0 && is_meant(choice, (uint32_t)pid))
            (void)vec_push(&list->pids, (uint32_t)pid);
    }
    if (file)
        fclose(file);
}

/* What is below it is in it. */
static void find_in_cgroup(const struct process_choice *choice, const char *folder, unsigned depth,
                           struct pid_list *list)
{
    char below[CGROUP_FOLDER_MAX];
    DIR *entries = depth < CGROUP_DEPTH_MAX ? opendir(folder) : NULL;
    struct dirent *entry;
    add_processes(choice, folder, list);
    while (entries && (entry = readdir(entries)))
        if (entry->d_type == DT_DIR && entry->d_name[0] != '.' &&
            snprintf(below, sizeof(below), "%s/%s", folder, entry->d_name) < (int)sizeof(below))
            find_in_cgroup(choice, below, depth + 1, list);
    if (entries)
        closedir(entries);
}

static void find(void *self, struct pid_list *list)
{
    const struct process_choice *choice = self;
    if (choice->cgroup)
        find_in_cgroup(choice, choice->cgroup_folder, 0, list);
    else
        find_in_proc(choice, list);
}

int process_choice_cgroup(struct process_choice *choice, struct fault *fault)
{
    if (cgroup_folder_find(NULL, choice->cgroup, choice->cgroup_folder) == 0)
        return 0;
    return fault_set(fault, -ENOENT, "there is no cgroup %s: give a folder below /sys/fs/cgroup",
                     choice->cgroup);
}

static bool is_in(const struct pid_list *list, uint32_t pid)
{
    vec_each (one, &list->pids)
        if (*one == pid)
            return true;
    return false;
}

static void find_later(void *self, struct pid_list *list)
{
    struct process_choice *choice = self;
    struct process_choice const named = {.name = choice->wait_exec};
    struct pid_list now = {.pids = {NULL, 0, 0}};
    find_in_proc(&named, &now);
    vec_each (pid, &now.pids)
        if (list && list->pids.count == 0 && !is_in(&choice->known, *pid))
            (void)vec_push(&list->pids, *pid);
    vec_free(&choice->known.pids);
    choice->known = now;
}

void process_choice_await(struct process_choice *choice, const struct outside_selector **selector)
{
    find_later(choice, NULL);
    choice->selector = (struct outside_selector){choice, find_later};
    *selector = &choice->selector;
}

void process_choice_fini(struct process_choice *choice)
{
    vec_free(&choice->known.pids);
}

static volatile sig_atomic_t stop_asked;

static void on_stop(int number)
{
    (void)number;
    stop_asked = 1;
}

static int wait_for(const char *name, bool quiet, struct pid_list *list, struct fault *fault)
{
    struct sigaction action = {.sa_handler = on_stop};
    pid_t pid;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (!quiet)
        fprintf(stderr, "memoir: waiting until a program %s starts\n", name);
    int err = wait_exec(name, &stop_asked, &pid, fault);
    return err < 0 ? err : vec_push(&list->pids, (uint32_t)pid) ? 0 : -ENOMEM;
}

static int parse_pids(char *const *words, int count, struct pid_list *list, struct fault *fault)
{
    for (int i = 0; i < count; i++) {
        pid_t pid;
        if (parse_pid(words[i], &pid) < 0)
            return fault_set(fault, -EINVAL, "%s is not a PID; give a number, or --name %s",
                             words[i], words[i]);
        if (!vec_push(&list->pids, (uint32_t)pid))
            return -ENOMEM;
    }
    return 0;
}

int process_choice_find(struct process_choice *choice, char *const *words, int count, bool quiet,
                        struct pid_list *list, const struct outside_selector **selector,
                        struct fault *fault)
{
    bool const by_rule = choice->name || choice->container || choice->cgroup;
    int const ways = (count > 0) + (choice->wait_exec != NULL) + by_rule;
    *selector = NULL;
    if (ways != 1)
        return fault_set(fault, -EINVAL,
                         ways == 0
                             ? "no process: give a PID, --name, --container, --cgroup or "
                               "--wait-exec, or -- and a program to start"
                             : "give PIDs, or --wait-exec, or --name, --container and --cgroup");
    if (count > 0)
        return parse_pids(words, count, list, fault);
    if (choice->wait_exec)
        return wait_for(choice->wait_exec, quiet, list, fault);
    if (choice->cgroup && process_choice_cgroup(choice, fault) < 0)
        return -ENOENT;
    choice->selector = (struct outside_selector){choice, find};
    *selector = &choice->selector;
    return 0;
}
