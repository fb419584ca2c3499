/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_targets.c - the watched processes in the kernel side, and what is known of their
 * stacks. */
#include <errno.h>
#include <string.h>

#include "agent/kernel_side_parts.h"
#include "base/clock.h"

#define EXECS_MAX       1024u /* of a process, before its generation could be another's */
#define FORGET_EVERY_NS NS_PER_SECOND
#define TELL_EVERY_NS   20000000ull

/* As the BPF programs count them, who add children. */
static void count_target(struct kernel_side *side, const struct agent_target *target, uint64_t more)
{
    struct memoir_bpf__bss *bss = side->bpf->bss;
    __atomic_fetch_add(&bss->target_counts[target->share], more, __ATOMIC_RELAXED);
    if (target->is_judged)
        __atomic_fetch_add(&bss->judged_targets, more, __ATOMIC_RELAXED);
}

void kernel_side_remove_key(struct kernel_side *side, uint32_t key)
{
    int const targets = bpf_map__fd(side->bpf->maps.targets);
    struct agent_target target;
    bool const is_there = bpf_map_lookup_elem(targets, &key, &target) == 0;
    if (bpf_map_delete_elem(targets, &key) == 0 && is_there)
        count_target(side, &target, (uint64_t)-1);
    bpf_map_delete_elem(bpf_map__fd(side->bpf->maps.granted), &key);
}

uint32_t kernel_side_each_target(struct kernel_side *side, uint32_t peer, bool take)
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
            kernel_side_remove_key(side, pid);
    }
    return count;
}

uint32_t kernel_side_count(struct kernel_side *side, uint32_t peer)
{
    return kernel_side_each_target(side, peer, false);
}

static int watch_kernel_pages(struct kernel_side *side, struct fault *fault)
{
    struct bpf_program *const programs[2] = {side->bpf->progs.on_kernel_page,
                                             side->bpf->progs.on_kernel_page_free};
    for (unsigned i = 0; i < 2; i++) {
        if (!side->kernel_pages[i])
            side->kernel_pages[i] = bpf_program__attach(programs[i]);
        if (!side->kernel_pages[i])
            return fault_set(fault, -errno,
                             "pages of the kernel itself cannot be recorded here: "
                             "%s",
                             kernel_side_last_words());
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
        kernel_side_remove_key(side, key);
    const struct memoir_bpf__bss *bss = side->bpf->bss;
    if (target->is_judged && (bss->target_counts[target->share] >= AGENT_TARGETS_OF_USER ||
                              bss->judged_targets >= AGENT_TARGETS_OF_USERS))
        return fault_set(fault, -EUSERS,
                         "%u processes of yours, or %u of all users, are being recorded already: "
                         "end a recorder",
                         AGENT_TARGETS_OF_USER, AGENT_TARGETS_OF_USERS);
    int err = bpf_map_update_elem(targets, &key, target, BPF_NOEXIST);
    if (err == 0)
        count_target(side, target, 1);
    if (err == -EEXIST)
        return fault_set(fault, err,
                         "process %u is being recorded by another recorder: end that recorder "
                         "first",
                         key & ~AGENT_OF_TIME);
    if (err < 0)
        return fault_set(fault, err, "%u processes are being recorded already: end a recorder",
                         AGENT_TARGETS_MAX);
    return 0;
}

/* What is asked for, as a target, once the programs that it needs are at work.  0 or -errno. */
static int prepare_target(struct kernel_side *side, const struct kernel_watch *watch,
                          struct agent_target *target, struct fault *fault)
{
    *target = (struct agent_target){.peer = watch->peer,
                                    .generation = side->generation += EXECS_MAX,
                                    .is_judged = watch->is_judged,
                                    .user = watch->user,
                                    .group = watch->group,
                                    .share = side->peers[watch->peer].share,
                                    .hz = watch->watch & AGENT_WATCH_CPU ? watch->hz : 0,
                                    .sees_kernel = watch->sees_kernel,
                                    .wait_least_ns = watch->wait_least_us * 1000ull,
                                    .since_ns = monotonic_ns()};
    int err = watch->watch & AGENT_WATCH_KERNEL ? watch_kernel_pages(side, fault) : 0;
    return err < 0 ? err : kernel_time_want(&side->time, watch, fault);
}

int kernel_side_watch(struct kernel_side *side, const struct kernel_watch *watch,
                      struct fault *fault)
{
    uint32_t const time = watch->watch & AGENT_WATCH_TIME;
    struct agent_target target;
    int err = prepare_target(side, watch, &target, fault);
    target.watch = watch->watch & ~AGENT_WATCH_MEMORY;
    if (err == 0 && time)
        err = put_target(side, watch->pid | AGENT_OF_TIME, &target, fault);
    target.watch = watch->watch & ~AGENT_WATCH_TIME;
    if (err < 0 || (time && !(watch->watch & AGENT_WATCH_MEMORY)))
        return err;
    err = put_target(side, watch->pid, &target, fault);
    if (err < 0 && time)
        kernel_side_remove_key(side, watch->pid | AGENT_OF_TIME);
    return err;
}

int kernel_side_await(struct kernel_side *side, const struct kernel_watch *watch, const char *name,
                      struct fault *fault)
{
    static const uint32_t parts[2] = {AGENT_WATCH_MEMORY, AGENT_WATCH_TIME};
    struct agent_awaited awaited = {.is_once = watch->watch & AGENT_WATCH_ONCE};
    int err = prepare_target(side, watch, &awaited.target, fault);
    for (uint32_t i = 0; i < 2 && err == 0; i++) {
        struct agent_awaited_key key = {.of_time = i ? AGENT_OF_TIME : 0};
        if (!(watch->watch & parts[i]))
            continue;
        memcpy(key.name, name, sizeof(key.name));
        awaited.target.watch = watch->watch & ~parts[!i] & ~AGENT_WATCH_ONCE;
        err = bpf_map_update_elem(bpf_map__fd(side->bpf->maps.awaited_names), &key, &awaited,
                                  BPF_NOEXIST);
    }
    if (err == -EEXIST)
        return fault_set(fault, err,
                         "another recorder waits for %.15s: end that recorder "
                         "first",
                         name);
    return err == -E2BIG ? fault_set(fault, err,
                                     "recorders wait for %u names already: end a "
                                     "recorder",
                                     AGENT_AWAITED_MAX)
                         : err;
}

void kernel_side_await_nobody(struct kernel_side *side, uint32_t peer)
{
    int const names = bpf_map__fd(side->bpf->maps.awaited_names);
    struct agent_awaited_key key, next;
    struct agent_awaited awaited;
    int err = bpf_map_get_next_key(names, NULL, &next);
    for (unsigned i = 0; err == 0 && i < AGENT_AWAITED_MAX; i++) {
        key = next;
        err = bpf_map_get_next_key(names, &key, &next);
        if (bpf_map_lookup_elem(names, &key, &awaited) == 0 && awaited.target.peer == peer)
            bpf_map_delete_elem(names, &key);
    }
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
        kernel_side_remove_key(side, pid);
    if (!is_of_peer(side, peer, pid | AGENT_OF_TIME, &target))
        return;
    kernel_side_remove_key(side, pid | AGENT_OF_TIME);
    if (target.watch & AGENT_WATCH_WAITS)
        kernel_time_forget(&side->time, pid);
}

struct kernel_generations kernel_side_generations(struct kernel_side *side, uint32_t peer,
                                                  uint32_t pid)
{
    struct kernel_generations generations = {{0, 0}};
    struct agent_target target;
    for (uint32_t i = 0; i < 2; i++)
        if (is_of_peer(side, peer, pid | (i ? AGENT_OF_TIME : 0), &target))
            generations.of[i] = target.generation;
    return generations;
}

void kernel_side_grant(struct kernel_side *side, uint32_t peer, uint32_t pid,
                       const struct kernel_generations *generations, uint64_t memory)
{
    struct agent_target target;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t const key = pid | (i ? AGENT_OF_TIME : 0);
        struct agent_grant const grant = {.memory = memory, .generation = generations->of[i]};
        if (grant.generation && is_of_peer(side, peer, key, &target))
            bpf_map_update_elem(bpf_map__fd(side->bpf->maps.granted), &key, &grant, BPF_ANY);
    }
}

static bool has_generation(struct kernel_side *side, uint32_t peer, uint32_t key,
                           uint32_t generation)
{
    struct agent_target target;
    return is_of_peer(side, peer, key, &target) && target.generation == generation;
}

/* A fresh map of known stacks on a peer's behalf, who may not have one all the time: it takes
 * some milliseconds of everybody's. */
static void forget_known(struct kernel_side *side, uint32_t peer)
{
    uint64_t const now = monotonic_ns();
    if (now - side->peers[peer].fresh_ns < FORGET_EVERY_NS)
        return;
    side->peers[peer].fresh_ns = now;
    (void)kernel_side_fresh_known(side, peer);
}

/* A stack that came while the first one of its place was not known: it becomes that one, unless
 * it is known by now.  Then it comes once more, and goes where its words lead. */
static bool find_lasting_place(int known, struct agent_place *place)
{
    struct agent_stack first;
    bpf_map_delete_elem(known, place);
    place->branch = 0;
    return bpf_map_lookup_elem(known, place, &first) < 0 || first.is_pending;
}

void kernel_side_know(struct kernel_side *side, uint32_t peer, const struct agent_know *know)
{
    struct agent_place place = {.pid = know->request.pid,
                                .generation = know->generation,
                                .ip = know->ip,
                                .sp = know->sp,
                                .branch = know->branch};
    if (!has_generation(side, peer, place.pid, know->generation) &&
        !has_generation(side, peer, place.pid | AGENT_OF_TIME, know->generation))
        return;
    if (place.branch & AGENT_BY_HINT && !find_lasting_place(side->peers[peer].known, &place))
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
