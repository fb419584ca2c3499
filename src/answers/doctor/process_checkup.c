/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/process_checkup.h"

#include <stdio.h>

static const char group[] = "process";

static const char *state_name(char state)
{
    switch (state) {
    case 'R':
    case 'S':
    case 'I':
        return "running";
    case 'D':
        return "waiting in the kernel";
    case 'T':
        return "stopped";
    case 't':
        return "stopped by its tracer";
    case 'Z':
    case 'X':
        return "ended: a zombie until its parent reads its status";
    default:
        return "unknown";
    }
}

static void judge_state(struct checkup *checkup, const struct process_examined *process)
{
    bool const fine = process->state == 'R' || process->state == 'S' || process->state == 'D' ||
                      process->state == 'I';
    checkup_add(checkup, group, "state", fine ? CHECK_OK : CHECK_LIMITED, "%s",
                state_name(process->state));
    if (process->tracer)
        checkup_add(checkup, group, "traced", CHECK_MISSING,
                    "by process %u; a process has one tracer at a time", process->tracer);
    else
        checkup_add(checkup, group, "traced", CHECK_OK, "no");
}

static void judge_program(struct checkup *checkup, const struct process_examined *process)
{
    checkup_add(checkup, group, "program", CHECK_NOTE, "%.200s",
                process->path[0] ? process->path : "you may not read its program file");
    if (process->bits == 0)
        return;
    if (process->bits != 64)
        checkup_add(checkup, group, "width", CHECK_MISSING,
                    "%u bits: memoir records programs of 64", process->bits);
    else
        checkup_add(checkup, group, "width", CHECK_OK, "64 bits");
    if (process->bits == 64)
        checkup_add(checkup, group, "linking", process->is_static ? CHECK_MISSING : CHECK_OK,
                    "%s%s",
                    process->is_static ? "static: there is no loader that could load memoir's "
                                         "library"
                                       : "dynamic, by ",
                    process->is_static ? "" : process->loader);
    if (process->libc[0])
        checkup_add(checkup, group, "libc",
                    strncmp(process->libc, "glibc", 5) == 0 ? CHECK_OK : CHECK_MISSING, "%s",
                    process->libc);
}

static void judge_surroundings(struct checkup *checkup, const struct process_examined *process)
{
    checkup_add(checkup, group, "user", process->user == process->our_user ? CHECK_OK : CHECK_NOTE,
                "uid %u, you are uid %u", process->user, process->our_user);
    if (!process->knows_namespaces)
        checkup_add(checkup, group, "namespaces", CHECK_NOTE, "you may not see them");
    else if (process->other_mounts || process->other_pids || process->other_users)
        checkup_add(checkup, group, "namespaces", CHECK_NOTE, "its own:%s%s%s; its PID there is %u",
                    process->other_mounts ? " files" : "", process->other_pids ? " processes" : "",
                    process->other_users ? " users" : "", process->inner_pid);
    else
        checkup_add(checkup, group, "namespaces", CHECK_OK, "the same as those of memoir");
    checkup_add(checkup, group, "seccomp", process->seccomp ? CHECK_NOTE : CHECK_OK, "%s",
                process->seccomp == 0   ? "no filter on its system calls"
                : process->seccomp == 1 ? "strict: it may only read, write and end"
                                        : "its system calls are filtered");
    checkup_add(checkup, group, "runtimes", CHECK_NOTE, "%s",
                process->runtimes[0] ? process->runtimes
                : process->path[0]   ? "none with its own heap"
                                     : "you may not see them");
    if (process->recording[0])
        checkup_add(checkup, group, "recorded", CHECK_NOTE, "to %s", process->recording);
    else
        checkup_add(checkup, group, "recorded", CHECK_NOTE, "no");
}

/* Nothing goes into the process, so that little stands in the way. */
static void judge_pages(struct checkup *checkup, const struct process_examined *process)
{
    struct check *check;
    if (process->state == 'Z' || process->state == 'X') {
        checkup_add(checkup, "works", "pages", CHECK_MISSING,
                    "the process has ended and has no "
                    "pages");
    } else if (process->user != process->our_user && process->our_user != 0) {
        check =
            checkup_add(checkup, "works", "pages", CHECK_LIMITED,
                        "the process belongs to another user (uid %u): only that user and root may "
                        "see its pages",
                        process->user);
        snprintf(check->command, sizeof(check->command), "sudo memoir pages %u", process->pid);
    } else {
        pages_checkup_works(checkup, &process->pages, process->pid);
    }
}

void process_checkup_judge(struct checkup *checkup, const struct process_examined *process)
{
    struct check *check =
        checkup_add(checkup, "works", "attach", process->obstacle[0] ? CHECK_MISSING : CHECK_OK,
                    "%s", process->obstacle[0] ? process->obstacle : "yes");
    if (!process->obstacle[0])
        snprintf(check->command, sizeof(check->command), "memoir attach %u", process->pid);
    judge_pages(checkup, process);
    judge_program(checkup, process);
    judge_state(checkup, process);
    judge_surroundings(checkup, process);
}
