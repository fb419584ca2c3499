/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/choice/permission.h"

#include <errno.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "procfs/process/proc_open.h"
#include "procfs/process/proc_text.h"
#include "procfs/process/process_status.h"

#define TEXT_MAX 65536u

static void name_user(uint32_t user, char *name, size_t size)
{
    const struct passwd *entry = getpwuid(user);
    if (entry)
        snprintf(name, size, "%s", entry->pw_name);
    else
        snprintf(name, size, "%u", user);
}

void permission_facts_read(struct permission_facts *facts, pid_t pid)
{
    char *text;
    struct stat file;
    struct process_status status;
    *facts = (struct permission_facts){.pid = pid, .command = "attach", .yama_scope = -1};
    if (proc_text_read("/proc/self/status", TEXT_MAX, &text) == 0) {
        facts->ours = permissions_parse(slice_of(text));
        free(text);
    }
    if (proc_text_read("/proc/sys/kernel/yama/ptrace_scope", TEXT_MAX, &text) == 0) {
        facts->yama_scope = (int)strtol(text, NULL, 10);
        free(text);
    }
    if (process_status_read((uint32_t)pid, 0, &status) == 0)
        facts->their_user = status.user;
    facts->proc_owner =
        proc_stat((uint32_t)pid, 0, PROC_MEM, &file) == 0 ? file.st_uid : facts->their_user;
    name_user(facts->their_user, facts->their_name, sizeof(facts->their_name));
    name_user(facts->ours.uid, facts->our_name, sizeof(facts->our_name));
}

/* Root, and still not let in. */
static int explain_root(const struct permission_facts *facts, struct fault *fault)
{
    if (!permissions_have(&facts->ours, CAP_SYS_PTRACE))
        return fault_set(fault, -EPERM,
                         "memoir runs as root but without the capability CAP_SYS_PTRACE, as in a "
                         "container, and may not trace process %d; start the container with "
                         "--cap-add SYS_PTRACE",
                         (int)facts->pid);
    return fault_set(fault, -EPERM,
                     "the kernel does not let root trace process %d: a security module (AppArmor, "
                     "SELinux) or a user namespace forbids it; dmesg may say which",
                     (int)facts->pid);
}

int permission_explain(const struct permission_facts *facts, struct fault *fault)
{
    int const pid = (int)facts->pid;
    if (facts->yama_scope == 3)
        return fault_set(fault, -EPERM,
                         "no user may attach to a process until the next boot "
                         "(kernel.yama.ptrace_scope is 3); start the program with memoir run "
                         "instead");
    if (facts->ours.uid == 0)
        return explain_root(facts, fault);
    if (facts->their_user != facts->ours.uid)
        return fault_set(
            fault, -EPERM,
            "process %d belongs to user %s and memoir runs as %s; run memoir as that user, or as "
            "root: sudo memoir %s %d",
            pid, facts->their_name, facts->our_name, facts->command, pid);
    if (facts->proc_owner != facts->their_user)
        return fault_set(fault, -EPERM,
                         "process %d protects itself from tracing (it is setuid, or made itself "
                         "undumpable); run memoir as root: sudo memoir %s %d",
                         pid, facts->command, pid);
    if (facts->yama_scope == 1 || facts->yama_scope == 2)
        return fault_set(
            fault, -EPERM,
            "the kernel lets %s attach (kernel.yama.ptrace_scope is %d); run memoir as root: sudo "
            "memoir %s %d, or allow it until the next boot: sudo sysctl kernel.yama.ptrace_scope=0",
            facts->yama_scope == 1 ? "only the parent of a process" : "only root",
            facts->yama_scope, facts->command, pid);
    return fault_set(
        fault, -EPERM,
        "the kernel does not let memoir trace process %d; run memoir as root: sudo memoir %s %d",
        pid, facts->command, pid);
}
