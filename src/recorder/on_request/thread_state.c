/* SPDX-License-Identifier: Apache-2.0 */
#include "on_request/thread_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "procfs/process/proc_open.h"
#include "procfs/process/process_facts.h"

#define TEXT_MAX 4096u

/* What a call waits for; by the kind of its descriptor where that decides. */
static const struct thread_call {
    long number;
    const char *name, *waits;
    int by_descriptor;
} calls[] = {
    {SYS_futex, "futex", "lock", 0},
    {SYS_flock, "flock", "lock", 0},
    {SYS_semop, "semop", "lock", 0},
    {SYS_semtimedop, "semtimedop", "lock", 0},
    {SYS_epoll_wait, "epoll_wait", "poll", 0},
    {SYS_epoll_pwait, "epoll_pwait", "poll", 0},
    {SYS_epoll_pwait2, "epoll_pwait2", "poll", 0},
    {SYS_poll, "poll", "poll", 0},
    {SYS_ppoll, "ppoll", "poll", 0},
    {SYS_select, "select", "poll", 0},
    {SYS_pselect6, "pselect6", "poll", 0},
    {SYS_io_getevents, "io_getevents", "poll", 0},
    {SYS_io_uring_enter, "io_uring_enter", "poll", 0},
    {SYS_nanosleep, "nanosleep", "sleep", 0},
    {SYS_clock_nanosleep, "clock_nanosleep", "sleep", 0},
    {SYS_restart_syscall, "restart_syscall", "", 0},
    {SYS_pause, "pause", "", 0},
    {SYS_rt_sigsuspend, "rt_sigsuspend", "", 0},
    {SYS_rt_sigtimedwait, "rt_sigtimedwait", "", 0},
    {SYS_wait4, "wait4", "child", 0},
    {SYS_waitid, "waitid", "child", 0},
    {SYS_vfork, "vfork", "child", 0},
    {SYS_accept, "accept", "network", 0},
    {SYS_accept4, "accept4", "network", 0},
    {SYS_connect, "connect", "network", 0},
    {SYS_recvfrom, "recvfrom", "network", 0},
    {SYS_recvmsg, "recvmsg", "network", 0},
    {SYS_recvmmsg, "recvmmsg", "network", 0},
    {SYS_sendto, "sendto", "network", 0},
    {SYS_sendmsg, "sendmsg", "network", 0},
    {SYS_fsync, "fsync", "disk", 0},
    {SYS_fdatasync, "fdatasync", "disk", 0},
    {SYS_sync, "sync", "disk", 0},
    {SYS_syncfs, "syncfs", "disk", 0},
    {SYS_sync_file_range, "sync_file_range", "disk", 0},
    {SYS_msync, "msync", "disk", 0},
    {SYS_openat, "openat", "disk", 0},
    {SYS_read, "read", "", 1},
    {SYS_readv, "readv", "", 1},
    {SYS_pread64, "pread64", "disk", 0},
    {SYS_preadv, "preadv", "disk", 0},
    {SYS_write, "write", "", 1},
    {SYS_writev, "writev", "", 1},
    {SYS_pwrite64, "pwrite64", "disk", 0},
    {SYS_pwritev, "pwritev", "disk", 0},
};

static const struct thread_call *find_call(long number)
{
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        if (calls[i].number == number)
            return &calls[i];
    return NULL;
}

void thread_call_set(struct thread_state *state, long number)
{
    const struct thread_call *call = find_call(number);
    if (call)
        snprintf(state->call, sizeof(state->call), "%s", call->name);
    else
        snprintf(state->call, sizeof(state->call), "system call %ld", number);
    snprintf(state->waits, sizeof(state->waits), "%s", call ? call->waits : "");
}

bool thread_call_is_resumed(const struct thread_state *state)
{
    return strcmp(state->call, "restart_syscall") == 0;
}

int thread_call_parse(const char *text, struct thread_state *state)
{
    char *rest;
    if (text[0] < '0' || text[0] > '9') /* "running", "-1 …": in no call */
        return -1;
    long const number = strtol(text, &rest, 10);
    const struct thread_call *call = find_call(number);
    thread_call_set(state, number);
    unsigned long const first = call && call->by_descriptor ? strtoul(rest, NULL, 16) : ~0ul;
    return first <= INT32_MAX ? (int)first : -1;
}

/* By what the descriptor is of. */
static const char *wait_of_descriptor(uint32_t pid, int fd)
{
    char name[16], target[256];
    int const folder = proc_open(pid, 0, PROC_FDS);
    snprintf(name, sizeof(name), "%d", fd);
    ssize_t const size = folder < 0 ? -1 : readlinkat(folder, name, target, sizeof(target) - 1);
    if (folder >= 0)
        close(folder);
    if (size <= 0)
        return "";
    target[size] = '\0';
    if (strncmp(target, "socket:", 7) == 0)
        return "network";
    if (strncmp(target, "pipe:", 5) == 0)
        return "pipe";
    return strncmp(target, "/dev/", 5) == 0 || target[0] != '/' ? "" : "disk";
}

static char letter_of(uint32_t pid, uint32_t tid)
{
    char *text;
    if (proc_read_text(pid, tid, PROC_STAT, TEXT_MAX, &text) < 0)
        return '\0';
    const char *name_end = strrchr(text, ')');
    char const letter = name_end && name_end[1] == ' ' ? name_end[2] : '\0';
    free(text);
    return letter;
}

static void read_call(uint32_t pid, uint32_t tid, struct thread_state *state)
{
    char *text;
    if (proc_read_text(pid, tid, PROC_SYSCALL, TEXT_MAX, &text) < 0)
        return;
    int const fd = thread_call_parse(text, state);
    if (fd >= 0)
        snprintf(state->waits, sizeof(state->waits), "%s", wait_of_descriptor(pid, fd));
    free(text);
}

/* Any bytes may be in a name, and it goes into lines of text. */
static void read_name(uint32_t pid, uint32_t tid, struct thread_state *state)
{
    process_thread_name(pid, tid, state->name, sizeof(state->name));
    for (char *at = state->name; *at; at++)
        if (*at < ' ' || *at == 0x7f || *at == '"')
            *at = '?';
}

void thread_state_read(uint32_t pid, uint32_t tid, struct thread_state *state)
{
    *state = (struct thread_state){.letter = letter_of(pid, tid)};
    read_name(pid, tid, state);
    if (state->letter == 'S' || state->letter == 'D')
        read_call(pid, tid, state);
    else if (state->letter == 'T' || state->letter == 't')
        snprintf(state->waits, sizeof(state->waits), "stopped");
}

void thread_state_render(const struct thread_state *state, char *text, unsigned room)
{
    const char *comma = state->call[0] ? ", " : "";
    switch (state->letter) {
    case 'R':
        snprintf(text, room, "runs");
        break;
    case 'S':
    case 'D':
        snprintf(text, room, "waits%s%s%s%s%s", state->waits[0] ? ": " : "", state->waits, comma,
                 state->call, state->letter == 'D' ? ", uninterruptible" : "");
        break;
    case 'T':
    case 't':
        snprintf(text, room, "stopped");
        break;
    case 'Z':
    case 'X':
    case '\0':
        snprintf(text, room, "has ended");
        break;
    default:
        snprintf(text, room, "state %c", state->letter);
    }
}
