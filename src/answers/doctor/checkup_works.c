/* SPDX-License-Identifier: Apache-2.0 */
/* checkup_works.c - what memoir can do here, command by command. */
#include <linux/capability.h>
#include <stdio.h>

#include "doctor/checkup.h"

static void judge_run(struct checkup *checkup, const struct trial *trial)
{
    if (trial->worked)
        checkup_add(checkup, "works", "run", CHECK_OK,
                    "tried: %llu allocation%s of a test program recorded and read back",
                    (unsigned long long)trial->calls, trial->calls == 1 ? "" : "s");
    else
        checkup_add(checkup, "works", "run", CHECK_MISSING, "tried, and failed: %.200s",
                    trial->failure);
}

static struct check *add(struct checkup *checkup, const char *name, enum check_state state,
                         const char *found)
{
    return checkup_add(checkup, "works", name, state, "%s", found);
}

static bool yama_allows(const struct machine_facts *facts)
{
    return facts->yama_scope == SETTING_ABSENT || facts->yama_scope == 0;
}

static void judge_attach(struct checkup *checkup, const struct machine_facts *facts)
{
    bool const any = permissions_have(&facts->permissions, CAP_SYS_PTRACE);
    int const tried = facts->tried[FEATURE_PTRACE] ? facts->tried[FEATURE_PTRACE]
                                                   : facts->tried[FEATURE_MEMFD_EXEC];
    bool const never = facts->yama_scope != SETTING_ABSENT && facts->yama_scope >= 3;
    struct check *check;
    if (tried || never)
        check = add(checkup, "attach", CHECK_MISSING, "to no process, see kernel");
    else if (any)
        check = add(checkup, "attach", CHECK_OK, "to any process");
    else if (yama_allows(facts))
        check =
            add(checkup, "attach", CHECK_OK, "to your own processes; to those of others with sudo");
    else
        check = add(checkup, "attach", CHECK_LIMITED, "with sudo only, see kernel");
    if (!any && !tried && !never)
        check_set_command(check, "sudo memoir attach PID");
}

static void judge_sampling(struct checkup *checkup, const struct trial *trial)
{
    add(checkup, "sampling", trial->worked ? CHECK_OK : CHECK_MISSING,
        trial->worked ? "as run does" : "as little as run does");
}

/* As memoir cpu chooses: the agent if one answers, else perf events. */
static void judge_cpu(struct checkup *checkup, const struct machine_facts *facts)
{
    struct check *check;
    bool const is_root = facts->permissions.uid == 0;
    if (facts->pages.agent_err == 0 && facts->pages.socket[0]) {
        add(checkup, "cpu", CHECK_OK, "through the agent: time and waits, with the kernel's part");
    } else if (facts->tried[FEATURE_PERF_KERNEL] == 0) {
        add(checkup, "cpu", CHECK_OK, "by perf events: time and waits, with the kernel's part");
    } else if (facts->tried[FEATURE_PERF_USER] == 0) {
        check = add(checkup, "cpu", CHECK_LIMITED,
                    "by perf events: time without the kernel's part, waits without stacks");
        if (facts->perf_paranoid != SETTING_ABSENT && facts->perf_paranoid > 1)
            check_set_command(check, is_root ? "sysctl kernel.perf_event_paranoid=1"
                                             : "sudo sysctl kernel.perf_event_paranoid=1");
    } else {
        check = add(checkup, "cpu", CHECK_MISSING, "perf events are refused, and no agent runs");
        check_set_command(check, is_root ? "memoir agent" : "sudo memoir cpu -- PROGRAM");
    }
}

void checkup_judge_works(struct checkup *checkup, const struct machine_facts *facts,
                         const struct trial *trial)
{
    judge_run(checkup, trial);
    judge_attach(checkup, facts);
    judge_sampling(checkup, trial);
    pages_checkup_works(checkup, &facts->pages, 0);
    judge_cpu(checkup, facts);
}
