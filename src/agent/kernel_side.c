/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/kernel_side.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/kernel_time.h"
#include "base/clock.h"
#include "kernel/kernel_maps.h"
#include "memoir.skel.h"

#define RING_BYTES      (8u << 20)
#define EXECS_MAX       1024u /* of a process, before its generation could be another's */
#define RINGS_MAX       128u
#define RINGS_PER_USER  32u /* of 8 MiB; root has no limit but all */
#define FORGET_EVERY_NS 1000000000ull
#define TELL_EVERY_NS   20000000ull

struct peer_maps {
    int ring, known;   /* -1: nobody has this place */
    uint64_t fresh_ns; /* when its known stacks were last forgotten */
    uint64_t told_ns;  /* when it last asked for waits that are not over */
};

/* A ring lives as long as somebody has its descriptor. */
struct given_ring {
    uint32_t id, user; /* id 0: none */
};

struct kernel_side {
    struct memoir_bpf *bpf;
    struct peer_maps peers[AGENT_PEERS_MAX];
    struct bpf_link *kernel_pages[2]; /* on_kernel_page, on_kernel_page_free; NULL: nobody asked */
    struct kernel_time time;
    int cpus;
    uint32_t peer_count, generation;
    struct given_ring given[RINGS_MAX];
    struct ring_buffer *rechecks;
    recheck_fn judge; /* meanwhile */
    void *judge_context;
};

/* What libbpf said last, for the sentence. */
static char last_words[256];

static int keep_words(enum libbpf_print_level level, const char *format, va_list list)
{
    if (level == LIBBPF_WARN)
        vsnprintf(last_words, sizeof(last_words), format, list);
    last_words[strcspn(last_words, "\n")] = '\0';
    return 0;
}

/* 1 << the value that the kernel's own list gives to `name`; `otherwise` when it has none. */
static uint32_t kernel_bit(const struct btf *btf, const char *name, uint32_t otherwise)
{
    for (uint32_t id = 1; id < btf__type_cnt(btf); id++) {
        const struct btf_type *type = btf__type_by_id(btf, id);
        if (!btf_is_enum(type) || type->name_off != 0)
            continue;
        const struct btf_enum *item = btf_enum(type);
        for (unsigned i = 0; i < btf_vlen(type); i++)
            if (strcmp(btf__name_by_offset(btf, item[i].name_off), name) == 0 && item[i].val < 32)
                return 1u << item[i].val;
    }
    return otherwise;
}

static void set_bits(struct memoir_bpf *bpf)
{
    struct btf *btf = btf__load_vmlinux_btf();
    if (!btf)
        return;
    bpf->rodata->gfp_movable = kernel_bit(btf, "___GFP_MOVABLE_BIT", bpf->rodata->gfp_movable);
    bpf->rodata->gfp_may_wait =
        kernel_bit(btf, "___GFP_DIRECT_RECLAIM_BIT", bpf->rodata->gfp_may_wait);
    btf__free(btf);
}

static void grant(struct kernel_side *side, uint32_t pid, uint32_t generation)
{
    bpf_map_update_elem(bpf_map__fd(side->bpf->maps.granted), &pid, &generation, BPF_ANY);
}

/* `key`: a process's number, with AGENT_OF_TIME or without. */
static void remove_target(struct kernel_side *side, uint32_t key)
{
    bpf_map_delete_elem(bpf_map__fd(side->bpf->maps.targets), &key);
    bpf_map_delete_elem(bpf_map__fd(side->bpf->maps.granted), &key);
}

/* One process that became another program: goes on being watched, or is let go. */
static int recheck_one(void *context, void *data, size_t size)
{
    struct kernel_side *side = context;
    int const targets = bpf_map__fd(side->bpf->maps.targets);
    struct agent_target target;
    uint32_t pid;
    if (size < sizeof(pid))
        return 0;
    memcpy(&pid, data, sizeof(pid));
    if (bpf_map_lookup_elem(targets, &pid, &target) < 0)
        return 0;
    if (side->judge(side->judge_context, target.peer, pid & ~AGENT_OF_TIME))
        grant(side, pid, target.generation); /* the one that was there before it was judged */
    else
        remove_target(side, pid);
    return 0;
}

int kernel_side_recheck_fd(const struct kernel_side *side)
{
    return ring_buffer__epoll_fd(side->rechecks);
}

void kernel_side_recheck(struct kernel_side *side, recheck_fn judge, void *context)
{
    side->judge = judge;
    side->judge_context = context;
    (void)ring_buffer__consume(side->rechecks);
}

static int try_load(struct kernel_side *side, bool with_time)
{
    side->bpf = memoir_bpf__open();
    if (!side->bpf)
        return -errno;
    struct bpf_program *const on_request[] = {
        side->bpf->progs.on_kernel_page, side->bpf->progs.on_kernel_page_free,
        side->bpf->progs.on_switch,      side->bpf->progs.on_rename,
        side->bpf->progs.on_each_thread, side->bpf->progs.on_tick};
    struct bpf_program *const of_time[] = {side->bpf->progs.on_switch, side->bpf->progs.on_tick,
                                           side->bpf->progs.on_each_thread};
    set_bits(side->bpf);
    bpf_map__set_max_entries(side->bpf->maps.copy_rooms, (uint32_t)side->cpus);
    /* These cost everybody a little; only when asked. */
    for (size_t i = 0; i < sizeof(on_request) / sizeof(on_request[0]); i++)
        bpf_program__set_autoattach(on_request[i], false);
    for (size_t i = 0; !with_time && i < sizeof(of_time) / sizeof(of_time[0]); i++)
        bpf_program__set_autoload(of_time[i], false);
    int err = memoir_bpf__load(side->bpf);
    if (err < 0) {
        memoir_bpf__destroy(side->bpf);
        side->bpf = NULL;
    }
    return err;
}

static int load(struct kernel_side *side, struct fault *fault)
{
    int err = try_load(side, true);
    if (err < 0) /* before 6.1 a sample may not remember a new stack */
        err = try_load(side, false);
    if (err < 0)
        return fault_set(
            fault, err,
            "the kernel does not take our programs (%s): it must be 5.17 or newer, with BTF "
            "(/sys/kernel/btf/vmlinux), and let us load them; `memoir pages --source "
            "perf` works without: %.200s",
            strerror(-err), last_words);
    side->time = (struct kernel_time){.on_tick = side->bpf->progs.on_tick,
                                      .on_switch = side->bpf->progs.on_switch,
                                      .on_rename = side->bpf->progs.on_rename,
                                      .on_each_thread = side->bpf->progs.on_each_thread,
                                      .targets = bpf_map__fd(side->bpf->maps.targets),
                                      .waiters = bpf_map__fd(side->bpf->maps.waiters),
                                      .cpus = side->cpus};
    side->rechecks =
        ring_buffer__new(bpf_map__fd(side->bpf->maps.rechecks), recheck_one, side, NULL);
    return side->rechecks ? 0 : fault_set(fault, -errno, "no ring for execs: %s", last_words);
}

struct kernel_side *kernel_side_open(struct fault *fault)
{
    struct kernel_side *side = calloc(1, sizeof(*side));
    if (!side) {
        fault_set(fault, -ENOMEM, "out of memory");
        return NULL;
    }
    libbpf_set_print(keep_words);
    side->cpus = libbpf_num_possible_cpus();
    for (unsigned i = 0; i < AGENT_PEERS_MAX; i++)
        side->peers[i] = (struct peer_maps){-1, -1, 0, 0};
    if (load(side, fault) == 0)
        return side;
    kernel_side_close(side);
    return NULL;
}

void kernel_side_close(struct kernel_side *side)
{
    if (!side)
        return;
    for (uint32_t i = 0; i < AGENT_PEERS_MAX; i++)
        if (side->peers[i].ring >= 0)
            kernel_side_remove_peer(side, i);
    ring_buffer__free(side->rechecks);
    memoir_bpf__destroy(side->bpf);
    free(side);
}

/* An empty map for known stacks, in the place of the one there was. */
static int fresh_known(struct kernel_side *side, uint32_t peer)
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

/* The same on a peer's behalf, who may not do so all the time: it takes some milliseconds of everybody's. */
static void forget_known(struct kernel_side *side, uint32_t peer)
{
    uint64_t const now = monotonic_ns();
    if (now - side->peers[peer].fresh_ns < FORGET_EVERY_NS)
        return;
    side->peers[peer].fresh_ns = now;
    (void)fresh_known(side, peer);
}

static uint32_t map_id(int fd)
{
    struct bpf_map_info info = {0};
    uint32_t size = sizeof(info);
    return bpf_obj_get_info_by_fd(fd, &info, &size) == 0 ? info.id : 0;
}

/* Where one more ring of a user can be written down; NULL when he has too many, or all have. */
static struct given_ring *find_room(struct kernel_side *side, uint32_t user)
{
    struct given_ring *room = NULL;
    unsigned theirs = 0;
    for (unsigned i = 0; i < RINGS_MAX; i++) {
        struct given_ring *given = &side->given[i];
        int const fd = given->id ? bpf_map_get_fd_by_id(given->id) : -1;
        if (fd < 0)
            *given = (struct given_ring){0, 0};
        else
            close(fd);
        theirs += given->id && given->user == user;
        if (!given->id)
            room = given;
    }
    return user != 0 && theirs >= RINGS_PER_USER ? NULL : room;
}

static int make_maps(struct kernel_side *side, uint32_t peer)
{
    struct peer_maps *maps = &side->peers[peer];
    maps->ring = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "memoir_ring", 0, 0, RING_BYTES, NULL);
    if (maps->ring < 0)
        return maps->ring;
    int err = bpf_map_update_elem(bpf_map__fd(side->bpf->maps.rings), &peer, &maps->ring, BPF_ANY);
    return err < 0 ? err : fresh_known(side, peer);
}

static void clear_counters(struct kernel_side *side, uint32_t peer)
{
    struct agent_counters *none = calloc((size_t)side->cpus, sizeof(*none));
    if (none)
        bpf_map_update_elem(bpf_map__fd(side->bpf->maps.counters), &peer, none, BPF_ANY);
    free(none);
}

int kernel_side_add_peer(struct kernel_side *side, uint32_t user, uint32_t *peer, int *ring,
                         uint32_t *ring_bytes, struct fault *fault)
{
    uint32_t place = 0;
    struct given_ring *given = find_room(side, user);
    if (!given)
        return fault_set(fault, -EUSERS,
                         "you have %u rings already, or others have too many: end a recorder",
                         RINGS_PER_USER);
    while (place < AGENT_PEERS_MAX && side->peers[place].ring >= 0)
        place++;
    if (place == AGENT_PEERS_MAX)
        return fault_set(fault, -EUSERS, "%u recorders are served already: end one of them",
                         AGENT_PEERS_MAX);
    int err = make_maps(side, place);
    if (err == 0 && side->peer_count == 0) /* nobody pays while nobody asks */
        err = memoir_bpf__attach(side->bpf);
    side->peer_count++;
    if (err < 0) {
        kernel_side_remove_peer(side, place);
        return fault_set(
            fault, err,
            "the kernel has no room for another ring of %u MiB, or does not let us see its "
            "events: %s",
            RING_BYTES >> 20, strerror(-err));
    }
    *given = (struct given_ring){map_id(side->peers[place].ring), user};
    clear_counters(side, place);
    *peer = place;
    *ring = side->peers[place].ring;
    *ring_bytes = RING_BYTES;
    return 0;
}

/* The targets of a peer, its own and children that the kernel added: counts them, and takes them out if `take`. */
static uint32_t each_target(struct kernel_side *side, uint32_t peer, bool take)
{
    int targets = bpf_map__fd(side->bpf->maps.targets);
    uint32_t pid, next, count = 0;
    struct agent_target target;
    int err = bpf_map_get_next_key(targets, NULL, &next);
    for (unsigned i = 0; err == 0 && i < 2 * AGENT_TARGETS_MAX; i++) {
        pid = next;
        err = bpf_map_get_next_key(targets, &pid, &next);
        if (bpf_map_lookup_elem(targets, &pid, &target) < 0 || target.peer != peer)
            continue;
        count++;
        if (take)
            remove_target(side, pid);
    }
    return count;
}

uint32_t kernel_side_count(struct kernel_side *side, uint32_t peer)
{
    return each_target(side, peer, false);
}

/* What its processes brought into the page cache, and what the kernel took in their name: the next one in its place must
 * not be told when that goes. */
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
    /* Without a ring no child becomes a target any more; then those that did are taken out. */
    bpf_map_delete_elem(bpf_map__fd(side->bpf->maps.rings), &peer);
    for (unsigned i = 0; i < 100 && each_target(side, peer, true) > 0; i++)
        ;
    kernel_time_leave(&side->time, peer);
    forget_pages(side, peer);
    bpf_map_delete_elem(bpf_map__fd(side->bpf->maps.known_stacks), &peer);
    if (maps->ring >= 0)
        close(maps->ring);
    if (maps->known >= 0)
        close(maps->known);
    *maps = (struct peer_maps){-1, -1, 0, 0};
    if (--side->peer_count > 0)
        return;
    memoir_bpf__detach(side->bpf);
    for (unsigned i = 0; i < 2; i++) {
        bpf_link__destroy(side->kernel_pages[i]);
        side->kernel_pages[i] = NULL;
    }
}

static int watch_kernel_pages(struct kernel_side *side, struct fault *fault)
{
    struct bpf_program *const programs[2] = {side->bpf->progs.on_kernel_page,
                                             side->bpf->progs.on_kernel_page_free};
    for (unsigned i = 0; i < 2; i++) {
        if (!side->kernel_pages[i])
            side->kernel_pages[i] = bpf_program__attach(programs[i]);
        if (!side->kernel_pages[i])
            return fault_set(fault, -errno, "pages of the kernel itself cannot be watched here: %s",
                             last_words);
    }
    return 0;
}

/* Puts one target in its place. */
static int put_target(struct kernel_side *side, uint32_t key, const struct agent_target *target,
                      struct fault *fault)
{
    int const targets = bpf_map__fd(side->bpf->maps.targets);
    struct agent_target before;
    if (key & AGENT_OF_TIME && bpf_map_lookup_elem(targets, &key, &before) == 0 &&
        before.peer ==
            target->peer) /* never changed in place: it may become another program just now */
        remove_target(side, key);
    int err = bpf_map_update_elem(targets, &key, target, BPF_NOEXIST);
    if (err == -EEXIST)
        return fault_set(fault, err,
                         "process %u is being watched by another recorder: end that one first",
                         key & ~AGENT_OF_TIME);
    if (err < 0)
        return fault_set(fault, err, "%u processes are watched already: end a recorder",
                         AGENT_TARGETS_MAX);
    return 0;
}

int kernel_side_watch(struct kernel_side *side, struct kernel_watch *watch, struct fault *fault)
{
    uint32_t const time = watch->watch & AGENT_WATCH_TIME;
    struct agent_target target = {.peer = watch->peer,
                                  .generation = side->generation += EXECS_MAX,
                                  .is_judged = watch->is_judged,
                                  .hz = watch->watch & AGENT_WATCH_CPU ? watch->hz : 0,
                                  .sees_kernel = watch->sees_kernel,
                                  .wait_least_ns = watch->wait_least_us * 1000ull,
                                  .since_ns = monotonic_ns()};
    int err = watch->watch & AGENT_WATCH_KERNEL ? watch_kernel_pages(side, fault) : 0;
    if (err == 0)
        err = kernel_time_want(&side->time, watch->peer, watch->watch, watch->hz, fault);
    watch->generation = target.generation;
    target.watch = watch->watch & ~AGENT_WATCH_MEMORY;
    if (err == 0 && time)
        err = put_target(side, watch->pid | AGENT_OF_TIME, &target, fault);
    target.watch = watch->watch & ~AGENT_WATCH_TIME;
    if (err < 0 || (time && !(watch->watch & AGENT_WATCH_MEMORY)))
        return err;
    err = put_target(side, watch->pid, &target, fault);
    if (err < 0 && time)
        remove_target(side, watch->pid | AGENT_OF_TIME);
    return err;
}

/* By `key`, with AGENT_OF_TIME or without. */
static bool is_of_peer(struct kernel_side *side, uint32_t peer, uint32_t key,
                       struct agent_target *target)
{
    return bpf_map_lookup_elem(bpf_map__fd(side->bpf->maps.targets), &key, target) == 0 &&
           target->peer == peer;
}

void kernel_side_unwatch(struct kernel_side *side, uint32_t peer, uint32_t pid)
{
    struct agent_target target;
    if (is_of_peer(side, peer, pid, &target))
        remove_target(side, pid);
    if (!is_of_peer(side, peer, pid | AGENT_OF_TIME, &target))
        return;
    remove_target(side, pid | AGENT_OF_TIME);
    if (target.watch & AGENT_WATCH_WAITS)
        kernel_time_forget(&side->time, pid);
}

void kernel_side_grant(struct kernel_side *side, const struct kernel_watch *watch)
{
    struct agent_target target;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t const key = watch->pid | (i ? AGENT_OF_TIME : 0);
        if (is_of_peer(side, watch->peer, key, &target))
            grant(side, key, watch->generation);
    }
}

static bool has_generation(struct kernel_side *side, uint32_t peer, uint32_t key,
                           uint32_t generation)
{
    struct agent_target target;
    return is_of_peer(side, peer, key, &target) && target.generation == generation;
}

void kernel_side_know(struct kernel_side *side, uint32_t peer, const struct agent_know *know)
{
    struct agent_place place = {.pid = know->request.pid,
                                .generation = know->generation,
                                .ip = know->ip,
                                .sp = know->sp,
                                .way = know->way};
    if (!has_generation(side, peer, place.pid, know->generation) &&
        !has_generation(side, peer, place.pid | AGENT_OF_TIME, know->generation))
        return;
    if (bpf_map_update_elem(side->peers[peer].known, &place, &know->stack, BPF_ANY) == -E2BIG)
        forget_known(side, peer);
}

void kernel_side_renew(struct kernel_side *side, uint32_t peer, uint32_t pid)
{
    struct agent_target target;
    if (is_of_peer(side, peer, pid, &target) ||
        is_of_peer(side, peer, pid | AGENT_OF_TIME, &target))
        forget_known(side, peer);
}

void kernel_side_tell_waits(struct kernel_side *side, uint32_t peer, uint32_t pid)
{
    int const targets = bpf_map__fd(side->bpf->maps.targets);
    struct agent_target target;
    uint32_t key, next;
    if (monotonic_ns() - side->peers[peer].told_ns < TELL_EVERY_NS)
        return;
    int err = bpf_map_get_next_key(targets, NULL, &next);
    for (unsigned i = 0; err == 0 && i < 2 * AGENT_TARGETS_MAX; i++) {
        key = next;
        err = bpf_map_get_next_key(targets, &key, &next);
        if (key & AGENT_OF_TIME && (pid == 0 || key == (pid | AGENT_OF_TIME)) &&
            is_of_peer(side, peer, key, &target) && target.watch & AGENT_WATCH_WAITS)
            kernel_time_tell_waits(&side->time, key & ~AGENT_OF_TIME);
    }
    side->peers[peer].told_ns = monotonic_ns();
}

/* Events that the kernel left out because they happened inside our own programs; of all peers together. */
static uint64_t recursion_misses(const struct kernel_side *side)
{
    uint64_t sum = 0;
    struct bpf_program *program;
    bpf_object__for_each_program(program, side->bpf->obj)
    {
        struct bpf_prog_info info = {0};
        uint32_t size = sizeof(info);
        if (bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size) == 0)
            sum += info.recursion_misses;
    }
    return sum;
}

void kernel_side_counters(struct kernel_side *side, uint32_t peer, struct agent_counters *counters)
{
    struct agent_counters *each = calloc((size_t)side->cpus, sizeof(*each));
    *counters = (struct agent_counters){0};
    if (each && bpf_map_lookup_elem(bpf_map__fd(side->bpf->maps.counters), &peer, each) == 0)
        for (int i = 0; i < side->cpus; i++) {
            counters->records += each[i].records;
            counters->lost += each[i].lost;
            counters->copies += each[i].copies;
            counters->assumed += each[i].assumed;
            counters->not_taken += each[i].not_taken;
            counters->unreadable += each[i].unreadable;
            counters->waits_missed += each[i].waits_missed;
        }
    counters->recursion_misses = recursion_misses(side);
    free(each);
}
