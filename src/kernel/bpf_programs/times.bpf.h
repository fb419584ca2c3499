/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* times.bpf.h - where watched processes spend their time: a sample of the thread that is on a
 * processor when the clock ticks, and the waits of threads between leaving a processor and coming
 * back to one. */
#pragma once

#include "known_stacks.bpf.h"
#include "lives.bpf.h"

#define TELL_SHORT_NS 250000000ull

#define TASK_SLEEPS    0x1u
#define TASK_DISK      0x2u
#define TASK_STOPPED   0xcu /* or traced */
#define FLAG_IS_ENDING 0x4u /* PF_EXITING */

/* As find_stack, in a lane of its own; faults of our own reading are nobody's. */
always struct found_stack find_stack_in(uint32_t lane, struct agent_target *target,
                                        struct scratch *scratch, uint32_t pid)
{
    struct found_stack found = {AGENT_STACK_NONE, 0};
    struct scratch *events = scratch_of(LANE_EVENT);
    const struct pt_regs *regs = user_registers();
    if (!events || REGS_SP(regs) >= USER_END || REGS_IP(regs) >= USER_END)
        return found;
    uint32_t const was_busy = events->busy;
    events->busy = 1;
    found = find_stack(target, regs, scratch, pid, lane);
    events->busy = was_busy;
    return found;
}

/* `bytes` of kernel addresses lie in the room.  Sends it. */
always void write_time(uint32_t peer, struct time_room *room, int64_t bytes)
{
    uint64_t const count = bytes > 0 ? (uint64_t)bytes / 8 : 0;
    uint64_t const kept = count > AGENT_KERNEL_FRAMES ? AGENT_KERNEL_FRAMES : count;
    room->time.kernel_count = (uint8_t)kept;
    write_record(peer, room, sizeof(struct agent_time) + kept * 8, BPF_RB_NO_WAKEUP);
}

always void fill_time(struct agent_time *time, uint32_t state)
{
    time->processor = bpf_get_smp_processor_id();
    time->state = (uint8_t)state;
    time->reserved = 0;
    time->short_count = time->reserved_too = 0;
    time->short_ns = 0;
}

/* Each clock says by its cookie how often it ticks a second; a process has its samples by one of
 * them. */
SEC("perf_event")
int on_tick(struct bpf_perf_event_data *tick)
{
    uint32_t pid = current_pid(), key = pid | AGENT_OF_TIME;
    struct agent_target *target = pid ? target_of(key) : 0;
    if (!is_watched(target, key, AGENT_WATCH_CPU) || target->hz != bpf_get_attach_cookie(tick))
        return 0;
    struct scratch *scratch = scratch_of(LANE_SAMPLE);
    if (!scratch)
        return 0;
    struct found_stack found = find_stack_in(LANE_SAMPLE, target, scratch, pid);
    struct time_room *room = &scratch->time;
    fill_record(&room->time.record, AGENT_SAMPLE, found.flags, found.stack, tick->sample_period);
    fill_time(&room->time, 0);
    int64_t bytes = 0;
    if (target->sees_kernel)
        bytes = bpf_get_stack(tick, room->kernel, sizeof(room->kernel), 0);
    write_time(target->peer, room, bytes);
    return 0;
}

always uint32_t wait_state(bool was_preempted, uint32_t state)
{
    if (was_preempted || state == 0)
        return AGENT_WAIT_PROCESSOR;
    if (state & TASK_SLEEPS)
        return AGENT_WAIT_SLEEPS;
    if (state & TASK_DISK)
        return AGENT_WAIT_DISK;
    return state & TASK_STOPPED ? AGENT_WAIT_STOPPED : 0;
}

/* That of a thread; `fresh` becomes it if there is none, and room for it. */
always struct agent_waiter *waiter_of(uint32_t tid, const struct agent_waiter *fresh, uint32_t peer)
{
    struct agent_waiter *waiter = bpf_map_lookup_elem(&waiters, &tid);
    struct agent_counters *count;
    if (waiter)
        return waiter;
    bpf_map_update_elem(&waiters, &tid, fresh, BPF_NOEXIST);
    waiter = bpf_map_lookup_elem(&waiters, &tid);
    count = count_for(peer);
    if (!waiter && count)
        COUNT(count->waits_missed);
    return waiter;
}

struct wait {
    uint64_t since_ns, end_ns;
    bool is_there; /* the thread still has the kernel stack that it waits with */
    bool goes_on;
};

/* Tells of a wait, or only of the short ones before it if it took no time. */
always void tell_wait(struct agent_target *target, struct task_struct *task,
                      struct agent_waiter *waiter, struct time_room *room, const struct wait *wait)
{
    int64_t bytes = 0;
    uint64_t const took = wait->end_ns - wait->since_ns;
    uint32_t const flags = took ? waiter->flags | (wait->goes_on ? AGENT_GOES_ON : 0) : 0;
    fill_record(&room->time.record, AGENT_WAIT, flags, took ? waiter->stack : AGENT_STACK_NONE,
                took);
    room->time.record.pid = (uint32_t)task->tgid;
    room->time.record.tid = (uint32_t)task->pid;
    room->time.record.time_ns = wait->end_ns;
    fill_time(&room->time, took ? waiter->state : 0);
    if (!wait->goes_on) { /* only its own switches may change them */
        room->time.short_count = waiter->short_count;
        room->time.short_ns = waiter->short_ns;
        waiter->short_count = 0;
        waiter->short_ns = 0;
        waiter->told_ns = wait->end_ns;
    }
    if (target->sees_kernel && took && wait->is_there)
        bytes = bpf_get_task_stack(task, room->kernel, sizeof(room->kernel), 0);
    write_time(target->peer, room, bytes);
}

/* A wait is over. */
always void end_wait(struct agent_target *target, struct task_struct *task,
                     struct agent_waiter *waiter, struct time_room *room, const struct wait *over)
{
    struct wait wait = *over;
    if (wait.since_ns == 0 || wait.since_ns >= wait.end_ns)
        return;
    if (wait.end_ns - wait.since_ns < target->wait_least_ns && !waiter->is_begun) {
        waiter->short_count++;
        waiter->short_ns += wait.end_ns - wait.since_ns;
        if (wait.end_ns - waiter->told_ns < TELL_SHORT_NS)
            return;
        wait.since_ns = wait.end_ns;
    }
    tell_wait(target, task, waiter, room, &wait);
}

/* The running thread leaves its processor. */
always void begin_wait(struct task_struct *task, uint32_t state, uint64_t now)
{
    uint32_t pid = (uint32_t)task->tgid, key = pid | AGENT_OF_TIME;
    struct agent_target *target = pid ? target_of(key) : 0;
    struct scratch *scratch;
    if (!is_watched_task(target, key, AGENT_WATCH_WAITS, task) || task->flags & FLAG_IS_ENDING)
        return;
    struct agent_waiter const fresh = {.pid = pid, .told_ns = now};
    struct agent_waiter *waiter = waiter_of((uint32_t)task->pid, &fresh, target->peer);
    scratch = scratch_of(LANE_SWITCH);
    if (!scratch || !waiter)
        return;
    uint64_t const ran = task->se.sum_exec_runtime;
    if (waiter->since_ns) { /* not seen to come back: what it did not run since, it waited */
        uint64_t const back = now - (ran - waiter->ran_ns);
        struct wait const before = {.since_ns = waiter->since_ns, .end_ns = back};
        end_wait(target, task, waiter, &scratch->time, &before);
    }
    struct found_stack found = find_stack_in(LANE_SWITCH, target, scratch, pid);
    waiter->stack = found.stack;
    waiter->flags = (uint8_t)found.flags;
    waiter->state = (uint8_t)state;
    waiter->is_begun = 0;
    waiter->ran_ns = ran;
    waiter->since_ns = now;
}

/* Whose wait was not seen to begin: it was there before it was watched, or is new and has waited
 * for its first turn. */
always struct agent_waiter first_wait(const struct agent_target *target, struct task_struct *task,
                                      uint64_t now)
{
    bool const is_born = task->start_time > target->since_ns;
    struct agent_waiter waiter = {.since_ns = is_born ? task->start_time : target->since_ns,
                                  .ran_ns = task->se.sum_exec_runtime,
                                  .told_ns = now,
                                  .pid = (uint32_t)task->tgid,
                                  .stack = is_born ? AGENT_STACK_KERNEL : AGENT_STACK_NONE,
                                  .state = is_born ? AGENT_WAIT_PROCESSOR : 0};
    return waiter;
}

/* `task` is about to run. */
always void come_back(struct task_struct *task, uint64_t now)
{
    uint32_t pid = (uint32_t)task->tgid, key = pid | AGENT_OF_TIME;
    struct agent_target *target = pid ? target_of(key) : 0;
    struct scratch *scratch;
    if (!is_watched_task(target, key, AGENT_WATCH_WAITS, task) || task->flags & FLAG_IS_ENDING)
        return;
    struct agent_waiter const fresh = first_wait(target, task, now);
    struct agent_waiter *waiter = waiter_of((uint32_t)task->pid, &fresh, target->peer);
    scratch = scratch_of(LANE_SWITCH);
    if (!scratch || !waiter)
        return;
    struct wait const wait = {
        .since_ns = __sync_lock_test_and_set(&waiter->since_ns, 0), .end_ns = now, .is_there = 1};
    end_wait(target, task, waiter, &scratch->time, &wait);
}

/* Only attached while somebody watches waits. */
SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool was_preempted, struct task_struct *from, struct task_struct *to,
             unsigned int state)
{
    uint64_t const now = bpf_ktime_get_ns();
    begin_wait(from, wait_state(was_preempted, state), now);
    come_back(to, now);
    return 0;
}

/* The agent goes through the threads of a process whose waits shall be told as far as they are. */
SEC("iter/task")
int on_each_thread(struct bpf_iter__task *each)
{
    struct task_struct *task = each->task;
    if (!task)
        return 0;
    uint32_t key = (uint32_t)task->tgid | AGENT_OF_TIME;
    struct agent_target *target = target_of(key);
    struct scratch *scratch = scratch_of(LANE_EVENT);
    uint64_t const now = bpf_ktime_get_ns();
    if (!is_watched_task(target, key, AGENT_WATCH_WAITS, task) || !scratch ||
        task->flags & FLAG_IS_ENDING || task->on_cpu)
        return 0;
    struct agent_waiter const fresh = first_wait(target, task, now);
    struct agent_waiter *waiter = waiter_of((uint32_t)task->pid, &fresh, target->peer);
    if (!waiter)
        return 0;
    uint64_t const since = waiter->since_ns;
    /* It may come to run just now: then all of it is told there. */
    if (since == 0 || since >= now || now - since < target->wait_least_ns ||
        __sync_val_compare_and_swap(&waiter->since_ns, since, now) != since)
        return 0;
    waiter->is_begun = 1;
    struct wait const wait = {.since_ns = since, .end_ns = now, .is_there = 1, .goes_on = 1};
    tell_wait(target, task, waiter, &scratch->time, &wait);
    return 0;
}
