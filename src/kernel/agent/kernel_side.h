/* kernel_side.h - our BPF programs in the kernel, and what they are told: who is watched, for whom, and which stacks
 * are known.  Only this and kernel_time.h know libbpf. */
#pragma once

#include <stdbool.h>

#include "base/fault.h"
#include "wire/agent.h"

struct kernel_side;

/* Loads the programs; they are attached while there is a peer.  NULL with `fault`. */
struct kernel_side *kernel_side_open(struct fault *fault);
void kernel_side_close(struct kernel_side *side); /* also NULL */

/* A place for one more peer, of `user`: who keeps too many rings, also of connections that are gone, gets no more.  `ring` is the descriptor of its ring, of *ring_bytes, and stays the side's.  0 or -errno. */
int kernel_side_add_peer(struct kernel_side *side, uint32_t user, uint32_t *peer, int *ring,
                         uint32_t *ring_bytes, struct fault *fault);
void kernel_side_remove_peer(struct kernel_side *side, uint32_t peer);

/* A process, and what `peer` wants to see of it. */
struct kernel_watch {
    uint32_t peer, pid;
    uint32_t watch; /* enum agent_watch */
    uint32_t hz, wait_least_us;
    bool is_judged;   /* nothing of it is told until kernel_side_grant, and again after each exec */
    bool sees_kernel; /* the peer may know addresses inside the kernel */
    uint32_t generation; /* out: what is granted */
};

/* Memory and time of a process may have a recorder each.  Who watches its time already changes what it asked for.  0; -EEXIST when somebody
 * else watches it; or -errno. */
int kernel_side_watch(struct kernel_side *side, struct kernel_watch *watch, struct fault *fault);
/* The same for whoever becomes a program of this name (AGENT_NAME_BYTES, NUL-terminated), of `user` alone if judged.  0; -EEXIST when another
 * recorder awaits it; or -errno. */
int kernel_side_await(struct kernel_side *side, const struct kernel_watch *watch, const char *name,
                      uint32_t user, struct fault *fault);
/* What was begun by kernel_side_watch is granted, unless it has become another program since. */
void kernel_side_grant(struct kernel_side *side, const struct kernel_watch *watch);
/* A descriptor that is readable when there are processes to be judged; they are handed to `judge`, which says whether
 * `peer` may go on. */
int kernel_side_recheck_fd(const struct kernel_side *side);
typedef bool (*recheck_fn)(void *context, uint32_t peer, uint32_t pid);
void kernel_side_recheck(struct kernel_side *side, recheck_fn judge, void *context);
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
