/* SPDX-License-Identifier: Apache-2.0 */
#include "pages/perf_faults.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/clock.h"
#include "kernel_events/perf_queue.h"
#include "kernel_events/perf_sample.h"
#include "pages/perf_calls.h"
#include "pages/perf_events.h"

#define RING_USUAL   ((size_t)2 << 20)
#define PERIOD_MAX   4096u
#define CALL_FAILED  ((uint64_t)-4096)
#define BUDGET_NS    100000000ull /* time between two checks of the rate */
#define STACK_NUMBER 0x3fffffffu

struct perf_faults {
    struct perf_faults_options options;
    struct perf_events events;
    struct perf_calls calls;
    struct perf_faults_counts counts;
    uint32_t copies;    /* the number of the last one */
    uint64_t told_lost; /* by records; the events themselves may know more */
    uint64_t budget_ns, budget_faults;
    struct perf_queue queue;
    perf_record_fn each; /* while draining */
    void *context;
};

struct perf_faults *perf_faults_open(const struct perf_faults_options *options, struct fault *fault)
{
    struct perf_faults *faults = calloc(1, sizeof(*faults));
    size_t const ring = options->ring_bytes ? options->ring_bytes : RING_USUAL;
    if (!faults) {
        fault_set(fault, -ENOMEM, "There is no memory left.");
        return NULL;
    }
    faults->options = *options;
    faults->queue.time_from_end = 16;
    if (perf_events_open(&faults->events, options->pid, options->stack_bytes, ring, fault) < 0) {
        free(faults);
        return NULL;
    }
    faults->counts.period = 1;
    faults->budget_ns = monotonic_ns();
    return faults;
}

void perf_faults_close(struct perf_faults *faults)
{
    if (!faults)
        return;
    perf_events_close(&faults->events);
    perf_calls_fini(&faults->calls);
    perf_queue_fini(&faults->queue);
    free(faults);
}

struct perf_faults_counts perf_faults_count(const struct perf_faults *faults)
{
    struct perf_faults_counts counts = faults->counts;
    counts.lost += faults->queue.lost;
    counts.sees_kernel = faults->events.sees_kernel;
    counts.sees_maps = faults->events.sees_maps;
    return counts;
}

int perf_faults_fd(const struct perf_faults *faults, unsigned index)
{
    return index < faults->events.ring_count ? faults->events.ring_fds[index] : -1;
}

static void deliver(struct perf_faults *faults, const struct agent_record *record, size_t size)
{
    faults->each(faults->context, record, size);
}

/* Delivers the registers and the stack (if any) that follow in the sample, as an AGENT_COPY.
 * Returns the number of the copy, or AGENT_STACK_NONE. */
static uint32_t copy_stack(struct perf_faults *faults, struct perf_cursor *cursor,
                           const struct agent_record *of)
{
    static _Alignas(8) char room[sizeof(struct agent_copy) + PERF_RECORD_BYTES];
    struct agent_copy *copy = (struct agent_copy *)room;
    if (!perf_sample_copy(cursor, faults->events.stack_bytes > 0, copy))
        return AGENT_STACK_NONE;
    copy->record = *of;
    copy->record.kind = AGENT_COPY;
    copy->record.stack = AGENT_STACK_COPY | faults->copies;
    faults->copies = (faults->copies + 1) & STACK_NUMBER;
    deliver(faults, &copy->record, sizeof(*copy) + copy->size);
    return copy->record.stack;
}

static void translate_fault(struct perf_faults *faults, struct perf_cursor *cursor,
                            struct agent_record *record)
{
    record->address = perf_cursor_word(cursor);
    record->stack = copy_stack(faults, cursor, record);
    record->kind = AGENT_FAULT;
    record->flags |= AGENT_WRITE;
    deliver(faults, record, sizeof(*record));
    uint64_t const size = perf_cursor_word(cursor);
    if (size > 4096) {
        struct agent_range large = {.record = *record, .size = size};
        large.record.kind = AGENT_LARGE;
        deliver(faults, &large.record, sizeof(large));
    }
    faults->counts.faults++;
    faults->counts.skipped += faults->counts.period - 1;
}

/* Reads the raw bytes of the tracepoint.  Returns a cursor at byte 16, after the numbers of the
 * event and of the system call: there are the arguments or the result. */
static struct perf_cursor parse_raw(struct perf_cursor *cursor)
{
    uint32_t size = 0;
    if (cursor->end - cursor->at >= 4)
        memcpy(&size, cursor->at, 4);
    cursor->at += cursor->end - cursor->at >= 4 ? 4 : 0;
    if (size > (uint64_t)(cursor->end - cursor->at))
        size = (uint32_t)(cursor->end - cursor->at);
    struct perf_cursor raw = {cursor->at, cursor->at + size};
    cursor->at += size;
    raw.at += size < 16 ? size : 16;
    return raw;
}

static void begin_call(struct perf_faults *faults, struct perf_cursor *cursor,
                       struct agent_record *record, enum perf_role role)
{
    struct perf_cursor raw = parse_raw(cursor);
    struct perf_call call = {.tid = record->tid, .stack = AGENT_STACK_NONE};
    for (unsigned i = 0; i < CALL_ARGUMENTS; i++)
        call.arguments[i] = perf_cursor_word(&raw);
    if (role == PERF_MAP_ENTER && call.arguments[3] & (MAP_POPULATE | MAP_LOCKED))
        call.stack = copy_stack(faults, cursor, record);
    perf_calls_begin(&faults->calls, &call);
}

static void end_call(struct perf_faults *faults, struct perf_cursor *cursor,
                     struct agent_record *record, enum perf_role role)
{
    struct perf_cursor raw = parse_raw(cursor);
    struct perf_call call;
    uint64_t const result = perf_cursor_word(&raw);
    if (!perf_calls_end(&faults->calls, record->tid, &call) || result >= CALL_FAILED)
        return;
    struct agent_range range = {.record = *record};
    range.record.address = result;
    range.record.stack = call.stack;
    if (role == PERF_MAP_EXIT) {
        range.record.kind = AGENT_RANGE;
        range.size = call.arguments[1];
    } else {
        range.record.kind = AGENT_MOVE;
        range.from = call.arguments[0];
        range.from_size = call.arguments[1];
        range.size = call.arguments[2];
    }
    deliver(faults, &range.record, sizeof(range));
}

static void translate_sample(struct perf_faults *faults, struct perf_cursor *cursor, bool in_kernel)
{
    uint64_t const id = perf_cursor_word(cursor), task = perf_cursor_word(cursor),
                   time = perf_cursor_word(cursor);
    struct agent_record record = {.pid = (uint32_t)task,
                                  .tid = (uint32_t)(task >> 32),
                                  .time_ns = time,
                                  .flags = in_kernel ? AGENT_IN_KERNEL : 0,
                                  .stack = AGENT_STACK_NONE};
    enum perf_role const role = number_map_get(&faults->events.roles, id);
    if (role == PERF_FAULT)
        translate_fault(faults, cursor, &record);
    else if (role == PERF_MAP_ENTER || role == PERF_MOVE_ENTER)
        begin_call(faults, cursor, &record, role);
    else if (role == PERF_MAP_EXIT || role == PERF_MOVE_EXIT)
        end_call(faults, cursor, &record, role);
}

static void translate(void *context, const char *bytes, size_t size, uint64_t time_ns)
{
    struct perf_faults *faults = context;
    struct perf_event_header header;
    memcpy(&header, bytes, sizeof(header));
    struct perf_cursor cursor = {bytes + sizeof(header), bytes + size};
    if (header.type == PERF_RECORD_SAMPLE) {
        bool const in_kernel =
            (header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
        translate_sample(faults, &cursor, in_kernel);
        return;
    }
    uint64_t const first = perf_cursor_word(&cursor), second = perf_cursor_word(&cursor);
    struct agent_record record = {.time_ns = time_ns, .stack = AGENT_STACK_NONE};
    if (header.type == PERF_RECORD_LOST) {
        faults->told_lost += second; /* after the number of the event */
        if (faults->told_lost > faults->counts.lost)
            faults->counts.lost = faults->told_lost;
        return;
    }
    if (header.type == PERF_RECORD_COMM && header.misc & PERF_RECORD_MISC_COMM_EXEC) {
        record.kind = AGENT_EXEC; /* pid, tid */
        record.pid = (uint32_t)first;
        record.tid = (uint32_t)(first >> 32);
    } else if (header.type == PERF_RECORD_FORK && (uint32_t)first != (uint32_t)(first >> 32)) {
        record.kind = AGENT_FORK; /* pid, ppid; tid, ptid */
        record.pid = (uint32_t)(first >> 32);
        record.tid = (uint32_t)(second >> 32);
        record.address = (uint32_t)first;
    } else if (header.type == PERF_RECORD_EXIT && (uint32_t)first == (uint32_t)second) {
        record.kind = AGENT_EXIT;
        record.pid = record.tid = (uint32_t)first;
    }
    if (record.kind)
        deliver(faults, &record, sizeof(record));
}

/* Doubles the period while there are more faults than `rate_max`, and halves it when there are
 * few. */
static void keep_budget(struct perf_faults *faults, uint64_t now)
{
    uint64_t const passed = now - faults->budget_ns;
    if (faults->options.rate_max == 0 || passed < BUDGET_NS)
        return;
    struct perf_faults_counts *counts = &faults->counts;
    uint64_t const rate =
        (counts->faults + counts->lost - faults->budget_faults) * NS_PER_SECOND / passed;
    uint64_t period = counts->period;
    if (rate > faults->options.rate_max)
        period *= 2;
    else if (rate < faults->options.rate_max / 4 && period > 1)
        period /= 2;
    period = period > PERIOD_MAX ? PERIOD_MAX : period;
    if (period != counts->period)
        perf_events_set_period(&faults->events, period);
    counts->period = period;
    faults->budget_ns = now;
    faults->budget_faults = counts->faults + counts->lost;
}

/* The kernel writes a record about a loss only with the next event on the same processor, which may
 * never come.  The counters of the events know the loss at once. */
static void count_lost(struct perf_faults *faults)
{
    uint64_t const lost = perf_events_lost(&faults->events);
    if (lost > faults->counts.lost)
        faults->counts.lost = lost;
}

static bool was_tight(const struct perf_events *events)
{
    for (unsigned i = 0; i < events->ring_count; i++)
        if (perf_ring_was_tight(&events->rings[i]))
            return true;
    return false;
}

int perf_faults_drain(struct perf_faults *faults, perf_record_fn each, void *context)
{
    uint64_t const now = monotonic_ns();
    bool const may_have_lost = was_tight(&faults->events);
    int const err =
        perf_queue_fill(&faults->queue, faults->events.rings, faults->events.ring_count);
    faults->each = each;
    faults->context = context;
    perf_queue_deliver(&faults->queue, now, translate, faults);
    if (may_have_lost)
        count_lost(faults);
    keep_budget(faults, now);
    return err;
}
