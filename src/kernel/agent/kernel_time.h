/* kernel_time.h - the clocks that samples are taken by, and the programs for waits: attached
 * while a peer asks for them, and not before.
 *
 * A clock is one timer per processor; there is one for each rate that somebody asked for, shared by
 * all who ask for this rate, and at most KERNEL_CLOCKS_MAX of them. */
#pragma once

#include <stdint.h>

#include "base/fault.h"

#define KERNEL_CLOCKS_MAX 6u

struct bpf_link;
struct bpf_program;
struct kernel_watch;

struct kernel_clock {
    uint32_t hz;             /* 0: none */
    uint32_t user;           /* who was the first to ask for it */
    uint64_t peers;          /* who asked for it, a bit each */
    struct bpf_link **ticks; /* one per processor, NULL where there is none */
};

struct kernel_time {
    struct bpf_program *on_tick, *on_switch, *on_rename, *on_each_thread;
    int targets, awaited_names, waiters; /* maps */
    int cpus;
    struct kernel_clock clocks[KERNEL_CLOCKS_MAX];
    struct bpf_link *switches, *names;
    uint64_t wait_peers, name_peers; /* who asked, a bit each */
};

/* Sees to it that there is what a peer needs.  0; -ENOTSUP when this kernel does not take the
 * programs; -EBUSY when there are too many rates, or too many of this user; -errno. */
int kernel_time_want(struct kernel_time *time, const struct kernel_watch *watch,
                     struct fault *fault);
/* A peer is gone: what nobody else needs is detached. */
void kernel_time_leave(struct kernel_time *time, uint32_t peer);

/* The threads of a process are not watched any more: what was kept of them is forgotten.  0: of
 * all processes. */
void kernel_time_forget(struct kernel_time *time, uint32_t pid);

/* The waits of a process's threads that are not over are told as far as they are. */
void kernel_time_tell_waits(const struct kernel_time *time, uint32_t pid);
