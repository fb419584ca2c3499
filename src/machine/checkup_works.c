/* SPDX-License-Identifier: Apache-2.0 */
/* checkup_works.c - what memoir can do here, command by command. */
#include <linux/capability.h>
#include <stdio.h>

#include "machine/checkup.h"

/* What this version has; the machine is judged for the rest all the same. */
static const bool has_attach = true, has_sampling = true, has_cpu = false;

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

/* A way of working that may not be in this version: then the machine's part alone is told. */
static struct check *add_way(struct checkup *checkup, bool is_there, const char *name,
                             enum check_state state, const char *found)
{
    if (is_there)
        return checkup_add(checkup, "works", name, state, "%s", found);
    return checkup_add(checkup, "works", name, CHECK_NOTE,
                       "not in this version of memoir yet; the machine allows it %s", found);
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
        check = add_way(checkup, has_attach, "attach", CHECK_MISSING, "to no process, see kernel");
    else if (any)
        check = add_way(checkup, has_attach, "attach", CHECK_OK, "to any process");
    else if (yama_allows(facts))
        check = add_way(checkup, has_attach, "attach", CHECK_OK,
                        "to your own processes; to those of others with sudo");
    else
        check = add_way(checkup, has_attach, "attach", CHECK_LIMITED, "with sudo only, see kernel");
    if (has_attach && !any && !tried && !never)
        check_set_command(check, "sudo memoir attach PID");
}

static void judge_sampling(struct checkup *checkup, const struct trial *trial)
{
    if (!has_sampling)
        checkup_add(checkup, "works", "sampling", CHECK_NOTE,
                    "not in this version of memoir yet; it needs nothing that run does not");
    else
        checkup_add(checkup, "works", "sampling", trial->worked ? CHECK_OK : CHECK_MISSING, "%s",
                    trial->worked ? "as run does" : "as little as run does");
}

static void judge_cpu(struct checkup *checkup, const struct machine_facts *facts)
{
    if (facts->tried[FEATURE_PERF_KERNEL] == 0)
        add_way(checkup, has_cpu, "cpu", CHECK_OK, "with the kernel's part");
    else if (facts->tried[FEATURE_PERF_USER] == 0)
        add_way(checkup, has_cpu, "cpu", CHECK_LIMITED, "without the kernel's part");
    else
        add_way(checkup, has_cpu, "cpu", CHECK_MISSING, "as root only");
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
