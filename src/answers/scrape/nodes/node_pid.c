/* SPDX-License-Identifier: Apache-2.0 */
/* node_pid.c - finds the process of a node.  Nodes restart, and PIDs are used again: so a process
 * is known by its PID and its start time. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text_file.h"
#include "procfs/process/process_age.h"
#include "procfs/process/process_listening.h"
#include "procfs/process/process_named.h"
#include "procfs/process/process_status.h"
#include "scrape/nodes/node_list.h"

#define PID_FILE_MAX 4096u
#define SLACK_NS                                                                                   \
    UINT64_C(2000000000) /* files have coarser times than processes, and clocks are set */

struct node_pid_memory {
    uint32_t pid;
    uint64_t began_ticks;
};

/* When it began; 0 when it is not there, or only its end is. */
static uint64_t began(uint32_t pid, uint64_t *unix_ns)
{
    uint64_t ticks;
    struct process_status status;
    if (process_status_read(pid, 0, &status) != 0 || status.state == 'Z' || status.state == 'X' ||
        process_age_read(pid, &ticks, unix_ns) != 0)
        return 0;
    return ticks ? ticks : 1;
}

/* No process, because of which `fault` says why. */
#define none(...) (fault_set(__VA_ARGS__), (uint32_t)0)

static uint32_t by_number(const struct node *node, const struct node_pid_memory *memory,
                          uint64_t ticks, struct fault *fault)
{
    uint32_t const pid = node->process.pid;
    if (ticks == 0)
        fault_set(fault, -ESRCH, "process %u has ended", pid);
    else if (memory->pid == pid && memory->began_ticks != ticks)
        fault_set(fault, -ESRCH, "process %u has ended, and another process has its PID now", pid);
    else
        return pid;
    return 0;
}

/* The number in a file, or 0 with a sentence. */
static uint32_t read_number(const char *path, struct fault *fault)
{
    struct slice text;
    char number[32];
    if (text_file_read(path, PID_FILE_MAX, &text, fault) != 0)
        return 0;
    size_t at = 0, size = 0;
    while (at < text.size && isspace((unsigned char)text.data[at]))
        at++;
    while (at < text.size && isdigit((unsigned char)text.data[at]) && size + 1 < sizeof(number))
        number[size++] = text.data[at++];
    number[size] = '\0';
    bool const is_clean =
        size > 0 && size <= 10 && (at == text.size || isspace((unsigned char)text.data[at]));
    text_file_free(text);
    unsigned long long const pid = is_clean ? strtoull(number, NULL, 10) : 0;
    return pid > 0 && pid <= INT32_MAX ? (uint32_t)pid
                                       : none(fault, -EINVAL, "%s contains no PID", path);
}

/* A node writes the file after it began.  Whoever began later has only got the number. */
static uint32_t by_file(const char *path, struct fault *fault)
{
    struct stat about;
    uint64_t began_ns = 0;
    uint32_t const pid = read_number(path, fault);
    if (pid == 0)
        return 0;
    if (began(pid, &began_ns) == 0)
        return none(fault, -ESRCH, "the process of %s has ended", path);
    if (stat(path, &about) != 0)
        return none(fault, -errno, "%s is gone", path);
    uint64_t const written_ns = timespec_ns(&about.st_mtim);
    if (began_ns > written_ns + SLACK_NS)
        return none(fault, -ESRCH,
                    "%s is older than the process with that PID: the node has ended, and its PID "
                    "was reused",
                    path);
    return pid;
}

struct named {
    uint32_t pid, parent;
};
struct named_list {
    VEC(struct named) all;
};

static int find_named(const char *name, struct named_list *found)
{
    DIR *folder = opendir("/proc");
    if (!folder)
        return -errno;
    bool fits = true;
    for (struct dirent *entry; fits && (entry = readdir(folder));) {
        struct process_status status;
        uint32_t const pid = (uint32_t)strtoul(entry->d_name, NULL, 10);
        if (pid > 0 && pid != (uint32_t)getpid() && process_is_named(pid, name) &&
            process_status_read(pid, 0, &status) == 0)
            fits = vec_push(&found->all, (struct named){pid, status.parent});
    }
    closedir(folder);
    return fits ? 0 : -ENOMEM;
}

/* The only one that no other one of them has started; 0 when there are several. */
static uint32_t only_first(const struct named_list *found)
{
    uint32_t only = 0;
    vec_each (one, &found->all) {
        bool is_child = false;
        vec_each (other, &found->all)
            is_child |= other->pid == one->parent;
        if (is_child)
            continue;
        if (only)
            return 0;
        only = one->pid;
    }
    return only;
}

static uint32_t by_name(const char *name, const struct node_pid_memory *memory, struct fault *fault)
{
    struct named_list found = {.all = {0}};
    uint64_t unix_ns;
    if (memory->pid && began(memory->pid, &unix_ns) == memory->began_ticks &&
        process_is_named(memory->pid, name))
        return memory->pid; /* whoever else has come since is another one */
    int const err = find_named(name, &found);
    uint32_t const pid = err ? 0 : only_first(&found);
    if (err)
        fault_set(fault, err, "cannot list the processes: %s", strerror(-err));
    else if (found.all.count == 0)
        fault_set(fault, -ESRCH, "no process is called %s", name);
    else if (pid == 0)
        fault_set(fault, -ENOTUNIQ, "%zu processes are called %s: choose one with pid or pidfile",
                  found.all.count, name);
    vec_free(&found.all);
    return pid;
}

static uint32_t by_port(uint16_t port, const struct node_pid_memory *memory, struct fault *fault)
{
    socket_list sockets;
    uint64_t unix_ns;
    int const err = listening_sockets_read(port, &sockets);
    uint32_t pid = 0;
    if (!err && memory->pid && began(memory->pid, &unix_ns) == memory->began_ticks &&
        process_has_socket(memory->pid, &sockets))
        pid = memory->pid;
    else if (!err)
        pid = process_of_sockets(&sockets);
    if (err)
        fault_set(fault, err,
                  "cannot find the process that listens on port %u: "
                  "%s",
                  port, strerror(-err));
    else if (sockets.count == 0)
        fault_set(fault, -ESRCH, "no process listens on port %u", port);
    else if (pid == 0)
        fault_set(
            fault, -EPERM,
            "memoir may not read the process that listens on port %u: run memoir as the user of "
            "that process, or as root",
            port);
    vec_free(&sockets);
    return pid;
}

/* Whom it was last time.  Nodes are not changed by being asked, but this is. */
static struct node_pid_memory *memory_of(const struct node *node)
{
    struct node *owner = (struct node *)(uintptr_t)node;
    if (!owner->process.memory)
        owner->process.memory = calloc(1, sizeof(*owner->process.memory));
    return owner->process.memory;
}

uint32_t node_pid(const struct node *node, struct fault *fault)
{
    const struct node_process *process = &node->process;
    struct node_pid_memory *memory = memory_of(node);
    uint64_t unix_ns;
    uint32_t pid = 0;
    if (!memory)
        return none(fault, -ENOMEM, "%s", "not enough memory");
    if (!node->has_process)
        return none(fault, -ENOENT, "memoir knows no process of this machine for %s",
                    node->name ? node->name : "it");
    if (process->pid)
        pid = by_number(node, memory, began(process->pid, &unix_ns), fault);
    else if (process->pid_file)
        pid = by_file(process->pid_file, fault);
    else if (process->name)
        pid = by_name(process->name, memory, fault);
    else
        pid = by_port(process->port, memory, fault);
    uint64_t const ticks = pid ? began(pid, &unix_ns) : 0;
    if (pid && ticks == 0)
        return none(fault, -ESRCH, "%s has just ended", node->name ? node->name : "it");
    if (pid)
        *memory = (struct node_pid_memory){pid, ticks};
    return pid;
}
