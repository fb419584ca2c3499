/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* lives.bpf.h - the beginning and the end of watched processes and their threads, and their
 * names. */
#pragma once

#include "programs.bpf.h"

/* Threads that wait, or did since they are watched. */
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, AGENT_THREADS_MAX);
    __type(key, uint32_t);
    __type(value, struct agent_waiter);
} waiters SEC(".maps");

always void tell_name(struct agent_target *target, struct task_struct *task, const char *name,
                      uint32_t kind)
{
    struct agent_name record;
    fill_record(&record.record, kind, 0, AGENT_STACK_NONE, 0);
    if (kind == AGENT_STARTED)
        record.record.address = task->signal->sum_sched_runtime + task->se.sum_exec_runtime;
    record.record.pid = (uint32_t)task->tgid;
    record.record.tid = (uint32_t)task->pid;
    __builtin_memset(record.name, 0, sizeof(record.name));
    bpf_probe_read_kernel_str(record.name, sizeof(record.name), name);
    write_record(target->peer, &record, sizeof(record),
                 kind == AGENT_STARTED ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP);
}

/* Only attached while somebody watches the time of processes. */
SEC("tp_btf/task_rename")
int BPF_PROG(on_rename, struct task_struct *task, const char *name)
{
    uint32_t key = (uint32_t)task->tgid | AGENT_OF_TIME;
    struct agent_target *target = target_of(key);
    if (is_watched_task(target, key, AGENT_WATCH_TIME, task))
        tell_name(target, task, name, AGENT_NAME);
    return 0;
}

always bool is_nobody(uint32_t peer, uint32_t time_peer)
{
    return peer >= AGENT_PEERS_MAX && time_peer >= AGENT_PEERS_MAX;
}

/* A target more, if its peer's user may have one more. */
always bool add_target(uint32_t key, const struct agent_target *target)
{
    uint64_t *count = &target_counts[target->share & (AGENT_PEERS_MAX - 1)];
    if (target->is_judged &&
        (*count >= AGENT_TARGETS_OF_USER || judged_targets >= AGENT_TARGETS_OF_USERS))
        return 0;
    if (bpf_map_update_elem(&targets, &key, target, BPF_NOEXIST) < 0)
        return 0;
    __sync_fetch_and_add(count, 1);
    if (target->is_judged)
        __sync_fetch_and_add(&judged_targets, 1);
    return 1;
}

always void forget_target(uint32_t key)
{
    struct agent_target *target = target_of(key);
    if (target) {
        uint32_t const share = target->share & (AGENT_PEERS_MAX - 1);
        bool const is_judged = target->is_judged;
        if (bpf_map_delete_elem(&targets, &key) == 0) {
            __sync_fetch_and_add(&target_counts[share], -1);
            if (is_judged)
                __sync_fetch_and_add(&judged_targets, -1);
        }
    }
    bpf_map_delete_elem(&granted, &key);
}

/* A child is watched as its parent is, if that was asked.  Whom to tell, or AGENT_PEERS_MAX. */
always uint32_t inherit(struct task_struct *parent, struct task_struct *child, uint32_t of_time)
{
    uint32_t const parent_key = (uint32_t)parent->tgid | of_time;
    uint32_t child_key = (uint32_t)child->tgid | of_time;
    struct agent_target *target = target_of(parent_key);
    if (!target || !(target->watch & (AGENT_WATCH_MEMORY | AGENT_WATCH_TIME)) ||
        !(target->watch & (AGENT_WATCH_CHILDREN | AGENT_WATCH_NEXT)))
        return AGENT_PEERS_MAX;
    if (!is_granted(target, parent_key, parent) || !bpf_map_lookup_elem(&rings, &target->peer))
        return AGENT_PEERS_MAX;
    struct agent_target copy = *target;
    copy.watch &= ~AGENT_WATCH_NEXT;
    copy.since_ns = bpf_ktime_get_ns();
    if (target->watch & AGENT_WATCH_NEXT)
        target->watch = AGENT_WATCH_NEXT; /* and no other */
    if (!add_target(child_key, &copy))
        return AGENT_PEERS_MAX;
    if (copy.is_judged) {
        struct agent_grant grant = {.memory = (uint64_t)BPF_CORE_READ(child, mm),
                                    .generation = copy.generation};
        bpf_map_update_elem(&granted, &child_key, &grant, BPF_ANY);
    }
    return copy.peer;
}

/* To both who watch a process, or once if they are one. */
always void tell_both(uint32_t memory, uint32_t time, struct agent_record *record)
{
    if (memory < AGENT_PEERS_MAX)
        write_record(memory, record, sizeof(*record), BPF_RB_FORCE_WAKEUP);
    if (time < AGENT_PEERS_MAX && time != memory)
        write_record(time, record, sizeof(*record), BPF_RB_FORCE_WAKEUP);
}

always uint32_t peer_of(const struct agent_target *target)
{
    return target ? target->peer : AGENT_PEERS_MAX;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
    uint32_t pid = (uint32_t)child->tgid, parent_pid = (uint32_t)parent->tgid;
    uint32_t const time = AGENT_OF_TIME;
    struct agent_record record;
    if (pid == parent_pid) { /* a thread */
        struct agent_target *target = target_of(pid | time);
        if (is_watched_task(target, pid | time, AGENT_WATCH_TIME, parent))
            tell_name(target, child, child->comm, AGENT_NAME);
        return 0;
    }
    /* Its number was another process's before. */
    forget_target(pid);
    forget_target(pid | time);
    uint32_t const peer = inherit(parent, child, 0);
    uint32_t const time_peer = inherit(parent, child, time);
    if (is_nobody(peer, time_peer))
        return 0;
    fill_record(&record, AGENT_FORK, 0, AGENT_STACK_NONE, pid);
    tell_both(peer, time_peer, &record);
    return 0;
}

/* It may be somebody else's program now, set-user-id for one: who is judged proves again that it
 * may see it. */
always uint32_t renew(uint32_t key)
{
    struct agent_target *target = target_of(key);
    if (!target)
        return AGENT_PEERS_MAX;
    target->generation++;
    if (target->is_judged)
        bpf_map_delete_elem(&granted, &key);
    return target->peer;
}

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, AGENT_AWAITED_MAX);
    __type(key, struct agent_awaited_key);
    __type(value, struct agent_awaited);
} awaited_names SEC(".maps");

/* Whoever becomes what somebody waits for is watched before its first instruction. */
always void begin_awaited(struct task_struct *task, uint32_t of_time)
{
    struct agent_awaited_key key = {.of_time = of_time};
    uint32_t pid = (uint32_t)task->tgid | of_time;
    bpf_probe_read_kernel_str(key.name, sizeof(key.name), task->comm);
    struct agent_awaited *awaited = bpf_map_lookup_elem(&awaited_names, &key);
    if (!awaited || !bpf_map_lookup_elem(&rings, &awaited->target.peer))
        return;
    struct mm_struct *mm = BPF_CORE_READ(task, mm);
    if (awaited->target.is_judged && !(mm && is_open(mm) && is_of_user(&awaited->target, task)))
        return;
    struct agent_target copy = awaited->target;
    copy.since_ns = bpf_ktime_get_ns();
    copy.generation = (uint32_t)(copy.since_ns >> 10);
    if (awaited->is_once && bpf_map_delete_elem(&awaited_names, &key) < 0)
        return; /* another one was the first */
    if (!add_target(pid, &copy))
        return;
    tell_name(&copy, task, task->comm, AGENT_STARTED);
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task, int old_tid)
{
    uint32_t pid = (uint32_t)task->tgid, tid = (uint32_t)old_tid;
    uint32_t const peer = renew(pid), time_peer = renew(pid | AGENT_OF_TIME);
    struct agent_record record;
    if (peer >= AGENT_PEERS_MAX)
        begin_awaited(task, 0);
    if (time_peer >= AGENT_PEERS_MAX)
        begin_awaited(task, AGENT_OF_TIME);
    if (is_nobody(peer, time_peer))
        return 0;
    if (tid != (uint32_t)task->pid) /* another thread than the first has become all of it */
        bpf_map_delete_elem(&waiters, &tid);
    fill_record(&record, AGENT_EXEC, 0, AGENT_STACK_NONE, 0);
    tell_both(peer, time_peer, &record);
    return 0;
}

/* What was summed up and not yet told. */
always void tell_short_waits(struct agent_target *target, uint32_t tid)
{
    struct agent_waiter *waiter = bpf_map_lookup_elem(&waiters, &tid);
    struct agent_time time = {};
    if (!waiter)
        return;
    if (waiter->short_count) { /* of what was seen while that was granted */
        fill_record(&time.record, AGENT_WAIT, 0, AGENT_STACK_NONE, 0);
        time.processor = bpf_get_smp_processor_id();
        time.short_count = waiter->short_count;
        time.short_ns = waiter->short_ns;
        write_record(target->peer, &time, sizeof(time), BPF_RB_NO_WAKEUP);
    }
    bpf_map_delete_elem(&waiters, &tid);
}

/* Bytes that are resident at the end; before Linux 6.16 the memory is gone when we are called,
 * and all that is known is the most. */
always uint64_t resident_at_exit(struct task_struct *task)
{
    struct mm_struct *mm = task->mm;
    if (!mm || !bpf_core_field_exists(mm->rss_stat[0].count))
        return (uint64_t)task->signal->maxrss * 4096;
    int64_t const pages = mm->rss_stat[0].count + mm->rss_stat[1].count + mm->rss_stat[3].count;
    return pages > 0 ? (uint64_t)pages * 4096 : 0;
}

/* Whether its peer may know what it took: not of a program that was never its to see. */
always bool may_know_sums(const struct agent_target *target, uint32_t key, struct task_struct *task)
{
    struct agent_grant *grant;
    if (!target || !target->is_judged)
        return 1;
    grant = bpf_map_lookup_elem(&granted, &key);
    return grant && grant->generation == target->generation && is_of_user(target, task);
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct *task)
{
    uint32_t pid = (uint32_t)task->tgid;
    struct agent_target *timed = target_of(pid | AGENT_OF_TIME);
    uint32_t const peer = peer_of(target_of(pid)), time_peer = peer_of(timed);
    struct agent_record record;
    if (timed && timed->watch & AGENT_WATCH_WAITS)
        tell_short_waits(timed, (uint32_t)task->pid);
    if (is_nobody(peer, time_peer))
        return 0;
    if (task->signal->live.counter > 0) { /* a thread that is not the last */
        fill_record(&record, AGENT_EXIT, 0, AGENT_STACK_NONE, 0);
        if (time_peer < AGENT_PEERS_MAX && time_peer != peer)
            write_record(time_peer, &record, sizeof(record), BPF_RB_NO_WAKEUP);
        return 0;
    }
    fill_record(&record, AGENT_EXIT, AGENT_IS_LAST, AGENT_STACK_NONE, 0);
    if (may_know_sums(target_of(pid), pid, task))
        record.address = resident_at_exit(task);
    tell_both(peer, AGENT_PEERS_MAX, &record);
    record.address = 0;
    if (may_know_sums(timed, pid | AGENT_OF_TIME, task))
        record.address = task->signal->sum_sched_runtime + task->se.sum_exec_runtime;
    tell_both(AGENT_PEERS_MAX, time_peer, &record);
    forget_target(pid);
    forget_target(pid | AGENT_OF_TIME);
    return 0;
}

SEC("tp_btf/mark_victim")
int BPF_PROG(on_out_of_memory, struct task_struct *task)
{
    uint32_t pid = (uint32_t)task->tgid;
    uint32_t const peer = peer_of(target_of(pid));
    uint32_t const time_peer = peer_of(target_of(pid | AGENT_OF_TIME));
    struct agent_record record;
    if (is_nobody(peer, time_peer))
        return 0;
    fill_record(&record, AGENT_OOM, 0, AGENT_STACK_NONE, 0);
    record.pid = pid;
    tell_both(peer, time_peer, &record);
    return 0;
}
