/* kernel_time.h - the clocks for samples, and the programs for waits; attached only while a peer
 * asks for them.
 *
 * A clock is one timer per processor.  There is one clock for each rate that a peer asked for,
 * shared by all peers with this rate, and at most KERNEL_CLOCKS_MAX clocks. */
#pragma once

#include <stdint.h>

#include "base/fault.h"

#define KERNEL_CLOCKS_MAX 6u

struct bpf_link;
struct bpf_program;
struct kernel_watch;

struct kernel_clock {
    uint32_t hz;             /* 0: none. */
    uint32_t user;           /* The user who first asked for it. */
    uint64_t peers;          /* The peers that asked for it, a bit each. */
    struct bpf_link **ticks; /* One per processor, NULL where there is none. */
};

struct kernel_time {
    struct bpf_program *on_tick, *on_switch, *on_rename, *on_each_thread;
    int targets, awaited_names, waiters; /* Maps. */
    int cpus;
    struct kernel_clock clocks[KERNEL_CLOCKS_MAX];
    struct bpf_link *switches, *names;
    uint64_t wait_peers, name_peers; /* The peers that asked, a bit each. */
};

/* Attaches what a peer needs.  Returns 0; -ENOTSUP if this kernel does not accept the programs;
 * -EBUSY if there are too many rates, or too many of this user; or -errno. */
int kernel_time_want(struct kernel_time *time, const struct kernel_watch *watch,
                     struct fault *fault);
/* To be called when a peer is gone: detaches what no other peer needs. */
void kernel_time_leave(struct kernel_time *time, uint32_t peer);

/* Forgets what was kept of the threads of a process that is no longer watched; 0: of all
 * processes. */
void kernel_time_forget(struct kernel_time *time, uint32_t pid);

/* Reports the waits of a process's threads that are still going on. */
void kernel_time_tell_waits(const struct kernel_time *time, uint32_t pid);
