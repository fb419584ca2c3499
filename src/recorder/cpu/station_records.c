/* SPDX-License-Identifier: Apache-2.0 */
/* station_records.c - books what the kernel reports: samples, waits, and events of processes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cpu/station_parts.h"
#include "procfs/process/process_named.h"

#define CODE_OLD_NS    100000000u /* its mappings may have changed since */
#define CHILDREN_MAX   4096u
#define PROCESSES_MAX  65536u
#define ROOTS_MAX      4096u
#define WANTED_NS      60000000000ull
#define CHECK_EVERY_NS 2000000000ull

struct cpu_process *station_find(const struct cpu_station *station, uint32_t pid)
{
    uint32_t const known = pid ? number_map_get(&station->index, pid) : 0;
    return known ? station->processes.items[known - 1] : NULL;
}

void station_begin_lane(const struct cpu_station *station, struct cpu_lane *lane)
{
    struct perf_samples_counts const counts = time_source_count(station->source);
    lane->timing = (struct timing){0};
    memset(lane->stack_ends, 0, sizeof(lane->stack_ends));
    memset(lane->wait_ends, 0, sizeof(lane->wait_ends));
    lane->lost_before = counts.lost;
    lane->waits_lost_before = counts.waits_lost;
    lane->throttled_before = counts.throttled;
}

struct cpu_process *station_begin(struct cpu_station *station, uint32_t pid, uint32_t parent)
{
    struct cpu_process *known = station_find(station, pid);
    if (known && !known->has_ended)
        return known;
    if (station->processes.count >= PROCESSES_MAX) {
        station->refused++;
        return NULL;
    }
    struct cpu_process *process =
        cpu_process_create(pid, parent, station->options.together ? &station->all : NULL);
    uint32_t *place = process ? number_map_at(&station->index, pid) : NULL;
    if (!place || !vec_push(&station->processes, process)) {
        if (process)
            cpu_process_destroy(process);
        return NULL;
    }
    if (process->owns_lane)
        station_begin_lane(station, process->lane);
    *place = (uint32_t)station->processes.count; /* a former one of this number is found no more */
    process->is_name_due = true;
    return process;
}

static void offer(struct cpu_station *station, struct cpu_process *process)
{
    if (station->options.together)
        return;
    process->is_wanted = true;
    if (station->children.count < CHILDREN_MAX) /* those who know its number may still ask */
        (void)vec_push(&station->children, process->pid);
}

/* Somebody has become what was awaited; the kernel knows only the beginning of a long name. */
static void begin_awaited(struct cpu_station *station, const struct agent_record *record)
{
    const char *name = station->awaited;
    bool const is_meant =
        name && (strlen(name) < AGENT_NAME_BYTES || process_is_named(record->pid, name));
    struct cpu_process *process = is_meant ? station_begin(station, record->pid, 0) : NULL;
    time_source_begun(station->source, record->pid, process != NULL);
    if (!process)
        return;
    process->cpu_began_ns = record->address; /* it has run since */
    process->own.is_old = true;              /* the loader is at work */
    offer(station, process);
}

static void begin_child(struct cpu_station *station, struct cpu_process *parent, uint32_t pid)
{
    struct cpu_process *child = station_begin(station, pid, parent->pid);
    /* It may be gone before anything is seen of it: then its code is its parent's. */
    (void)cpu_process_find_code(parent, station->codes, station_find(station, parent->parent), 0);
    if (!child)
        return;
    if (child->name[0] == '\0') /* gone already */
        snprintf(child->name, sizeof(child->name), "%s", parent->name);
    child->root = parent->root;
    child->waits_for_exec = parent->waits_for_exec;
    offer(station, child);
}

/* The stack that the program itself has, and how its walk ended.  One that should be there and
 * is not is as good as cut. */
static stack_id program_stack(struct cpu_station *station, const struct cpu_process *process,
                              const struct agent_record *record, enum stack_end *end)
{
    stack_id cut;
    uint32_t const stack =
        station_stacks_find(time_stacks_walked(station->stacks), record->stack, end);
    if (stack != AGENT_STACK_NONE)
        return stack;
    if (record->stack == AGENT_STACK_KERNEL)
        return process->own.below;
    *end = STACK_END_NOT_TAKEN;
    return time_stacks_cut(station->stacks, process->own.below, &cut) < 0 ? process->own.below
                                                                          : cut;
}

static void book_sample(struct cpu_station *station, struct cpu_process *process,
                        const struct agent_time *time)
{
    struct timing *timing = &process->lane->timing;
    struct cpu_news news = {.time_ns = time->record.time_ns,
                            .thread =
                                cpu_lane_thread(process->lane, process->pid, time->record.tid),
                            .count = 1,
                            .column = COL_CPU_NS,
                            .value_ns = time->record.address};
    bool is_unnamed;
    enum stack_end end;
    stack_id const program = program_stack(station, process, &time->record, &end);
    process->lane->stack_ends[end]++;
    if (news.thread == UINT32_MAX ||
        time_stacks_sample(station->stacks, time, program, &news.stack, &is_unnamed) < 0 ||
        cpu_lane_add(process->lane, &news) < 0) {
        timing->lost++;
        return;
    }
    process->lane->threads.items[news.thread].last_stack = news.stack;
    timing->samples++;
    timing->in_kernel += time->kernel_count > 0;
    timing->kernel_unnamed += is_unnamed;
    station->in_kernel += time->kernel_count > 0;
    station->unnamed += is_unnamed;
    station->has_hidden_names = station->unnamed * 2 > station->in_kernel;
}

/* Waits that are over and too short to be told one by one: a sum, without a stack. */
static void book_short_waits(struct cpu_station *station, struct cpu_process *process,
                             const struct agent_time *time)
{
    struct timing *timing = &process->lane->timing;
    struct agent_time const bare = {.record = time->record};
    struct cpu_news news = {.time_ns = time->record.time_ns,
                            .thread =
                                cpu_lane_thread(process->lane, process->pid, time->record.tid),
                            .count = time->short_count,
                            .column = COL_OFFCPU_NS,
                            .value_ns = time->short_ns};
    if (news.thread == UINT32_MAX ||
        time_stacks_wait(station->stacks, &bare, process->own.below, &news.stack) < 0 ||
        cpu_lane_add(process->lane, &news) < 0) {
        timing->waits_lost += time->short_count;
        return;
    }
    timing->waits += time->short_count;
    timing->wait_ns += time->short_ns;
    timing->waits_without_stack += time->short_count;
}

static void book_wait(struct cpu_station *station, struct cpu_process *process,
                      const struct agent_time *time)
{
    struct timing *timing = &process->lane->timing;
    bool const is_over = !(time->record.flags & AGENT_GOES_ON);
    struct cpu_news news = {.time_ns = time->record.time_ns,
                            .thread =
                                cpu_lane_thread(process->lane, process->pid, time->record.tid),
                            .count = is_over,
                            .column = COL_OFFCPU_NS,
                            .value_ns = time->record.address};
    enum stack_end end;
    bool const has_stack = station_stacks_find(time_stacks_walked(station->stacks),
                                               time->record.stack, &end) != AGENT_STACK_NONE ||
                           time->record.stack == AGENT_STACK_KERNEL;
    if (time->short_count)
        book_short_waits(station, process, time);
    if (time->record.address == 0)
        return;
    /* A sum, of which nobody expects a stack, has none of the kernel either. */
    bool const is_bare = !has_stack && time->kernel_count == 0;
    stack_id const program =
        is_bare ? process->own.below : program_stack(station, process, &time->record, &end);
    if (news.thread == UINT32_MAX ||
        time_stacks_wait(station->stacks, time, program, &news.stack) < 0 ||
        cpu_lane_add(process->lane, &news) < 0) {
        timing->waits_lost++;
        return;
    }
    timing->waits += is_over;
    timing->wait_ns += time->record.address;
    timing->waits_without_stack += is_over && !has_stack;
    if (is_over && !is_bare)
        process->lane->wait_ends[end]++;
    if (!is_bare && end == STACK_END_CUT)
        time_source_want_more(station->source);
}

/* Whoever waits for our word is not yet what he will be. */
static bool is_counted(const struct cpu_process *process)
{
    return !process->waits_for_exec;
}

static void walk_copy(struct cpu_station *station, struct cpu_process *process,
                      const struct agent_copy *copy)
{
    uint64_t const now = copy->record.time_ns;
    if (!cpu_process_find_code(process, station->codes, station_find(station, process->parent),
                               copy->registers[REG_IP])) {
        station->unreadable += process->is_unreadable;
        process->is_unreadable = false;
        return;
    }
    if (now - process->code_since_ns > CODE_OLD_NS) {
        process->own.is_old = true;
        process->code_since_ns = now;
    }
    station_stacks_learn(time_stacks_walked(station->stacks), &process->own, copy,
                         time_source_link(station->source));
}

static void change_name(struct cpu_process *process, const struct agent_name *name)
{
    cpu_lane_name(process->lane, process->pid, name->record.tid, name->name);
    if (name->record.tid == process->pid && process->is_own_program && process->is_name_due)
        snprintf(process->name, sizeof(process->name), "%.15s", name->name);
}

static void book_exit(struct cpu_process *process, const struct agent_record *record)
{
    cpu_lane_end_thread(process->lane, record->tid);
    if (record->flags & AGENT_IS_LAST &&
        record->address > process->cpu_began_ns + process->told_cpu_ns)
        process->told_cpu_ns = record->address - process->cpu_began_ns;
    process->first_has_ended |= record->tid == process->pid || record->flags & AGENT_IS_LAST;
    if (process->first_has_ended)
        cpu_process_check_end(process);
}

static void book(struct cpu_station *station, struct cpu_process *process,
                 const struct agent_record *record)
{
    switch (record->kind) {
    case AGENT_COPY:
        if (is_counted(process))
            walk_copy(station, process, (const struct agent_copy *)record);
        break;
    case AGENT_SAMPLE:
        if (is_counted(process))
            book_sample(station, process, (const struct agent_time *)record);
        break;
    case AGENT_WAIT:
        if (is_counted(process))
            book_wait(station, process, (const struct agent_time *)record);
        break;
    case AGENT_RANGE: /* code may be there that was not */
        process->own.is_old |= (record->flags & AGENT_OF_FILE) != 0;
        break;
    case AGENT_NAME:
        change_name(process, (const struct agent_name *)record);
        break;
    case AGENT_FORK:
        begin_child(station, process, (uint32_t)record->address);
        break;
    case AGENT_EXEC:
        vec_each (other, &station->processes)
            if ((*other)->lender == process)
                cpu_process_give_back(*other);
        cpu_process_exec(process);
        break;
    case AGENT_EXIT:
        book_exit(process, record);
        break;
    default:
        break;
    }
}

void station_record(void *context, const struct agent_record *record)
{
    struct cpu_station *station = context;
    if (record->kind == AGENT_STARTED) {
        begin_awaited(station, record);
        return;
    }
    uint32_t const pid = time_source_pid(station->source, record);
    struct cpu_process *process = station_find(station, pid);
    bool const is_of_all = station->options.whole_machine || station->options.cgroup;
    bool const begins =
        record->kind == AGENT_FORK || record->kind == AGENT_EXEC || record->kind == AGENT_NAME;
    if (process && process->has_ended && is_of_all && !begins)
        return; /* what other threads of it did before it ended */
    if ((!process || process->has_ended) && is_of_all && record->kind != AGENT_EXIT)
        process = station_begin(station, pid, 0);
    if (!process || (record->kind == AGENT_FORK && pid != record->pid))
        return;
    if (station->options.together && process->is_name_due && record->kind != AGENT_EXEC &&
        record->kind != AGENT_NAME)
        (void)cpu_process_put_name(process, station->stacks, station->roots++ < ROOTS_MAX);
    book(station, process, record);
}

void station_mapping(void *context, uint32_t pid, const struct code_mapping *mapping)
{
    struct cpu_station *station = context;
    struct cpu_process *process = station_find(station, pid);
    struct recording *recording = time_stacks_recording(station->stacks);
    struct code_mapping kept = *mapping;
    if (!process || process->has_ended)
        return;
    kept.path = recording_text(recording, recording_intern(recording, mapping->path));
    cpu_process_map(process, station->codes, &kept);
}

/* A thread ends between two samples: its time is what it is, and was most likely spent where it
 * was last seen. */
void station_used(void *context, const struct perf_used *used)
{
    struct cpu_station *station = context;
    struct cpu_process *process = station_find(station, used->pid);
    if (!process || !is_counted(process))
        return;
    process->told_cpu_ns += used->used_ns;
    struct cpu_news news = {.time_ns = used->time_ns,
                            .thread = cpu_lane_known_thread(process->lane, used->tid),
                            .column = COL_CPU_NS,
                            .value_ns = used->left_ns};
    if (news.thread == UINT32_MAX) {
        news.thread = cpu_lane_thread(process->lane, used->pid, used->tid);
        cpu_lane_end_thread(process->lane, used->tid);
    }
    if (used->left_ns == 0 || news.thread == UINT32_MAX)
        return;
    news.stack = process->lane->threads.items[news.thread].last_stack;
    if (news.stack != STACK_EMPTY ||
        time_stacks_too_short(station->stacks, process->own.below, &news.stack) == 0)
        (void)cpu_lane_add(process->lane, &news);
}

void station_settle(struct cpu_station *station, struct cpu_process *process)
{
    uint64_t gap_ns, gaps = time_source_gaps(station->source, &gap_ns);
    if (!time_source_is_agent(station->source))
        return;
    bool const was_gone = gaps != station->settled_gaps;
    if (was_gone)
        process = NULL; /* it was for all of them */
    station->settled_gaps = gaps;
    vec_each (each, &station->processes)
        if (!process || *each == process)
            cpu_process_settle(*each, was_gone);
}

/* Events of a process are also those of the ones it started. */
static bool has_root(const struct cpu_station *station, uint32_t root)
{
    vec_each (process, &station->processes)
        if ((*process)->root == root)
            return true;
    return false;
}

static void remove_at(struct cpu_station *station, size_t place)
{
    struct cpu_process *process = station->processes.items[place];
    struct cpu_process *last = station->processes.items[--station->processes.count];
    uint32_t const last_place = number_map_get(&station->index, last->pid);
    if (number_map_get(&station->index, process->pid) == place + 1)
        number_map_remove(&station->index, process->pid);
    station->processes.items[place] = last;
    if (last != process && last_place == station->processes.count + 1)
        *number_map_at(&station->index, last->pid) = (uint32_t)place + 1;
    time_source_forget(station->source, process->pid, process->has_ended);
    if (!has_root(station, process->root))
        time_source_drop(station->source, process->root);
    station_settle(station, process);
    cpu_process_measure(process);
    if (process->lane == &station->all)
        station->ended_cpu_ns += process->cpu_ns;
    cpu_process_destroy(process);
}

static bool is_lender(const struct cpu_station *station, const struct cpu_process *process)
{
    vec_each (other, &station->processes)
        if ((*other)->lender == process)
            return true;
    return false;
}

/* Whether somebody may still want it: not for ever, for those who would may never come. */
static bool is_waited_for(const struct cpu_process *process, uint64_t now_ns)
{
    return process->is_wanted &&
           now_ns < process->ended_ns + WANTED_NS; /* its end may be later than now */
}

void station_clear_away(struct cpu_station *station)
{
    uint64_t const now_ns = monotonic_ns();
    bool const looks_at_all =
        now_ns - station->checked_ns > CHECK_EVERY_NS; /* an end may be lost */
    if (looks_at_all)
        station->checked_ns = now_ns;
    for (size_t i = station->processes.count; i-- > 0;) {
        struct cpu_process *process = station->processes.items[i];
        if (process->first_has_ended || looks_at_all)
            cpu_process_check_end(process);
        if (process->has_ended && !is_waited_for(process, now_ns) && !is_lender(station, process))
            remove_at(station, i);
    }
}
