/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/watch_permission.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STATUS_MAX 8192

/* A small file of /proc as text.  0 or -errno. */
static int read_text(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    ssize_t got = read(fd, text, size - 1);
    int err = got < 0 ? -errno : 0;
    text[got > 0 ? got : 0] = '\0';
    close(fd);
    return err;
}

/* What follows "\nNAME:" or NULL. */
static const char *field(const char *text, const char *name)
{
    size_t const length = strlen(name);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): read_text ended it */
        line += *line == '\n';
        if (strncmp(line, name, length) == 0 && line[length] == ':')
            return line + length + 1;
    }
    return NULL;
}

uint32_t pidfd_number(const char *proc, int pidfd)
{
    char path[4096], text[STATUS_MAX];
    snprintf(path, sizeof(path), "%s/self/fdinfo/%d", proc, pidfd);
    const char *pid = read_text(path, text, sizeof(text)) == 0 ? field(text, "Pid") : NULL;
    long number = pid ? strtol(pid, NULL, 10) : 0;
    return number > 0 ? (uint32_t)number : 0;
}

/* Real, effective and saved are all `id`: the first three numbers. */
static bool are_all(const char *numbers, uint32_t id)
{
    char *end = (char *)numbers;
    for (int i = 0; numbers && i < 3; i++) {
        const char *begin = end;
        unsigned long number = strtoul(begin, &end, 10);
        if (end == begin || number != id)
            return false;
    }
    return numbers != NULL;
}

bool may_know_kernel(const char *proc, uid_t user)
{
    char path[4096], text[32];
    char *end = text;
    if (user == 0)
        return true;
    snprintf(path, sizeof(path), "%s/sys/kernel/perf_event_paranoid", proc);
    if (read_text(path, text, sizeof(text)) < 0)
        return false;
    long level = strtol(text, &end, 10);
    return end != text && level <= 1;
}

int watch_permission_judge(const char *status, uid_t user, gid_t group, struct fault *fault)
{
    const char *permitted = field(status, "CapPrm");
    if (!field(status, "VmRSS"))
        return fault_set(fault, -EINVAL,
                         "this process has no memory of its own: it is a kernel thread, or has "
                         "ended");
    if (user == 0)
        return 0;
    if (!are_all(field(status, "Uid"), user) || !are_all(field(status, "Gid"), group))
        return fault_set(fault, -EPERM,
                         "this process belongs to another user: run memoir as that user or as "
                         "root");
    if (!permitted || strtoull(permitted, NULL, 16) != 0)
        return fault_set(fault, -EPERM,
                         "this process has capabilities that you do not have: run memoir as root");
    return 0;
}

int watch_permission(const char *proc, uint32_t pid, uid_t user, gid_t group, struct fault *fault)
{
    char path[4096], text[STATUS_MAX];
    snprintf(path, sizeof(path), "%s/%u/status", proc, pid);
    if (read_text(path, text, sizeof(text)) < 0)
        return fault_set(fault, -ESRCH, "there is no process %u; `ps -ef` lists all processes",
                         pid);
    const char *group_of = field(text, "Tgid");
    if (!group_of || strtoul(group_of, NULL, 10) != pid)
        return fault_set(fault, -EINVAL, "%u is a thread: give the PID of its process", pid);
    return watch_permission_judge(text, user, group, fault);
}
