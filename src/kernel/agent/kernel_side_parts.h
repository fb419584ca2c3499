/* kernel_side_parts.h - the inside of kernel_side.h, for the files that implement it: loading,
 * recorders, processes. */
#pragma once

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "agent/kernel_side.h"
#include "agent/kernel_time.h"
#include "bpf_programs/kernel_maps.h"
#ifdef __clang_analyzer__ /* It does not know that libbpf frees the skeleton. */
#include <stdlib.h>
#define bpf_object__destroy_skeleton(skeleton) free(skeleton)
#endif
#include "memoir.skel.h"

struct peer_maps {
    int ring, known;   /* -1: no peer has this place. */
    uint64_t fresh_ns; /* When its known stacks were last forgotten. */
    uint64_t told_ns;  /* When it last asked for waits that are still going on. */
    uint32_t user;
    uint32_t share; /* One number per user that has peers. */
};

#define NO_PEER                                                                                    \
    (struct peer_maps)                                                                             \
    {                                                                                              \
        .ring = -1, .known = -1                                                                    \
    }

/* A ring lives as long as any process has its descriptor. */
struct given_ring {
    uint32_t id, user; /* id 0: none. */
};

struct kernel_side {
    struct memoir_bpf *bpf;
    struct peer_maps peers[AGENT_PEERS_MAX];
    /* on_kernel_page, on_kernel_page_free; NULL: no peer asked. */
    struct bpf_link *kernel_pages[2];
    struct kernel_time time;
    int cpus;
    uint32_t peer_count, generation;
    struct given_ring given[AGENT_RINGS_MAX];
    struct bpf_link *own_files, *all_maps; /* Iterators. */
};

/* Returns the last message of libbpf, for a sentence. */
const char *kernel_side_last_words(void);

/* Replaces the map of known stacks by an empty one.  Returns 0 or -errno. */
int kernel_side_fresh_known(struct kernel_side *side, uint32_t peer);

/* Runs an iterator to its end.  Returns 0 or -errno. */
int kernel_side_ask(struct bpf_link *iterator);

/* `key`: a PID, with or without AGENT_OF_TIME. */
void kernel_side_remove_key(struct kernel_side *side, uint32_t key);

/* Counts the targets of a peer, also the children that the kernel added; removes them if `take`. */
uint32_t kernel_side_each_target(struct kernel_side *side, uint32_t peer, bool take);

/* Ends all that a peer awaits. */
void kernel_side_await_nobody(struct kernel_side *side, uint32_t peer);
