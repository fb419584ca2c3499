/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* kernel_maps.h - the data of the BPF programs, as the agent sees it, too. */
#pragma once

#include "wire/agent.h"

#define AGENT_PEERS_MAX        64u
#define AGENT_TARGETS_MAX      8192u
#define AGENT_TARGETS_OF_USER  2048u /* With children; root is limited only by the total. */
#define AGENT_TARGETS_OF_USERS 6144u /* The rest is kept for root. */
#define AGENT_FILES_MAX        16384u
#define AGENT_KERNEL_MAX       262144u /* Pages of the kernel itself. */
#define AGENT_KNOWN_MAX        8192u   /* Stacks per peer. */
/* Number of branches that are followed from the place where a stack begins. */
#define AGENT_BRANCHES 8u

#define AGENT_THREADS_MAX 16384u /* Threads whose waits are watched. */

/* What is watched of a process is kept by its PID; what is watched of its time, by the PID with
 * this bit. */
#define AGENT_OF_TIME (1u << 31)

/* A process that a peer watches. */
struct agent_target {
    uint32_t peer;       /* The peer that watches it. */
    uint32_t watch;      /* enum agent_watch */
    uint32_t generation; /* Of its known stacks; each exec counts it up. */
    uint32_t is_judged;  /* The peer is not root: it is only told what it proved that it may see. */
    uint32_t user, group; /* Of a peer that is judged. */
    uint32_t share;       /* One number per user; targets are counted by it. */
    uint32_t reserved;
    uint32_t hz;          /* Of its samples. */
    uint32_t sees_kernel; /* The peer may know addresses inside the kernel. */
    uint64_t wait_least_ns;
    uint64_t since_ns;
    uint64_t budget;    /* Bytes of new stacks that may be copied ... */
    uint64_t budget_ns; /* ... as of this time. */
};

/* The memory that a peer proved that it may see, of the target of that generation.  Another program
 * has another memory, and its target another generation. */
struct agent_grant {
    uint64_t memory; /* Its address in the kernel: used as a name, never followed. */
    uint32_t generation, reserved;
};

/* A question of the agent about one of its own descriptors, and the answer. */
struct agent_proof {
    uint64_t memory; /* Answer: the memory whose open /proc/PID/mem it is; 0: it is no such file. */
    uint32_t fd;     /* Question. */
    uint32_t owner;  /* Answer: the process that has this memory now; 0: none, or unknown. */
    uint32_t has_owner; /* Answer: whether this kernel says who the owner is. */
    uint32_t reserved;
};

/* Rings that were passed to peers; a ring lives as long as any process has its descriptor. */
#define AGENT_RINGS_MAX    128u
#define AGENT_RING_IS_GONE (1ull << 32) /* As far as is known. */

/* A program that a peer waits for. */
#define AGENT_AWAITED_MAX 256u
struct agent_awaited_key {
    char name[AGENT_NAME_BYTES];
    uint32_t of_time; /* AGENT_OF_TIME, or 0. */
};
struct agent_awaited {
    struct agent_target target; /* The target that its process becomes. */
    uint32_t is_once, reserved;
};

/* Where a known stack is kept.  The key is the place where the stack begins.  The first stack of a
 * place is at branch 0; each other stack is at the hash of its words up to the first one that
 * differs from the stack that was compared before.  While that earlier stack is not known yet, its
 * words are unknown, too: then the new stack is kept by its looks, with AGENT_BY_HINT, until it is
 * known itself. */
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

/* A thread that waits, or has waited, by its TID. */
struct agent_waiter {
    uint64_t since_ns; /* 0: it runs. */
    uint64_t ran_ns;   /* Total time that it had run by then. */
    uint64_t short_ns; /* Of waits that are too short for a record of their own. */
    uint64_t told_ns;  /* When they were last reported. */
    uint32_t short_count;
    uint32_t pid;
    uint32_t stack;
    uint8_t flags, state;
    uint8_t is_begun; /* A part of the wait was already reported. */
    uint8_t reserved;
};

/* Pages that the kernel allocated for itself. */
struct agent_kernel_pages {
    uint32_t peer, pid, stack, order;
};
