/* process_choice.h - which processes are meant, for commands that take several: numbers, a name,
 * a container, a cgroup, the next one that is started. */
#pragma once

#include "capture/outside/outside_recorder.h"
#include "cli/shared/options.h"
#include "procfs/cgroup/cgroup_folder.h"

struct process_choice {
    const char *name, *container, *cgroup, *wait_exec;
    char cgroup_folder[CGROUP_FOLDER_MAX];
    struct outside_selector selector;
    struct pid_list known; /* that go by the name already */
};

/* Into a struct process_choice. */
extern const struct option_rule process_choice_rules[];

/* Where the folder of --cgroup is mounted, in choice->cgroup_folder.  0 or -ENOENT. */
int process_choice_cgroup(struct process_choice *choice, struct fault *fault);

/* Where somebody else tells of whoever is started as --wait-exec says: finds those that go by
 * that name otherwise, as by their first argument, a little late. */
void process_choice_await(struct process_choice *choice, const struct outside_selector **selector);
void process_choice_fini(struct process_choice *choice);

/* Adds those that are meant now to `list`; *selector is NULL unless others may come later.  With
 * --wait-exec waits for it. `words` are numbers.  0; -EINVAL for wrong usage; or -errno. */
int process_choice_find(struct process_choice *choice, char *const *words, int count, bool quiet,
                        struct pid_list *list, const struct outside_selector **selector,
                        struct fault *fault);
