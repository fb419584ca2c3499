/* kernel_side.h - our BPF programs in the kernel, and what they are told: which processes are
 * watched, for which peer, and which stacks are known.  Only this and kernel_time.h use libbpf. */
#pragma once

#include <stdbool.h>

#include "base/fault.h"
#include "wire/agent.h"

struct kernel_side;

/* Loads the programs; they are attached while there is a peer.  Returns NULL with `fault` on
 * failure. */
struct kernel_side *kernel_side_open(struct fault *fault);
void kernel_side_close(struct kernel_side *side); /* NULL is allowed. */

/* Adds a peer of `user`.  No user but root gets more places and rings than are left to others;
 * rings of closed connections count while any process keeps their descriptor.  `ring` is the
 * descriptor of the peer's ring of *ring_bytes bytes; the kernel side owns it.  Returns 0 or
 * -errno. */
int kernel_side_add_peer(struct kernel_side *side, uint32_t user, uint32_t *peer, int *ring,
                         uint32_t *ring_bytes, struct fault *fault);
void kernel_side_remove_peer(struct kernel_side *side, uint32_t peer);

/* A process, and what `peer` wants to see of it. */
struct kernel_watch {
    uint32_t peer, pid;
    uint32_t watch; /* enum agent_watch */
    uint32_t hz, wait_least_us;
    /* Reports only a program of `user` and `group`, and nothing before kernel_side_grant, which is
     * needed again after each exec. */
    bool is_judged;
    bool sees_kernel; /* The peer may know addresses inside the kernel. */
    uint32_t user, group;
};

/* Starts to watch a process.  One recorder may watch its memory and one its time.  A recorder that
 * already watches its time changes its settings.  Returns 0; -EEXIST if another recorder watches
 * it; or -errno. */
int kernel_side_watch(struct kernel_side *side, const struct kernel_watch *watch,
                      struct fault *fault);
/* Like kernel_side_watch, for processes that execute a program of this name (AGENT_NAME_BYTES,
 * NUL-terminated).  Returns 0; -EEXIST if another recorder awaits it; or -errno. */
int kernel_side_await(struct kernel_side *side, const struct kernel_watch *watch, const char *name,
                      struct fault *fault);

/* What a descriptor in our process proves, as the kernel says. */
struct kernel_proof {
    /* A name of the memory whose open /proc/PID/mem it is; 0: it is no such file. */
    uint64_t memory;
    uint32_t owner; /* The process that has this memory now; 0: none, or it runs another program. */
    bool has_owner; /* Whether this kernel says who the owner is. */
};
int kernel_side_prove(struct kernel_side *side, int fd, struct kernel_proof *proof);
/* The generations of what is watched of a process, memory and time; they change with each exec. */
struct kernel_generations {
    uint32_t of[2]; /* 0: not watched. */
};
struct kernel_generations kernel_side_generations(struct kernel_side *side, uint32_t peer,
                                                  uint32_t pid);
/* The peer may see this memory of the process, but only of a program of these generations: so ask
 * for them before the proof. */
void kernel_side_grant(struct kernel_side *side, uint32_t peer, uint32_t pid,
                       const struct kernel_generations *generations, uint64_t memory);
/* Returns how many processes a peer watches. */
uint32_t kernel_side_count(struct kernel_side *side, uint32_t peer);
/* These functions do nothing if `pid` is not watched by the peer. */
void kernel_side_unwatch(struct kernel_side *side, uint32_t peer, uint32_t pid);
void kernel_side_know(struct kernel_side *side, uint32_t peer, const struct agent_know *know);
/* Sets whether the whole of each of the peer's stacks is copied, in pieces, or only the innermost
 * piece. */
void kernel_side_deepen(struct kernel_side *side, uint32_t peer, bool is_deep);
void kernel_side_renew(struct kernel_side *side, uint32_t peer, uint32_t pid);
/* `pid` 0: of all processes that the peer watches. */
void kernel_side_tell_waits(struct kernel_side *side, uint32_t peer, uint32_t pid);

void kernel_side_counters(struct kernel_side *side, uint32_t peer, struct agent_counters *counters);
