/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu/perf_samples.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cpu/wait_book.h"
#include "kernel_events/perf_queue.h"
#include "kernel_events/perf_sample.h"
#include "kernel_events/perf_threads.h"
#include "procfs/process/process_status.h"

#define STACK_NUMBER 0x3fffffffu
#define TAIL_BYTES                                                                                 \
    32u /* of all records but samples: pid and tid, time, processor, number of the event */
#define BUDGET_NS       200000000u
#define STOPS_RATE_MAX  4000u /* stacks of waits a second: above it only one in so many is taken */
#define STOPS_THIN_MAX  4096u
#define STOPS_RATE_MOST 32768u

struct perf_samples {
    struct perf_samples_options options;
    struct clock_events events;
    struct perf_queue queue;
    struct wait_book waits;
    struct number_map watched; /* processes: 1 */
    struct agent_copy *copy;   /* room for one */
    uint32_t copies;           /* the number of the last one */
    uint64_t sample_ns;        /* that one stands for */
    uint64_t lost_records, throttled;
    uint64_t stops, stops_before, stops_period, budget_ns;
    bool stops_are_cut;               /* more of their stacks is wanted */
    uint64_t stops_rate, lost_before; /* of late, with those without stack; as of the last look */
    struct number_map ticked;         /* samples of a thread on a processor, by both */
};

static void destroy(struct perf_samples *samples)
{
    clock_events_fini(&samples->events);
    perf_queue_fini(&samples->queue);
    wait_book_fini(&samples->waits);
    number_map_fini(&samples->watched);
    number_map_fini(&samples->ticked);
    free(samples->copy);
    free(samples);
}

struct perf_samples *perf_samples_open(const struct perf_samples_options *options,
                                       struct fault *fault)
{
    struct perf_samples *samples = calloc(1, sizeof(*samples));
    if (samples)
        samples->copy = calloc(1, sizeof(struct agent_copy) + PERF_RECORD_BYTES);
    if (!samples || !samples->copy) {
        free(samples);
        fault_set(fault, -ENOMEM, "There is no memory left.");
        return NULL;
    }
    samples->options = *options;
    samples->queue.time_from_end = TAIL_BYTES - 8;
    samples->stops_period = 1;
    samples->budget_ns = monotonic_ns();
    samples->sample_ns = options->clock.hz ? NS_PER_SECOND / options->clock.hz : 0;
    if (clock_events_init(&samples->events, &options->clock, fault) < 0) {
        destroy(samples);
        return NULL;
    }
    return samples;
}

void perf_samples_close(struct perf_samples *samples)
{
    if (samples)
        destroy(samples);
}

static bool covers_all(const struct perf_samples *samples)
{
    return samples->options.clock.whole_machine || samples->options.clock.cgroup;
}

static bool is_watched(const struct perf_samples *samples, uint32_t pid)
{
    return pid != 0 && pid != UINT32_MAX &&
           (covers_all(samples) || number_map_get(&samples->watched, pid));
}

struct perf_adding {
    struct perf_samples *samples;
    uint32_t pid;
    uint64_t time_ns;
};

/* A thread that waits already will not tell that it stops. */
static int note_state(void *context, uint32_t tid)
{
    struct perf_adding *adding = context;
    struct process_status status;
    int const err = process_status_read(adding->pid, tid, &status);
    if (err < 0)
        return -ESRCH;
    struct wait_thread *thread = wait_book_at(&adding->samples->waits, adding->pid, tid);
    if (thread && status.state && strchr("SDTtI", status.state))
        wait_thread_stop(thread, adding->time_ns,
                         strchr("Tt", status.state) ? AGENT_WAIT_STOPPED : AGENT_WAIT_SLEEPS);
    return 0;
}

int perf_samples_add(struct perf_samples *samples, uint32_t pid, struct fault *fault)
{
    struct perf_adding adding = {samples, pid, monotonic_ns()};
    int const err = clock_events_add(&samples->events, pid, fault);
    if (err < 0)
        return err;
    uint32_t *watched = number_map_at(&samples->watched, pid);
    if (!watched) {
        clock_events_drop(&samples->events, pid);
        return fault_set(fault, -ENOMEM, "There is no memory left.");
    }
    *watched = 1;
    if (samples->options.clock.off_cpu)
        (void)perf_threads_open(pid, note_state, &adding);
    return 0;
}

void perf_samples_drop(struct perf_samples *samples, uint32_t pid)
{
    clock_events_drop(&samples->events, pid);
    perf_samples_forget(samples, pid);
}

void perf_samples_forget(struct perf_samples *samples, uint32_t pid)
{
    number_map_remove(&samples->watched, pid);
    wait_book_remove_process(&samples->waits, pid);
}

static void deliver(struct perf_samples *samples, const struct agent_record *record)
{
    samples->options.sink.record(samples->options.sink.context, record);
}

/* The addresses inside the kernel, without the marks between. */
static uint8_t parse_kernel(struct perf_cursor *cursor, uint64_t *kernel)
{
    uint64_t const count = perf_cursor_word(cursor);
    uint8_t taken = 0;
    bool in_kernel = false;
    for (uint64_t i = 0; i < count && cursor->at < cursor->end; i++) {
        uint64_t const address = perf_cursor_word(cursor);
        if (address >= (uint64_t)PERF_CONTEXT_MAX)
            in_kernel = address == (uint64_t)PERF_CONTEXT_KERNEL;
        else if (in_kernel && taken < AGENT_KERNEL_FRAMES)
            kernel[taken++] = address;
    }
    return taken;
}

/* What is left of the sample.  The number of the copy, or AGENT_STACK_KERNEL. */
static uint32_t copy_stack(struct perf_samples *samples, struct perf_cursor *cursor,
                           const struct agent_record *of)
{
    struct agent_copy *copy = samples->copy;
    if (!perf_sample_copy(cursor, true, copy))
        return AGENT_STACK_KERNEL;
    copy->record = *of;
    copy->record.kind = AGENT_COPY;
    copy->record.stack = AGENT_STACK_COPY | samples->copies;
    samples->copies = (samples->copies + 1) & STACK_NUMBER;
    deliver(samples, &copy->record);
    return copy->record.stack;
}

static uint64_t tick_key(uint32_t tid, uint32_t processor)
{
    return (uint64_t)tid << 32 | processor;
}

static void translate_sample(struct perf_samples *samples, struct perf_cursor *cursor)
{
    uint64_t const id = perf_cursor_word(cursor), task = perf_cursor_word(cursor);
    uint64_t const time = perf_cursor_word(cursor), processor = perf_cursor_word(cursor);
    struct wait_record sample = {.time = {.record = {.kind = AGENT_SAMPLE,
                                                     .pid = (uint32_t)task,
                                                     .tid = (uint32_t)(task >> 32),
                                                     .time_ns = time,
                                                     .address = samples->sample_ns},
                                          .processor = (uint32_t)processor}};
    struct agent_record *record = &sample.time.record;
    if (!is_watched(samples, record->pid))
        return;
    enum clock_role const role = clock_role_of(number_map_get(&samples->events.roles, id));
    sample.time.kernel_count = parse_kernel(cursor, sample.kernel);
    /* 0: its event is closed already. */
    if (role == CLOCK_TICKS || (role == 0 && !samples->events.options.off_cpu)) {
        uint32_t *ticked =
            samples->events.is_wide
                ? NULL
                : number_map_at(&samples->ticked, tick_key(record->tid, (uint32_t)processor));
        if (ticked)
            ++*ticked;
        record->stack = copy_stack(samples, cursor, record);
        deliver(samples, record);
        return;
    }
    if (role == 0)
        return; /* a tick or a stop, nobody knows */
    struct wait_thread *thread = wait_book_at(&samples->waits, record->pid, record->tid);
    samples->stops++;
    if (!thread)
        return;
    thread->stopped_ns = time;
    thread->stopped_stack = copy_stack(samples, cursor, record);
    thread->kernel_count = sample.time.kernel_count;
    memcpy(thread->kernel, sample.kernel, thread->kernel_count * sizeof(thread->kernel[0]));
}

static void end_wait(struct perf_samples *samples, struct wait_thread *thread, uint64_t time_ns)
{
    struct wait_record record;
    bool const was_told = thread->was_told;
    if (!wait_thread_tell(thread, time_ns, true, &record))
        return;
    if (!was_told && record.time.record.address < samples->options.wait_least_ns) {
        record.time.record.stack = AGENT_STACK_NONE;
        record.time.kernel_count = 0;
    }
    deliver(samples, &record.time.record);
}

static void translate_switch(struct perf_samples *samples, uint16_t misc, uint64_t task,
                             uint64_t time_ns)
{
    uint32_t const pid = (uint32_t)task;
    struct wait_thread *thread = is_watched(samples, pid)
                                     ? wait_book_at(&samples->waits, pid, (uint32_t)(task >> 32))
                                     : NULL;
    if (!thread)
        return;
    if (misc & PERF_RECORD_MISC_SWITCH_OUT)
        wait_thread_stop(thread, time_ns,
                         misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? AGENT_WAIT_PROCESSOR
                                                                    : AGENT_WAIT_SLEEPS);
    else
        end_wait(samples, thread, time_ns);
}

/* pid and parent, tid and parent's thread. */
static void translate_fork(struct perf_samples *samples, struct perf_cursor *cursor,
                           uint64_t time_ns)
{
    uint64_t const pids = perf_cursor_word(cursor), tids = perf_cursor_word(cursor);
    uint32_t const pid = (uint32_t)pids, parent = (uint32_t)(pids >> 32);
    if (!is_watched(samples, parent))
        return;
    if (pid != parent) {
        uint32_t *watched =
            samples->options.clock.children ? number_map_at(&samples->watched, pid) : NULL;
        if (!watched)
            return;
        *watched = 1;
        deliver(samples, &(struct agent_record){.kind = AGENT_FORK,
                                                .pid = parent,
                                                .tid = (uint32_t)(tids >> 32),
                                                .stack = AGENT_STACK_NONE,
                                                .time_ns = time_ns,
                                                .address = pid});
    }
    struct wait_thread *thread =
        samples->options.clock.off_cpu ? wait_book_at(&samples->waits, pid, (uint32_t)tids) : NULL;
    if (thread) /* it can run, and does not yet */
        wait_thread_stop(thread, time_ns, AGENT_WAIT_PROCESSOR);
}

static void translate_exit(struct perf_samples *samples, struct perf_cursor *cursor,
                           uint64_t time_ns)
{
    uint32_t const pid = (uint32_t)perf_cursor_word(cursor);
    uint32_t const tid = (uint32_t)perf_cursor_word(cursor);
    if (!is_watched(samples, pid))
        return;
    wait_book_remove(&samples->waits, tid);
    deliver(samples, &(struct agent_record){.kind = AGENT_EXIT,
                                            .pid = pid,
                                            .tid = tid,
                                            .stack = AGENT_STACK_NONE,
                                            .time_ns = time_ns});
}

static void translate_name(struct perf_samples *samples, struct perf_cursor *cursor, bool is_exec,
                           uint64_t time_ns)
{
    uint64_t const task = perf_cursor_word(cursor);
    struct agent_name name = {.record = {.kind = AGENT_EXEC,
                                         .pid = (uint32_t)task,
                                         .tid = (uint32_t)(task >> 32),
                                         .stack = AGENT_STACK_NONE,
                                         .time_ns = time_ns}};
    if (!is_watched(samples, name.record.pid))
        return;
    if (is_exec)
        deliver(samples, &name.record);
    name.record.kind = AGENT_NAME;
    size_t const size = (size_t)(cursor->end - cursor->at);
    memcpy(name.name, cursor->at, size < sizeof(name.name) - 1 ? size : sizeof(name.name) - 1);
    deliver(samples, &name.record);
}

/* What an event counted for a thread that ends: pid and tid, ns. */
static void translate_count(struct perf_samples *samples, struct perf_cursor *cursor, uint64_t id,
                            uint64_t time_ns)
{
    uint64_t const task = perf_cursor_word(cursor), counted = perf_cursor_word(cursor);
    struct perf_used used = {.pid = (uint32_t)task,
                             .tid = (uint32_t)(task >> 32),
                             .time_ns = time_ns,
                             .used_ns = counted};
    uint32_t const known = number_map_get(&samples->events.roles, id);
    if (clock_role_of(known) != CLOCK_TICKS || samples->sample_ns == 0 || used.tid == 0)
        return;
    uint64_t const ticked =
        samples->sample_ns *
        number_map_remove(&samples->ticked, tick_key(used.tid, clock_processor_of(known)));
    used.left_ns = counted > ticked ? counted - ticked : 0;
    /* More is missing for another reason: it was held back, lost, or not to be seen. */
    if (used.left_ns > samples->sample_ns)
        used.left_ns = samples->events.sees_kernel ? samples->sample_ns : 0;
    if (is_watched(samples, used.pid))
        samples->options.sink.used(samples->options.sink.context, &used);
}

/* pid and tid, where, how long, where in the file, 24 bytes of what file it is, rights, and its
 * path. */
static void translate_mapping(struct perf_samples *samples, struct perf_cursor *cursor)
{
    uint64_t const task = perf_cursor_word(cursor);
    struct code_mapping mapping = {.start = perf_cursor_word(cursor), .build_id = ""};
    mapping.end = mapping.start + perf_cursor_word(cursor);
    mapping.offset = perf_cursor_word(cursor);
    for (unsigned i = 0; i < 4; i++)
        (void)perf_cursor_word(cursor);
    size_t const size = (size_t)(cursor->end - cursor->at);
    if (!is_watched(samples, (uint32_t)task) || !memchr(cursor->at, '\0', size))
        return;
    mapping.path = cursor->at;
    samples->options.sink.mapping(samples->options.sink.context, (uint32_t)task, &mapping);
}

/* What stands at the end of all records but samples. */
static uint64_t word_from_end(const char *bytes, size_t size, size_t from_end)
{
    uint64_t word = 0;
    if (size >= sizeof(struct perf_event_header) + from_end)
        memcpy(&word, bytes + size - from_end, sizeof(word));
    return word;
}

static void translate(void *context, const char *bytes, size_t size, uint64_t time_ns)
{
    struct perf_samples *samples = context;
    struct perf_event_header header;
    memcpy(&header, bytes, sizeof(header));
    struct perf_cursor cursor = {bytes + sizeof(header), bytes + size};
    switch (header.type) {
    case PERF_RECORD_SAMPLE:
        translate_sample(samples, &cursor);
        break;
    case PERF_RECORD_SWITCH:
    case PERF_RECORD_SWITCH_CPU_WIDE:
        translate_switch(samples, header.misc, word_from_end(bytes, size, TAIL_BYTES), time_ns);
        break;
    case PERF_RECORD_FORK:
        translate_fork(samples, &cursor, time_ns);
        break;
    case PERF_RECORD_EXIT:
        translate_exit(samples, &cursor, time_ns);
        break;
    case PERF_RECORD_COMM:
        translate_name(samples, &cursor, header.misc & PERF_RECORD_MISC_COMM_EXEC, time_ns);
        break;
    case PERF_RECORD_READ:
        translate_count(samples, &cursor, word_from_end(bytes, size, 8), time_ns);
        break;
    case PERF_RECORD_MMAP2:
        translate_mapping(samples, &cursor);
        break;
    case PERF_RECORD_LOST:
        (void)perf_cursor_word(&cursor); /* the number of the event */
        samples->lost_records += perf_cursor_word(&cursor);
        break;
    case PERF_RECORD_THROTTLE:
        samples->throttled++;
        break;
    default:
        break;
    }
}

/* How much of the stack of a wait is copied: less at once where there are many, or records were
 * lost; more only where it was too little, and after there were few for a while. */
static uint32_t choose_stop_stack(struct perf_samples *samples, uint64_t rate)
{
    uint32_t const was = samples->events.stop_stack;
    if (samples->lost_records > samples->lost_before && rate < STOPS_RATE_MOST)
        rate = STOPS_RATE_MOST;
    samples->lost_before = samples->lost_records;
    samples->stops_rate -= samples->stops_rate / 8;
    if (rate > samples->stops_rate)
        samples->stops_rate = rate;
    uint32_t const fits = clock_events_stop_stack(&samples->events, samples->stops_rate);
    bool const grows = fits > was && samples->stops_are_cut;
    if (grows)
        samples->stops_are_cut = false;
    return fits < was || grows ? fits : was;
}

/* More stacks of waits than are wanted: fewer are taken, and more again when it is quiet. */
static void keep_budget(struct perf_samples *samples, uint64_t now)
{
    uint64_t const passed = now - samples->budget_ns;
    if (passed < BUDGET_NS)
        return;
    uint64_t const rate = (samples->stops - samples->stops_before) * NS_PER_SECOND / passed;
    uint64_t period = samples->stops_period;
    if (rate > STOPS_RATE_MAX && period < STOPS_THIN_MAX)
        period *= 2;
    else if (rate < STOPS_RATE_MAX / 4 && period > 1)
        period /= 2;
    uint32_t const stack = choose_stop_stack(samples, rate * samples->stops_period);
    if (period != samples->stops_period || stack != samples->events.stop_stack)
        clock_events_change_stops(&samples->events, period, stack, &samples->watched);
    samples->stops_period = period;
    samples->stops_before = samples->stops;
    samples->budget_ns = now;
}

void perf_samples_want_more(struct perf_samples *samples)
{
    samples->stops_are_cut = true;
}

int perf_samples_drain(struct perf_samples *samples, uint64_t until_ns)
{
    int const err =
        perf_queue_fill(&samples->queue, samples->events.rings, samples->events.ring_count);
    perf_queue_deliver(&samples->queue, until_ns, translate, samples);
    keep_budget(samples, monotonic_ns());
    return err;
}

void perf_samples_tell_waits(struct perf_samples *samples, uint64_t until_ns)
{
    vec_each (thread, &samples->waits.threads) {
        struct wait_record record;
        if (thread->since_ns + samples->options.wait_least_ns < until_ns &&
            wait_thread_tell(thread, until_ns, false, &record))
            deliver(samples, &record.time.record);
    }
}

struct perf_samples_counts perf_samples_count(const struct perf_samples *samples)
{
    struct perf_samples_counts counts = {
        .throttled = samples->throttled,
        .stops_period = samples->stops_period,
        .stack_bytes = samples->events.tick_stack,
        .sees_kernel = samples->events.sees_kernel,
        .sees_stops = samples->events.sees_stops,
        .is_wide = samples->events.is_wide,
    };
    if (samples->lost_records || samples->queue.lost) {
        counts.lost = clock_events_lost(&samples->events, CLOCK_TICKS);
        counts.waits_lost = clock_events_lost(&samples->events, CLOCK_STOPS);
        if (counts.lost + counts.waits_lost == 0) /* a kernel that does not tell whose they were */
            counts.lost = samples->lost_records;
        counts.lost += samples->queue.lost;
    }
    return counts;
}

void perf_samples_wait(const struct perf_samples *samples, int wait_ms)
{
    unsigned const count = samples->events.ring_count;
    struct pollfd *rings = calloc(count, sizeof(*rings));
    bool is_over = !rings;
    for (unsigned i = 0; rings && i < count; i++)
        rings[i] = (struct pollfd){.fd = samples->events.ring_fds[i], .events = POLLIN};
    if (rings)
        (void)poll(rings, count, wait_ms);
    for (unsigned i = 0; rings && i < count; i++)
        is_over |= (rings[i].revents & (POLLHUP | POLLERR)) != 0;
    if (is_over) /* the thread that opened them has ended: they work, but nobody wakes us */
        usleep((useconds_t)(wait_ms < 20 ? wait_ms : 20) * 1000);
    free(rings);
}
