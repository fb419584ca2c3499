/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/checkup.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/human.h"
#include "doctor/package_names.h"
#include "machine/executables.h"

#define GLIBC_LEAST_MINOR 35
/* The default cap of a recording, and the copy beside it when it is coarsened. */
#define FOLDER_WANTED_BYTES (UINT64_C(256) * 1024 * 1024 / 10 * 17)

const char *const check_state_names[CHECK_STATES] = {
    [CHECK_OK] = "ok",
    [CHECK_LIMITED] = "limited",
    [CHECK_MISSING] = "missing",
    [CHECK_NOTE] = "note",
};

struct check *checkup_add(struct checkup *checkup, const char *group, const char *name,
                          enum check_state state, const char *found, ...)
{
    va_list arguments;
    if (checkup->count == CHECKS_MAX)
        return &checkup->checks[CHECKS_MAX - 1];
    struct check *check = &checkup->checks[checkup->count++];
    *check = (struct check){.group = group, .state = state};
    snprintf(check->name, sizeof(check->name), "%s", name);
    va_start(arguments, found);
    vsnprintf(check->found, sizeof(check->found), found, arguments);
    va_end(arguments);
    return check;
}

const struct check *checkup_find(const struct checkup *checkup, const char *group, const char *name)
{
    for (size_t i = 0; i < checkup->count; i++)
        if (strcmp(checkup->checks[i].group, group) == 0 &&
            strcmp(checkup->checks[i].name, name) == 0)
            return &checkup->checks[i];
    return NULL;
}

void check_set_command(struct check *check, const char *command)
{
    snprintf(check->command, sizeof(check->command), "%s", command);
}

/* What a feature is for, and what to say when the try of it failed. */
static const struct {
    enum feature feature;
    const char *name, *gives, *without;
    enum check_state otherwise;
} tries[] = {
    {FEATURE_MEMFD, "memfd_create", "memory shared with the program",
     "nothing can be recorded without it", CHECK_MISSING},
    {FEATURE_WIPE_ON_FORK, "MADV_WIPEONFORK", "forked children are detected",
     "Linux has this since 4.14", CHECK_MISSING},
    {FEATURE_PTRACE, "ptrace", "attaching to a running process",
     "attach does not work; a seccomp filter of the container may forbid it", CHECK_LIMITED},
    {FEATURE_MEMFD_EXEC, "code in a memfd", "attaching across mount namespaces",
     "attach does not work", CHECK_LIMITED},
    {FEATURE_ANON_NAMES, "PR_SET_VMA_ANON_NAME", "names of heaps and arenas in a memory map",
     "Linux has this since 5.17, with CONFIG_ANON_VMA_NAME", CHECK_LIMITED},
    {FEATURE_PAGEMAP_SCAN, "PAGEMAP_SCAN",
     "resident pages are counted without stalling the program",
     "Linux has this since 6.7; without it, counting pages takes longer", CHECK_LIMITED},
    {FEATURE_PERF_USER, "perf events", "CPU samples of your programs", "no CPU profiles",
     CHECK_LIMITED},
    {FEATURE_PERF_KERNEL, "perf events, kernel", "CPU samples with the kernel's part",
     "CPU profiles end where the kernel begins", CHECK_LIMITED},
    {FEATURE_BPF_TRACEPOINT, "BPF tracepoints", "page faults by call stack",
     "page profiles need CAP_BPF and CAP_PERFMON, or root", CHECK_LIMITED},
};

static const char *command_for(enum feature feature, const struct machine_facts *facts)
{
    switch (feature) {
    case FEATURE_MEMFD_EXEC:
        return facts->memfd_noexec > 1 ? "sudo sysctl vm.memfd_noexec=1" : "";
    case FEATURE_PERF_USER:
        return facts->perf_paranoid > 2 ? "sudo sysctl kernel.perf_event_paranoid=2" : "";
    case FEATURE_PERF_KERNEL:
        return facts->perf_paranoid > 1 ? "sudo sysctl kernel.perf_event_paranoid=1" : "";
    default:
        return "";
    }
}

static void judge_tries(struct checkup *checkup, const struct machine_facts *facts)
{
    for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
        int const err = facts->tried[tries[i].feature];
        if (err == 0) {
            checkup_add(checkup, "kernel", tries[i].name, CHECK_OK, "%s", tries[i].gives);
            continue;
        }
        struct check *check =
            checkup_add(checkup, "kernel", tries[i].name, tries[i].otherwise,
                        "tried, and got %s: %s", strerror(-err), tries[i].without);
        check_set_command(check, command_for(tries[i].feature, facts));
    }
}

static void judge_yama(struct checkup *checkup, const struct machine_facts *facts)
{
    static const char name[] = "yama ptrace_scope";
    static const char command[] = "sudo sysctl kernel.yama.ptrace_scope=0";
    bool const may = permissions_have(&facts->permissions, capabilities[0].bit);
    int const scope = facts->yama_scope;
    if (scope == SETTING_ABSENT)
        checkup_add(checkup, "kernel", name, CHECK_OK,
                    "this kernel has no Yama, which would "
                    "restrict attach");
    else if (scope == 0)
        checkup_add(checkup, "kernel", name, CHECK_OK, "0: you may attach to your own processes");
    else if (scope < 3 && may)
        checkup_add(checkup, "kernel", name, CHECK_OK,
                    "%d: restricts others, not you with CAP_SYS_PTRACE", scope);
    else if (scope < 3)
        check_set_command(checkup_add(checkup, "kernel", name, CHECK_LIMITED,
                                      scope == 1
                                          ? "1: you may attach only to your own child processes; "
                                            "root may attach to all"
                                          : "2: only root may attach"),
                          command);
    else
        checkup_add(checkup, "kernel", name, CHECK_LIMITED,
                    "3: no user may attach, until the machine boots with another value");
}

static void judge_paranoid(struct checkup *checkup, const struct machine_facts *facts)
{
    static const char *const levels[] = {
        "everything, also raw tracepoint data", "kernel and whole machine",
        "your programs with the kernel's part", "your programs without the kernel's part"};
    int const level = facts->perf_paranoid;
    if (level == SETTING_ABSENT)
        checkup_add(checkup, "kernel", "perf_event_paranoid", CHECK_LIMITED,
                    "the kernel was built without perf events, or they are hidden here");
    else
        checkup_add(checkup, "kernel", "perf_event_paranoid", CHECK_NOTE,
                    "%d: without privileges, %s", level,
                    level > 2 ? "as for 2, or nothing at all on Debian's and Ubuntu's kernels"
                              : levels[level < -1 ? 0 : level + 1]);
}

static void judge_kernel(struct checkup *checkup, const struct machine_facts *facts)
{
    bool const known = strcmp(facts->architecture, MACHINE_NAME) == 0;
    checkup_add(checkup, "kernel", "processor", known ? CHECK_OK : CHECK_MISSING, "%s%s",
                facts->architecture, known ? "" : ": memoir traces " MACHINE_NAME " programs only");
    judge_tries(checkup, facts);
    judge_yama(checkup, facts);
    judge_paranoid(checkup, facts);
    checkup_add(checkup, "kernel", "BTF", facts->has_btf ? CHECK_OK : CHECK_LIMITED, "%s",
                facts->has_btf
                    ? "the kernel describes its own types, so BPF programs fit it"
                    : "no /sys/kernel/btf/vmlinux: BPF programs cannot be fitted to this "
                      "kernel; it needs CONFIG_DEBUG_INFO_BTF");
    struct check *check = checkup_add(
        checkup, "kernel", "tracefs", facts->has_tracefs ? CHECK_OK : CHECK_LIMITED, "%s",
        facts->has_tracefs
            ? "tracepoints can be found by name"
            : "not mounted, or you may not read it: page profiles need the tracepoints in it");
    if (!facts->has_tracefs)
        check_set_command(check, "sudo mount -t tracefs tracefs /sys/kernel/tracing");
    checkup_add(checkup, "kernel", "cgroup v2", facts->has_cgroup2 ? CHECK_OK : CHECK_NOTE, "%s",
                facts->has_cgroup2 ? "memoir can distinguish kills by the OOM killer from others"
                                   : "not mounted: a kill by the OOM killer shows as SIGKILL");
}

static void judge_sandbox(struct checkup *checkup, const struct machine_facts *facts)
{
    char missing[256];
    bool const kept = facts->sandbox.missing[SANDBOX_OWN_USER] == SANDBOX_USER_KEPT;
    sandbox_missing(&facts->sandbox, missing, sizeof(missing));
    if (facts->sandbox_err)
        checkup_add(checkup, "permissions", "sandbox", CHECK_LIMITED, "tried, and got %s",
                    strerror(-facts->sandbox_err));
    else if (missing[0])
        checkup_add(checkup, "permissions", "sandbox", CHECK_LIMITED,
                    "what reads foreign files is confined without: %s", missing);
    else
        checkup_add(checkup, "permissions", "sandbox", CHECK_OK,
                    "what reads foreign files is confined by seccomp and Landlock%s",
                    kept ? "; as root it has a user of its own besides" : ", as a user of its own");
}

/* As confinement_is_due (src/recorder/capture/sessions/confinement.h). */
static void judge_recorder(struct checkup *checkup, const struct machine_facts *facts)
{
    bool const is_root = facts->permissions.uid == 0;
    bool const has_rules = facts->sandbox.missing[SANDBOX_FILE_RULES] == 0;
    if (!is_root && facts->yama_scope > 0)
        checkup_add(checkup, "permissions", "recorder", CHECK_NOTE,
                    "memoir run and attach keep your rights while they record, for Yama shows the "
                    "memory of a program to its parent alone");
    else
        checkup_add(checkup, "permissions", "recorder", CHECK_OK,
                    "memoir run and attach give up %s before they read what the program wrote",
                    is_root     ? "all rights"
                    : has_rules ? "your files, and all system calls but a list"
                                : "all system calls but a list");
}

static void judge_permissions(struct checkup *checkup, const struct machine_facts *facts)
{
    const struct permissions *permissions = &facts->permissions;
    bool const is_root = permissions->uid == 0;
    checkup_add(checkup, "permissions", "user", CHECK_NOTE, "%s (uid %u)",
                is_root ? "root" : "not root", permissions->uid);
    for (const struct capability *cap = capabilities; cap->name; cap++) {
        if (permissions_have(permissions, cap->bit)) {
            checkup_add(checkup, "permissions", cap->name, CHECK_OK, "%s", cap->gives);
            continue;
        }
        bool const could = permissions_could(permissions, cap->bit);
        struct check *check = checkup_add(
            checkup, "permissions", cap->name, CHECK_LIMITED, "%s: %s",
            could ? "not held" : "taken away from this container or service", cap->gives);
        if (could && !is_root && !permissions->no_new_privileges)
            check_set_command(check, "run memoir with sudo");
        else if (!could)
            snprintf(check->command, sizeof(check->command),
                     "start the container with --cap-add %s", cap->name + strlen("CAP_"));
    }
    checkup_add(checkup, "permissions", "seccomp", CHECK_NOTE, "%s",
                permissions->seccomp == 0 ? "no filter on system calls"
                                          : "system calls are filtered; the checks of the kernel "
                                            "above ran under that filter");
}

static void judge_symbols(struct checkup *checkup, const struct machine_facts *facts)
{
    const struct package_names *packages = package_names_of(facts->system_id);
    struct check *check = checkup_add(
        checkup, "symbols", "libc", facts->has_libc_debug ? CHECK_OK : CHECK_LIMITED, "%s",
        facts->has_libc_debug ? "its debug file is there: every function and line inside it"
                              : "no debug file: frames inside libc have few names and no lines");
    if (!facts->has_libc_debug)
        check_set_command(check, packages->libc_debug);
    if (facts->has_debuginfod && facts->debuginfod_urls[0]) {
        checkup_add(checkup, "symbols", "debuginfod", CHECK_OK, "missing debug files come from %s",
                    facts->debuginfod_urls);
        return;
    }
    check = checkup_add(checkup, "symbols", "debuginfod", CHECK_NOTE, "%s",
                        facts->has_debuginfod
                            ? "DEBUGINFOD_URLS is not set: debug files are not fetched"
                            : "libdebuginfod.so.1 is not installed: debug files are not fetched");
    check_set_command(check,
                      facts->has_debuginfod ? packages->debuginfod_export : packages->debuginfod);
}

static void judge_libc(struct checkup *checkup, const struct machine_facts *facts)
{
    char *dot;
    unsigned long const major = strtoul(facts->glibc, &dot, 10);
    unsigned long const minor = *dot == '.' ? strtoul(dot + 1, NULL, 10) : 0;
    bool const is_new = major > 2 || (major == 2 && minor >= GLIBC_LEAST_MINOR);
    if (!facts->glibc[0])
        checkup_add(checkup, "libc", "glibc", CHECK_MISSING,
                    "another libc: memoir traces programs that use glibc");
    else
        checkup_add(checkup, "libc", "glibc", is_new ? CHECK_OK : CHECK_MISSING, "%s%s",
                    facts->glibc, is_new ? "" : ": memoir needs 2.35 or later");
    if (facts->musl_loader[0])
        checkup_add(checkup, "libc", "musl", CHECK_NOTE,
                    "%s is there, too: programs that use it cannot be traced", facts->musl_loader);
}

static void judge_disk(struct checkup *checkup, const struct machine_facts *facts)
{
    char space[HUMAN_MAX], wanted[HUMAN_MAX];
    struct check *check;
    human_bytes((int64_t)facts->folder_free_bytes, space);
    if (facts->folder_err)
        check = checkup_add(checkup, "disk", "recordings", CHECK_MISSING,
                            "%.160s cannot be written: %s", facts->folder,
                            strerror(-facts->folder_err));
    else if (facts->folder_free_bytes < FOLDER_WANTED_BYTES)
        check =
            checkup_add(checkup, "disk", "recordings", CHECK_LIMITED,
                        "%.140s has %s free; a recording at its cap of 256 MiB takes up to %s",
                        facts->folder, space, human_bytes((int64_t)FOLDER_WANTED_BYTES, wanted));
    else
        check = checkup_add(checkup, "disk", "recordings", CHECK_OK, "%.200s has %s free",
                            facts->folder, space);
    if (facts->folder_err)
        check_set_command(check, "memoir run -o /another/place/program.memoir -- PROGRAM");
    else if (check->state == CHECK_LIMITED)
        check_set_command(check, "memoir run --max-size 64M -- PROGRAM");
}

/* Root needs no sudo, and a container often has none. */
static void drop_sudo(struct checkup *checkup)
{
    static const char sudo[] = "sudo ";
    for (size_t i = 0; i < checkup->count; i++) {
        char *command = checkup->checks[i].command;
        if (strncmp(command, sudo, strlen(sudo)) == 0)
            memmove(command, command + strlen(sudo), strlen(command) + 1 - strlen(sudo));
    }
}

void checkup_judge(struct checkup *checkup, const struct machine_facts *facts)
{
    judge_kernel(checkup, facts);
    judge_permissions(checkup, facts);
    judge_sandbox(checkup, facts);
    judge_recorder(checkup, facts);
    judge_symbols(checkup, facts);
    judge_libc(checkup, facts);
    judge_disk(checkup, facts);
    pages_checkup_judge(checkup, &facts->pages);
    if (facts->permissions.uid == 0)
        drop_sudo(checkup);
}
