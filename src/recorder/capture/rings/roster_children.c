/* SPDX-License-Identifier: Apache-2.0 */
/* roster_children.c - notices when processes of the list end, and opens a descriptor of each that
 * tells how it ended.  The descriptor must be opened before the end, and a child may live only for
 * some milliseconds. */
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/rings/arena_users.h"
#include "capture/rings/roster_parts.h"
#include "procfs/process/process_facts.h"

void roster_forget_child(struct roster *roster, uint32_t process)
{
    if (roster->pidfds[process] > 0)
        close(roster->pidfds[process] - 1);
    roster->pidfds[process] = 0;
    roster->child_ended_ns[process] = 0;
    roster->met[process] = false;
}

static uint32_t new_child(const struct roster *roster, uint32_t process)
{
    struct shared_process *entry = shared_process_at(roster->options.arena->memory, process);
    if (roster->met[process] || shared_get(entry, state) != PROCESS_RUNNING)
        return 0;
    uint32_t const pid = shared_get(entry, pid);
    return pid == roster->pid ? 0 : pid;
}

/* Only what has the arena: its number alone would tell of any process. */
static void meet(struct roster *roster, uint32_t process, uint32_t pid, uint64_t now_ns)
{
    roster->met[process] = true;
    if (!process_runs(pid)) {
        roster->child_ended_ns[process] = now_ns;
        return;
    }
    int const pidfd = roster->pidfds[process] ? -1 : (int)syscall(SYS_pidfd_open, pid, 0);
    if (pidfd >= 0 && arena_users_prove(roster->options.arena->users, pid))
        roster->pidfds[process] = pidfd + 1;
    else if (pidfd >= 0)
        close(pidfd);
}

static void meet_new(struct roster *roster, uint32_t high, uint64_t now_ns)
{
    bool is_busy = false;
    for (uint32_t i = 0; i < high; i++) {
        uint32_t const pid = new_child(roster, i);
        if (pid == 0)
            continue;
        if (!is_busy)
            ring_reader_leave(roster->reader);
        is_busy = true;
        meet(roster, i, pid, now_ns);
    }
    if (is_busy)
        ring_reader_return(roster->reader);
}

void roster_watch_children(struct roster *roster, uint64_t now_ns)
{
    struct pollfd polled[ARENA_PROCESSES];
    uint32_t whose[ARENA_PROCESSES], count = 0;
    uint32_t const high = arena_process_high(roster->options.arena);
    if (!roster->options.recorder->follow_children)
        return;
    meet_new(roster, high, now_ns);
    for (uint32_t i = 0; i < high; i++) {
        if (roster->pidfds[i] <= 0 || roster->child_ended_ns[i])
            continue;
        polled[count] = (struct pollfd){.fd = roster->pidfds[i] - 1, .events = POLLIN};
        whose[count++] = i;
    }
    if (count == 0 || poll(polled, count, 0) <= 0)
        return;
    for (uint32_t i = 0; i < count; i++)
        if (polled[i].revents)
            roster->child_ended_ns[whose[i]] = now_ns;
}
