/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_peers.c - recorders in the kernel side: a ring and a map of known stacks for each. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/fair_share.h"
#include "agent/kernel_side_parts.h"

#define RING_BYTES      (8u << 20)
#define RINGS_OF_USERS  96u /* the rest is kept for root */
#define PLACES_OF_USERS 56u

int kernel_side_fresh_known(struct kernel_side *side, uint32_t peer)
{
    LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_NO_PREALLOC);
    int known = bpf_map_create(BPF_MAP_TYPE_HASH, "memoir_known", sizeof(struct agent_place),
                               sizeof(struct agent_stack), AGENT_KNOWN_MAX, &options);
    if (known < 0)
        return known;
    int err =
        bpf_map_update_elem(bpf_map__fd(side->bpf->maps.known_stacks), &peer, &known, BPF_ANY);
    if (err < 0) {
        close(known);
        return err;
    }
    if (side->peers[peer].known >= 0)
        close(side->peers[peer].known);
    side->peers[peer].known = known;
    return 0;
}

static uint32_t map_id(int fd)
{
    struct bpf_map_info info = {0};
    uint32_t size = sizeof(info);
    return bpf_obj_get_info_by_fd(fd, &info, &size) == 0 ? info.id : 0;
}

/* Forgets the rings that nobody has any more. */
static void forget_rings(struct kernel_side *side)
{
    uint64_t *marked = side->bpf->bss->given_rings;
    for (unsigned i = 0; i < AGENT_RINGS_MAX; i++)
        marked[i] = side->given[i].id ? side->given[i].id | AGENT_RING_IS_GONE : 0;
    if (kernel_side_ask(side->all_maps) < 0)
        return;
    for (unsigned i = 0; i < AGENT_RINGS_MAX; i++)
        if (marked[i] & AGENT_RING_IS_GONE)
            side->given[i] = (struct given_ring){0, 0};
}

/* Where one more ring of a user can be written down; NULL when he has too many, or all have. */
static struct given_ring *find_room(struct kernel_side *side, uint32_t user)
{
    struct given_ring *room = NULL;
    struct share_count rings = {.of_users = RINGS_OF_USERS};
    forget_rings(side);
    for (unsigned i = 0; i < AGENT_RINGS_MAX; i++) {
        struct given_ring *given = &side->given[i];
        if (given->id)
            share_count_one(&rings, given->user, user);
        else
            room = given;
    }
    return is_fair_share(&rings, user) ? room : NULL;
}

/* The place of one more peer of a user; AGENT_PEERS_MAX when he has too many, or all have. */
static uint32_t find_place(const struct kernel_side *side, uint32_t user)
{
    uint32_t place = AGENT_PEERS_MAX;
    struct share_count places = {.of_users = PLACES_OF_USERS};
    for (uint32_t i = AGENT_PEERS_MAX; i-- > 0;)
        if (side->peers[i].ring >= 0)
            share_count_one(&places, side->peers[i].user, user);
        else
            place = i;
    return is_fair_share(&places, user) ? place : AGENT_PEERS_MAX;
}

/* The number by which the targets of a user are counted: that of his other peers, or a new one. */
static uint32_t share_of(const struct kernel_side *side, uint32_t user)
{
    uint64_t used = 0;
    for (uint32_t i = 0; i < AGENT_PEERS_MAX; i++) {
        if (side->peers[i].ring < 0)
            continue;
        if (side->peers[i].user == user)
            return side->peers[i].share;
        used |= 1ull << side->peers[i].share;
    }
    return used == UINT64_MAX ? 0 : (uint32_t)__builtin_ctzll(~used);
}

static int make_maps(struct kernel_side *side, uint32_t peer)
{
    struct peer_maps *maps = &side->peers[peer];
    maps->ring = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "memoir_ring", 0, 0, RING_BYTES, NULL);
    if (maps->ring < 0)
        return maps->ring;
    int err = bpf_map_update_elem(bpf_map__fd(side->bpf->maps.rings), &peer, &maps->ring, BPF_ANY);
    return err < 0 ? err : kernel_side_fresh_known(side, peer);
}

static void clear_counters(struct kernel_side *side, uint32_t peer)
{
    struct agent_counters *none = calloc((size_t)side->cpus, sizeof(*none));
    if (none)
        bpf_map_update_elem(bpf_map__fd(side->bpf->maps.counters), &peer, none, BPF_ANY);
    free(none);
}

void kernel_side_deepen(struct kernel_side *side, uint32_t peer, bool is_deep)
{
    uint32_t const value = is_deep;
    bpf_map_update_elem(bpf_map__fd(side->bpf->maps.deep_peers), &peer, &value, BPF_ANY);
}

int kernel_side_add_peer(struct kernel_side *side, uint32_t user, uint32_t *peer, int *ring,
                         uint32_t *ring_bytes, struct fault *fault)
{
    uint32_t const place = find_place(side, user), share = share_of(side, user);
    struct given_ring *given = place < AGENT_PEERS_MAX ? find_room(side, user) : NULL;
    if (!given)
        return fault_set(fault, -EUSERS,
                         "the agent serves as many recorders as it can, or as many of yours as "
                         "leave a share to other users: end one of them");
    int err = make_maps(side, place);
    side->peers[place].user = user;
    side->peers[place].share = share;
    if (err == 0 && side->peer_count == 0) /* nobody pays while nobody asks */
        err = memoir_bpf__attach(side->bpf);
    side->peer_count++;
    if (err < 0) {
        kernel_side_remove_peer(side, place);
        return fault_set(
            fault, err,
            "the kernel has no memory for another ring of %u MiB, or does not let the agent read "
            "its events: %s",
            RING_BYTES >> 20, strerror(-err));
    }
    *given = (struct given_ring){map_id(side->peers[place].ring), user};
    clear_counters(side, place);
    kernel_side_deepen(side, place, false);
    *peer = place;
    *ring = side->peers[place].ring;
    *ring_bytes = RING_BYTES;
    return 0;
}

/* What its processes brought into the page cache, and what the kernel took in their name: the
 * next one in its place must not be told when that goes. */
static void forget_pages(struct kernel_side *side, uint32_t peer)
{
    int const files = bpf_map__fd(side->bpf->maps.files);
    int const pages = bpf_map__fd(side->bpf->maps.kernel_pages);
    struct agent_file file, next_file;
    struct agent_kernel_pages kept;
    uint64_t peers, page, next_page;
    int err = bpf_map_get_next_key(files, NULL, &next_file);
    for (unsigned i = 0; err == 0 && i < AGENT_FILES_MAX; i++) {
        file = next_file;
        err = bpf_map_get_next_key(files, &file, &next_file);
        if (bpf_map_lookup_elem(files, &file, &peers) < 0 || !(peers & 1ull << peer))
            continue;
        peers &= ~(1ull << peer);
        bpf_map_update_elem(files, &file, &peers, BPF_EXIST);
    }
    err = bpf_map_get_next_key(pages, NULL, &next_page);
    for (unsigned i = 0; err == 0 && i < AGENT_KERNEL_MAX; i++) {
        page = next_page;
        err = bpf_map_get_next_key(pages, &page, &next_page);
        if (bpf_map_lookup_elem(pages, &page, &kept) == 0 && kept.peer == peer)
            bpf_map_delete_elem(pages, &page);
    }
}

void kernel_side_remove_peer(struct kernel_side *side, uint32_t peer)
{
    struct peer_maps *maps = &side->peers[peer];
    /* Without a ring nobody becomes a target any more; then those that did are taken out. */
    bpf_map_delete_elem(bpf_map__fd(side->bpf->maps.rings), &peer);
    kernel_side_await_nobody(side, peer);
    for (unsigned i = 0; i < 100 && kernel_side_each_target(side, peer, true) > 0; i++)
        ;
    kernel_time_leave(&side->time, peer);
    forget_pages(side, peer);
    bpf_map_delete_elem(bpf_map__fd(side->bpf->maps.known_stacks), &peer);
    if (maps->ring >= 0)
        close(maps->ring);
    if (maps->known >= 0)
        close(maps->known);
    *maps = NO_PEER;
    if (--side->peer_count > 0)
        return;
    memoir_bpf__detach(side->bpf);
    for (unsigned i = 0; i < 2; i++) {
        bpf_link__destroy(side->kernel_pages[i]);
        side->kernel_pages[i] = NULL;
    }
}
