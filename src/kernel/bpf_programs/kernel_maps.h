/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* kernel_maps.h - what the BPF programs keep, as the agent sees it too. */
#pragma once

#include "wire/agent.h"

#define AGENT_PEERS_MAX        64u
#define AGENT_TARGETS_MAX      8192u
#define AGENT_TARGETS_OF_USER  2048u /* with children; root has no limit but all */
#define AGENT_TARGETS_OF_USERS 6144u /* the rest is kept for root */
#define AGENT_FILES_MAX        16384u
#define AGENT_KERNEL_MAX       262144u /* pages of the kernel itself */
#define AGENT_KNOWN_MAX        8192u   /* stacks per peer */
#define AGENT_BRANCHES         8u      /* that are followed from the place where a stack begins */

#define AGENT_THREADS_MAX 16384u /* whose waits are watched */

/* What is watched of a process is kept by its number; what is watched of its time, by the number
 * with this bit. */
#define AGENT_OF_TIME (1u << 31)

/* A process that somebody watches. */
struct agent_target {
    uint32_t peer;        /* whose */
    uint32_t watch;       /* enum agent_watch */
    uint32_t generation;  /* of its known stacks; each exec counts it up */
    uint32_t is_judged;   /* the peer is not root: only what it proved and may see is told */
    uint32_t user, group; /* of a peer that is judged */
    uint32_t share;       /* one number per user; targets are counted by it */
    uint32_t reserved;
    uint32_t hz;          /* of its samples */
    uint32_t sees_kernel; /* the peer may know addresses inside the kernel */
    uint64_t wait_least_ns;
    uint64_t since_ns;
    uint64_t budget;    /* bytes of new stacks that may be copied ... */
    uint64_t budget_ns; /* ... as of then */
};

/* The memory that a peer proved it may see, of the target of that generation.  Another program has
 * another memory, and the generation of its target is another too. */
struct agent_grant {
    uint64_t memory; /* its address in the kernel: a name, never followed */
    uint32_t generation, reserved;
};

/* What the agent asks about a descriptor of its own, and is told. */
struct agent_proof {
    uint64_t memory;    /* told: of the open /proc/PID/mem; 0: it is none */
    uint32_t fd;        /* asked */
    uint32_t owner;     /* told: the process that has this memory now; 0: none, or not known */
    uint32_t has_owner; /* told: whether this kernel says who the owner is */
    uint32_t reserved;
};

/* Rings that were given away; a ring lives as long as somebody has its descriptor. */
#define AGENT_RINGS_MAX    128u
#define AGENT_RING_IS_GONE (1ull << 32) /* as far as found out */

/* Whom somebody waits for. */
#define AGENT_AWAITED_MAX 256u
struct agent_awaited_key {
    char name[AGENT_NAME_BYTES];
    uint32_t of_time; /* AGENT_OF_TIME, or 0 */
};
struct agent_awaited {
    struct agent_target target; /* what it becomes */
    uint32_t is_once, reserved;
};

/* Where a known stack is kept: by where it begins; the first one of those at branch 0, each
 * other at the hash of its words up to the one in which it first differs from the one that was
 * compared before.  While that one is on its way to be known, its words are not: then at what it
 * looks like, with AGENT_BY_HINT, until it is known itself. */
#define AGENT_BY_HINT (1ull << 63)
struct agent_place {
    uint32_t pid, generation;
    uint64_t ip, sp;
    uint64_t branch;
};

struct agent_file {
    uint64_t inode;
    uint32_t device, reserved;
};

/* A thread that waits, or did, by its number. */
struct agent_waiter {
    uint64_t since_ns; /* 0: it runs */
    uint64_t ran_ns;   /* until then, in all */
    uint64_t short_ns; /* of waits that are too short to be told one by one */
    uint64_t told_ns;  /* when they were told last */
    uint32_t short_count;
    uint32_t pid;
    uint32_t stack;
    uint8_t flags, state;
    uint8_t is_begun; /* some of the wait was told already */
    uint8_t reserved;
};

/* Pages that the kernel took for itself. */
struct agent_kernel_pages {
    uint32_t peer, pid, stack, order;
};
