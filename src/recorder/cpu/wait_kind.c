/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu/wait_kind.h"

#include <stddef.h>
#include <string.h>

const char *wait_kind_name(enum wait_kind kind)
{
    static const char *const names[WAIT_KINDS] = {
        [WAIT_UNKNOWN] = "[waits]",
        [WAIT_LOCK] = "[waits: lock]",
        [WAIT_DISK] = "[waits: disk]",
        [WAIT_SLEEP] = "[waits: sleep]",
        [WAIT_NETWORK] = "[waits: network]",
        [WAIT_POLL] = "[waits: poll]",
        [WAIT_PIPE] = "[waits: pipe]",
        [WAIT_CHILD] = "[waits: child]",
        [WAIT_PROCESSOR] = "[waits: processor]",
        [WAIT_STOPPED] = "[waits: stopped]",
    };
    return names[kind];
}

/* How the names of functions begin, those that hold others' beginnings first. */
static const struct {
    const char *begin;
    enum wait_kind kind;
} functions[] = {
    {"futex_", WAIT_LOCK},
    {"__futex_", WAIT_LOCK},
    {"do_futex", WAIT_LOCK},
    {"__mutex_lock", WAIT_LOCK},
    {"mutex_lock", WAIT_LOCK},
    {"rwsem_down_", WAIT_LOCK},
    {"__down_", WAIT_LOCK},
    {"down_read", WAIT_LOCK},
    {"down_write", WAIT_LOCK},
    {"percpu_rwsem_wait", WAIT_LOCK},
    {"rt_mutex_", WAIT_LOCK},
    {"fcntl_setlk", WAIT_LOCK},
    {"flock_lock", WAIT_LOCK},
    {"semctl", WAIT_LOCK},
    {"do_semtimedop", WAIT_LOCK},
    {"ep_poll", WAIT_POLL},
    {"do_epoll_wait", WAIT_POLL},
    {"poll_schedule_timeout", WAIT_POLL},
    {"do_poll", WAIT_POLL},
    {"do_sys_poll", WAIT_POLL},
    {"do_select", WAIT_POLL},
    {"io_cqring_wait", WAIT_POLL},
    {"hrtimer_nanosleep", WAIT_SLEEP},
    {"do_nanosleep", WAIT_SLEEP},
    {"common_nsleep", WAIT_SLEEP},
    {"pipe_", WAIT_PIPE},
    {"anon_pipe_", WAIT_PIPE},
    {"fifo_open", WAIT_PIPE},
    {"wait_for_partner", WAIT_PIPE},
    {"do_wait", WAIT_CHILD},
    {"kernel_wait", WAIT_CHILD},
    {"wait_for_vfork_done", WAIT_CHILD},
    {"do_signal_stop", WAIT_STOPPED},
    {"ptrace_stop", WAIT_STOPPED},
    {"do_freezer_trap", WAIT_STOPPED},
    {"tcp_", WAIT_NETWORK},
    {"udp_", WAIT_NETWORK},
    {"inet_", WAIT_NETWORK},
    {"inet6_", WAIT_NETWORK},
    {"sock_", WAIT_NETWORK},
    {"sk_wait_data", WAIT_NETWORK},
    {"sk_stream_wait", WAIT_NETWORK},
    {"unix_", WAIT_NETWORK},
    {"netlink_", WAIT_NETWORK},
    {"skb_", WAIT_NETWORK},
    {"__skb_", WAIT_NETWORK},
    {"io_schedule", WAIT_DISK},
    {"folio_wait_", WAIT_DISK},
    {"wait_on_page", WAIT_DISK},
    {"__wait_on_buffer", WAIT_DISK},
    {"bit_wait_io", WAIT_DISK},
    {"blk_", WAIT_DISK},
    {"submit_bio_wait", WAIT_DISK},
    {"jbd2_", WAIT_DISK},
    {"ext4_", WAIT_DISK},
    {"xfs_", WAIT_DISK},
    {"btrfs_", WAIT_DISK},
    {"nfs_", WAIT_DISK},
    {"vfs_fsync", WAIT_DISK},
};

enum wait_kind wait_kind_of(const char *function)
{
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
        if (strncmp(function, functions[i].begin, strlen(functions[i].begin)) == 0)
            return functions[i].kind;
    return WAIT_UNKNOWN;
}
