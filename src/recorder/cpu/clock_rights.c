/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu/clock_rights.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "procfs/process/process_status.h"
#include "procfs/process/proc_text.h"

int clock_rights_level(void)
{
    char *text;
    if (proc_text_read("/proc/sys/kernel/perf_event_paranoid", 64, &text) < 0)
        return 2;
    /* NOLINTNEXTLINE(cert-err34-c): the kernel's number */
    int const level = atoi(text);
    free(text);
    return level;
}

void clock_rights_fix(int level, char *text, size_t size)
{
    char program[128] = "";
    ssize_t const length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    if (length <= 0 || length == sizeof(program) - 1)
        snprintf(program, sizeof(program), "memoir-record");
    snprintf(text, size,
             "sudo sysctl -w kernel.perf_event_paranoid=%d, or once: sudo setcap "
             "cap_perfmon,cap_ipc_lock,cap_syslog,cap_sys_ptrace+ep %s",
             level, program);
}

static int explain_others(struct fault *fault, int err, const char *what)
{
    if (err == -ENOSYS)
        return fault_set(fault, err,
                         "%s: this kernel has no perf events (or hides them in a sandbox); "
                         "run memoir outside of it.",
                         what);
    if (err == -EPERM)
        return fault_set(fault, err,
                         "%s: perf events are forbidden here, mostly by the seccomp filter of a "
                         "container; start "
                         "it with --cap-add=PERFMON, or run memoir outside of it.",
                         what);
    return fault_set(fault, err, "%s: %s.", what, strerror(-err));
}

static int explain_files(struct fault *fault, int err, uint32_t pid)
{
    struct process_status status = {.threads = 0};
    long const processors = sysconf(_SC_NPROCESSORS_CONF);
    (void)process_status_read(pid, 0, &status);
    return fault_set(
        fault, err,
        "Process %u has %u threads, on %ld CPUs: this needs more open files than the limit of this "
        "user (ulimit -n: %ld); raise the limit with ulimit -n %ld, or permit one event per CPU "
        "with sudo sysctl -w kernel.perf_event_paranoid=0.",
        pid, status.threads, processors, sysconf(_SC_OPEN_MAX),
        2 * ((long)status.threads + 8) * processors + 64);
}

int clock_rights_explain_process(struct fault *fault, int err, uint32_t pid)
{
    struct process_status status = {.user = 0};
    char what[80], fix[300];
    int const level = clock_rights_level();
    if (err == -ESRCH || err == -ENOENT)
        return fault_set(fault, -ESRCH, "there is no process %u; `ps -ef` lists all processes",
                         pid);
    if (err == -EMFILE || err == -ENFILE)
        return explain_files(fault, err, pid);
    snprintf(what, sizeof(what), "The CPU time of process %u cannot be recorded", pid);
    if (err != -EACCES && !(err == -EPERM && level > 2))
        return explain_others(fault, err, what);
    clock_rights_fix(level > 2 ? 2 : 1, fix, sizeof(fix));
    if (process_status_read(pid, 0, &status) == 0 && status.user != geteuid())
        return fault_set(
            fault, err,
            "%s: it belongs to another user; run memoir as root or as that user, or %s.", what,
            strstr(fix, "sudo setcap"));
    return fault_set(fault, err, "%s: kernel.perf_event_paranoid is %d; run memoir as root, or %s.",
                     what, level, fix);
}

int clock_rights_explain_wide(struct fault *fault, int err, const char *cgroup)
{
    char fix[300];
    const char *what = cgroup ? "The CPU time of a cgroup cannot be recorded"
                              : "The CPU time of the whole machine cannot be recorded";
    if (cgroup && (err == -ENOENT || err == -ENOTDIR))
        return fault_set(
            fault, err, "There is no cgroup %.200s: give its folder below /sys/fs/cgroup.", cgroup);
    if (cgroup && (err == -EBADF || err == -EINVAL))
        return fault_set(
            fault, err,
            "%.200s is no folder of a cgroup file system: give one below /sys/fs/cgroup.", cgroup);
    if (err != -EACCES)
        return explain_others(fault, err, what);
    clock_rights_fix(-1, fix, sizeof(fix));
    return fault_set(
        fault, err,
        "%s: that needs kernel.perf_event_paranoid at 0 or less (it is %d); run memoir as "
        "root, or %s.",
        what, clock_rights_level(), fix);
}

int clock_rights_explain_ring(struct fault *fault, int err)
{
    char fix[300];
    clock_rights_fix(clock_rights_level() > 2 ? 2 : -1, fix, sizeof(fix));
    if (err == -EACCES)
        return fault_set(fault, err,
                         "Perf events are not permitted at all (kernel.perf_event_paranoid is %d); "
                         "run memoir as root, or %s.",
                         clock_rights_level(), fix);
    if (err == -EPERM && clock_rights_level() <= 2)
        return fault_set(fault, err,
                         "There is no memory left that this user may lock for perf events "
                         "(kernel.perf_event_mlock_kb, ulimit -l); end other users of it, or %s.",
                         fix);
    return explain_others(fault, err, "CPU time cannot be recorded");
}
