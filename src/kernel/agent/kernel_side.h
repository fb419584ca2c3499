/* kernel_side.h - our BPF programs in the kernel, and what they are told: who is watched, for
 * whom, and which stacks are known.  Only this and kernel_time.h know libbpf. */
#pragma once

#include <stdbool.h>

#include "base/fault.h"
#include "wire/agent.h"

struct kernel_side;

/* Loads the programs; they are attached while there is a peer.  NULL with `fault`. */
struct kernel_side *kernel_side_open(struct fault *fault);
void kernel_side_close(struct kernel_side *side); /* also NULL */

/* A place for one more peer, of `user`.  No user but root gets more places and rings than are left
 * to others; rings of connections that are gone count while somebody keeps them.  `ring` is the
 * descriptor of its ring, of *ring_bytes, and stays the side's.  0 or -errno. */
int kernel_side_add_peer(struct kernel_side *side, uint32_t user, uint32_t *peer, int *ring,
                         uint32_t *ring_bytes, struct fault *fault);
void kernel_side_remove_peer(struct kernel_side *side, uint32_t peer);

/* A process, and what `peer` wants to see of it. */
struct kernel_watch {
    uint32_t peer, pid;
    uint32_t watch; /* enum agent_watch */
    uint32_t hz, wait_least_us;
    /* Of a program of `user` and `group` alone, and nothing before kernel_side_grant; again after
     * each exec. */
    bool is_judged;
    bool sees_kernel; /* the peer may know addresses inside the kernel */
    uint32_t user, group;
};

/* Memory and time of a process may have a recorder each.  Who watches its time already changes
 * what it asked for.  0; -EEXIST when somebody else watches it; or -errno. */
int kernel_side_watch(struct kernel_side *side, const struct kernel_watch *watch,
                      struct fault *fault);
/* The same for whoever becomes a program of this name (AGENT_NAME_BYTES, NUL-terminated).  0;
 * -EEXIST when another recorder awaits it; or -errno. */
int kernel_side_await(struct kernel_side *side, const struct kernel_watch *watch, const char *name,
                      struct fault *fault);

/* What a descriptor of ours proves, as the kernel has it. */
struct kernel_proof {
    uint64_t memory; /* a name of the memory that it is the open /proc/PID/mem of; 0: it is none */
    uint32_t owner;  /* the process that has this memory now; 0: none, or another program */
    bool has_owner;  /* whether this kernel says who it is */
};
int kernel_side_prove(struct kernel_side *side, int fd, struct kernel_proof *proof);
/* What is being watched of a process, memory and time: changes with each exec. */
struct kernel_generations {
    uint32_t of[2]; /* 0: not watched */
};
struct kernel_generations kernel_side_generations(struct kernel_side *side, uint32_t peer,
                                                  uint32_t pid);
/* The peer may see this memory of the process: of a program of these generations alone, so they
 * are asked before the proof is. */
void kernel_side_grant(struct kernel_side *side, uint32_t peer, uint32_t pid,
                       const struct kernel_generations *generations, uint64_t memory);
/* How many processes a peer watches. */
uint32_t kernel_side_count(struct kernel_side *side, uint32_t peer);
/* These do nothing when `pid` is not the peer's. */
void kernel_side_unwatch(struct kernel_side *side, uint32_t peer, uint32_t pid);
void kernel_side_know(struct kernel_side *side, uint32_t peer, const struct agent_know *know);
/* Whether all of the peer's stacks is copied, in pieces, or only the innermost piece. */
void kernel_side_deepen(struct kernel_side *side, uint32_t peer, bool is_deep);
void kernel_side_renew(struct kernel_side *side, uint32_t peer, uint32_t pid);
/* `pid` 0: of all that the peer watches. */
void kernel_side_tell_waits(struct kernel_side *side, uint32_t peer, uint32_t pid);

void kernel_side_counters(struct kernel_side *side, uint32_t peer, struct agent_counters *counters);
