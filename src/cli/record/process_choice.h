/* process_choice.h - the options that choose processes, for commands that take several: PIDs, a
 * name, a container, a cgroup, the next process that is started. */
#pragma once

#include "capture/outside/outside_recorder.h"
#include "cli/shared/options.h"
#include "procfs/cgroup/cgroup_folder.h"

struct process_choice {
    const char *name, *container, *cgroup, *wait_exec;
    char cgroup_folder[CGROUP_FOLDER_MAX];
    struct outside_selector selector;
    struct pid_list known; /* processes that have the name already */
};

/* Options that fill a struct process_choice. */
extern const struct option_rule process_choice_rules[];

/* Finds the mounted folder of --cgroup, and writes its path to choice->cgroup_folder.  Returns 0 or
 * -ENOENT with a sentence. */
int process_choice_cgroup(struct process_choice *choice, struct fault *fault);

/* For --wait-exec, if a station reports new processes by program name: *selector then finds
 * processes that have the name in another way, such as in their first argument, a little later. */
void process_choice_await(struct process_choice *choice, const struct outside_selector **selector);
void process_choice_fini(struct process_choice *choice);

/* Adds the chosen processes that run now to `list`.  With --wait-exec, waits for the process.
 * *selector is NULL unless further processes may come later.  `words` are PIDs.  Returns 0; -EINVAL
 * for wrong usage; or another -errno. */
int process_choice_find(struct process_choice *choice, char *const *words, int count, bool quiet,
                        struct pid_list *list, const struct outside_selector **selector,
                        struct fault *fault);
