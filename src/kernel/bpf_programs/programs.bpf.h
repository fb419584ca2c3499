/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* programs.bpf.h - what all BPF programs share: the maps, which processes are watched, how a record
 * is written. */
#pragma once

#include "kernel_types.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "kernel_maps.h"

#define always static __attribute__((always_inline)) inline

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, AGENT_TARGETS_MAX);
    __type(key, uint32_t);
    __type(value, struct agent_target);
} targets SEC(".maps");

/* Targets of each user's peers, by their share, and of all peers that are judged: with children,
 * and not more than their part. */
uint64_t target_counts[AGENT_PEERS_MAX];
uint64_t judged_targets;

/* What a peer that is judged may see of a target.  Written by the agent when the peer has proved
 * that it may, and for a forked child, whose memory is a copy of what its parent has. */
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, AGENT_TARGETS_MAX);
    __type(key, uint32_t);
    __type(value, struct agent_grant);
} granted SEC(".maps");

/* One ring per peer, so that a slow one loses only its own records. */
struct ring {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, 4096);
};
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
    __uint(max_entries, AGENT_PEERS_MAX);
    __type(key, uint32_t);
    __array(values, struct ring);
} rings SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, AGENT_PEERS_MAX);
    __type(key, uint32_t);
    __type(value, struct agent_counters);
} counters SEC(".maps");

#define WINDOW_WORDS 128u /* of a stack, read at once: one read costs as much as copying 1 KiB */

/* A sample is taken in the middle of any other program on the same processor, and a switch may
 * come in the middle of one for a fault: each has scratch of its own. */
enum lane { LANE_EVENT, LANE_SWITCH, LANE_SAMPLE, LANES };

/* A record with all that can follow it. */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgnu-variable-sized-type-not-at-end"
struct time_room {
    struct agent_time time;
    uint64_t kernel[AGENT_KERNEL_FRAMES];
};
#pragma clang diagnostic pop

/* Reading a page that is not there is a fault too: the one we are in is enough. */
struct scratch {
    uint32_t busy, fault_tid; /* these five of LANE_EVENT only; busy for all of them */
    uint64_t fault_address;   /* of the last one here */
    uint32_t fault_stack, fault_in_kernel;
    uint64_t window[WINDOW_WORDS]; /* of a stack */
    struct time_room time;
};
struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, LANES);
    __type(key, uint32_t);
    __type(value, struct scratch);
} scratches SEC(".maps");

always struct scratch *scratch_of(uint32_t lane)
{
    return bpf_map_lookup_elem(&scratches, &lane);
}

always struct scratch *scratch_of_cpu(void)
{
    return scratch_of(LANE_EVENT);
}

/* Counters are of one processor, where a sample may come in between. */
#define COUNT(counter) ((void)__sync_fetch_and_add(&(counter), 1))

always struct agent_counters *count_for(uint32_t peer)
{
    return bpf_map_lookup_elem(&counters, &peer);
}

/* By the number of a process, with AGENT_OF_TIME or without; so below. */
always struct agent_target *target_of(uint32_t pid)
{
    return bpf_map_lookup_elem(&targets, &pid);
}

#define MAY_BE_SEEN 1u /* of the two bits in the flags of a memory: SUID_DUMP_USER */

/* Whether a process lets its user see into its memory, at this moment. */
always bool is_open(struct mm_struct *mm)
{
    struct mm_struct___wrapped *wrapped = (void *)mm;
    uint64_t flags;
    if (bpf_core_field_exists(wrapped->flags.__mm_flags))
        flags = BPF_CORE_READ(wrapped, flags.__mm_flags[0]);
    else
        flags = BPF_CORE_READ((struct mm_struct___word *)(void *)mm, flags);
    return (flags & 3) == MAY_BE_SEEN;
}

/* Whether a task is the peer's user's and has no power that the user has not: the part of the
 * kernel's rule for ptrace that can change while a program runs. */
always bool is_of_user(const struct agent_target *target, struct task_struct *task)
{
    const struct cred *cred = BPF_CORE_READ(task, cred);
    uint32_t const user = target->user, group = target->group;
    uint64_t powers = 1;
    if (bpf_core_read(&powers, sizeof(powers), &cred->cap_permitted) < 0 || powers)
        return 0;
    return BPF_CORE_READ(cred, euid.val) == user && BPF_CORE_READ(cred, uid.val) == user &&
           BPF_CORE_READ(cred, suid.val) == user && BPF_CORE_READ(cred, egid.val) == group &&
           BPF_CORE_READ(cred, gid.val) == group && BPF_CORE_READ(cred, sgid.val) == group;
}

/* Whether the peer proved that it may see this very program, and still may.  The memory becomes
 * another in the middle of an exec, before anything of the new program is there. */
always bool is_granted(const struct agent_target *target, uint32_t pid, struct task_struct *task)
{
    struct agent_grant *grant;
    if (!target->is_judged)
        return 1;
    grant = bpf_map_lookup_elem(&granted, &pid);
    struct mm_struct *mm = BPF_CORE_READ(task, mm);
    return grant && mm && grant->generation == target->generation &&
           grant->memory == (uint64_t)mm && is_open(mm) && is_of_user(target, task);
}

/* `task`: any thread of the process. */
always bool is_watched_task(const struct agent_target *target, uint32_t pid, uint32_t watch,
                            struct task_struct *task)
{
    return target && target->watch & watch && !(target->watch & AGENT_WATCH_NEXT) &&
           is_granted(target, pid, task);
}

always bool is_watched(const struct agent_target *target, uint32_t pid, uint32_t watch)
{
    return is_watched_task(target, pid, watch, bpf_get_current_task_btf());
}

always uint32_t current_pid(void)
{
    return (uint32_t)(bpf_get_current_pid_tgid() >> 32);
}

always void fill_record(struct agent_record *record, uint32_t kind, uint32_t flags, uint32_t stack,
                        uint64_t address)
{
    uint64_t both = bpf_get_current_pid_tgid();
    record->kind = (uint8_t)kind;
    record->flags = (uint8_t)flags;
    record->reserved = 0;
    record->pid = (uint32_t)(both >> 32);
    record->tid = (uint32_t)both;
    record->stack = stack;
    record->time_ns = kind == AGENT_FAULT ? 0 : bpf_ktime_get_ns();
    record->address = address;
}

/* Writes `size` bytes into the ring of a peer. */
always void write_record(uint32_t peer, void *record, uint64_t size, uint64_t flags)
{
    void *ring = bpf_map_lookup_elem(&rings, &peer);
    struct agent_counters *count = count_for(peer);
    if (!ring || !count)
        return;
    if (bpf_ringbuf_output(ring, record, size, flags) < 0)
        COUNT(count->lost);
    else
        COUNT(count->records);
}

/* Those with which the thread that is running came into the kernel, or was interrupted. */
always struct pt_regs *user_registers(void)
{
    return (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
}
