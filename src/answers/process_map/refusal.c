/* SPDX-License-Identifier: Apache-2.0 */
#include "process_map/refusal.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "procfs/process/process_status.h"

int refusal_before(uint32_t pid, struct fault *fault)
{
    struct process_status status;
    if (access("/proc/self/status", R_OK) < 0)
        return fault_set(
            fault, -ENOSYS,
            "/proc is not mounted here, and memoir reads it; mount it: mount -t proc proc /proc");
    if (process_status_read(pid, 0, &status) < 0)
        return fault_set(fault, -ESRCH, "there is no process %u; `ps -ef` lists all processes",
                         pid);
    if (status.state == 'Z' || status.state == 'X')
        return fault_set(
            fault, -ENOEXEC,
            "process %u (%s) has ended and is a zombie without memory, until its parent %u reads "
            "its status",
            pid, status.name, status.parent);
    if (!status.has_memory)
        return fault_set(fault, -ENOEXEC,
                         "process %u (%s) is a kernel thread and has no memory of its own; "
                         "/proc/meminfo and slabtop show the memory of the kernel",
                         pid, status.name);
    return 0;
}

static void name_user(uint32_t user, char *name, size_t size)
{
    const struct passwd *entry = getpwuid(user);
    if (entry)
        snprintf(name, size, "%s", entry->pw_name);
    else
        snprintf(name, size, "number %u", user);
}

static int forbidden(uint32_t pid, const char *name, struct fault *fault)
{
    struct process_status status = {.user = 0};
    struct stat owner = {.st_uid = 0};
    char path[64], theirs[64], ours[64];
    process_status_read(pid, 0, &status);
    snprintf(path, sizeof(path), "/proc/%u/smaps", pid);
    stat(path, &owner);
    name_user(status.user, theirs, sizeof(theirs));
    name_user(getuid(), ours, sizeof(ours));
    if (geteuid() == 0)
        return fault_set(
            fault, -EPERM,
            "the kernel does not let root read the memory of process %u (%s): memoir lacks "
            "CAP_SYS_PTRACE, as in a container (start it with --cap-add SYS_PTRACE), or a security "
            "module forbids it",
            pid, name);
    if (status.user != getuid())
        return fault_set(
            fault, -EPERM,
            "process %u (%s) belongs to user %s and memoir runs as %s; run memoir as that user or "
            "as root, with sudo",
            pid, name, theirs, ours);
    return fault_set(
        fault, -EPERM,
        "process %u (%s) does not let other processes read its memory (%s); run memoir as root, "
        "with sudo",
        pid, name,
        owner.st_uid != status.user ? "it is setuid, or made itself undumpable"
                                    : "a capability or a security module is in the way");
}

int refusal_after(uint32_t pid, const char *name, int err, struct fault *fault)
{
    if (err == -EACCES || err == -EPERM)
        return forbidden(pid, name, fault);
    if (err == 0 || err == -ENOENT || err == -ESRCH)
        return fault_set(fault, -ESRCH, "process %u (%s) ended while memoir read its memory", pid,
                         name);
    return fault_set(fault, err, "cannot read the mappings of process %u (%s): %s", pid, name,
                     strerror(-err));
}
