/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu/clock_events.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cpu/clock_rights.h"
#include "kernel_events/perf_sample.h"
#include "kernel_events/perf_threads.h"

#define RING_LEAST     ((size_t)64 << 10)
#define RING_MOST      ((size_t)16 << 20)
#define RINGS_MOST     ((size_t)128 << 20) /* of all processors */
#define STACK_RATE_MAX (20u << 20)         /* bytes of stacks a second and processor */
#define STOPS_RATE_MAX (128u << 20)        /* the same of those that stop, of all */
#define STOPS_SECOND   ((size_t)8 << 20)   /* bytes of their stacks */
#define STACK_SIZES    4u
#define STOPS_BEGIN    1u /* until it is known how many there are */

/* What may be copied of a stack, the most first: a record has 64 KiB at most. */
static const uint32_t stack_sizes[STACK_SIZES] = {65528, 32768, 16384, 8192};

/* What all of them have in common; the rings rely on it. */
static struct perf_event_attr common_attributes(void)
{
    return (struct perf_event_attr){
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof(struct perf_event_attr),
        .config = PERF_COUNT_SW_DUMMY,
        .sample_type =
            PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
        .sample_id_all = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
        .exclude_hv = 1,
    };
}

static void ask_for_stacks(const struct clock_events *events, struct perf_event_attr *attributes,
                           uint32_t stack_bytes)
{
    attributes->exclude_kernel = !events->sees_kernel;
    attributes->sample_type |= PERF_SAMPLE_CALLCHAIN;
    attributes->exclude_callchain_user = 1;
    attributes->exclude_callchain_kernel = !events->sees_kernel || events->options.no_kernel;
    perf_sample_ask(attributes, stack_bytes);
}

static struct perf_event_attr tick_attributes(const struct clock_events *events)
{
    struct perf_event_attr attributes = common_attributes();
    attributes.inherit = events->is_wide ? 0 : 1;
    attributes.inherit_thread = attributes.inherit && !events->options.children;
    attributes.read_format = PERF_FORMAT_LOST;
    attributes.task = attributes.comm = attributes.comm_exec = 1;
    attributes.mmap = attributes.mmap2 = 1;
    attributes.inherit_stat = attributes.inherit; /* tells what a thread used when it ends */
    attributes.context_switch = events->options.off_cpu;
    attributes.exclude_kernel = !events->sees_kernel;
    if (events->options.hz) {
        attributes.config = PERF_COUNT_SW_CPU_CLOCK;
        attributes.sample_period = NS_PER_SECOND / events->options.hz;
        attributes.exclude_idle = 1;
        ask_for_stacks(events, &attributes, events->tick_stack);
    }
    return attributes;
}

/* This event tells where a thread stops without a name of a tracepoint, which only root may look
 * up. */
static struct perf_event_attr stop_attributes(const struct clock_events *events)
{
    struct perf_event_attr attributes = common_attributes();
    attributes.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
    attributes.sample_period = events->stop_period ? events->stop_period : 1;
    attributes.inherit = events->is_wide ? 0 : 1;
    attributes.inherit_thread = attributes.inherit && !events->options.children;
    attributes.read_format = PERF_FORMAT_LOST;
    attributes.exclude_idle = 1;
    ask_for_stacks(events, &attributes, events->stop_stack);
    attributes.exclude_callchain_kernel = 0;
    return attributes;
}

/* Older kernels do not know some things that we can do without. */
static int open_event(struct perf_event_attr *attributes, int target, int cpu, unsigned long flags)
{
    int fd = perf_event_open(attributes, target, cpu, flags);
    if (fd == -EINVAL || fd == -E2BIG) {
        attributes->read_format = 0;
        fd = perf_event_open(attributes, target, cpu, flags);
    }
    if (fd == -EINVAL || fd == -E2BIG) {
        attributes->inherit_thread = 0;
        fd = perf_event_open(attributes, target, cpu, flags);
    }
    return fd;
}

struct clock_target {
    struct clock_events *events;
    int number; /* a thread, -1 or the descriptor of a cgroup */
    unsigned long flags;
    uint32_t pid;
};

static int open_on(const struct clock_target *target, struct perf_event_attr *attributes,
                   unsigned cpu, enum clock_role role)
{
    struct clock_events *events = target->events;
    uint64_t id = 0;
    int const fd = open_event(attributes, target->number, (int)cpu, target->flags);
    if (fd < 0)
        return fd;
    if (!vec_push(&events->fds, (struct clock_fd){fd, target->pid, role})) {
        close(fd);
        return -ENOMEM;
    }
    if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, events->ring_fds[cpu]) < 0 ||
        ioctl(fd, PERF_EVENT_IOC_ID, &id) < 0)
        return -errno;
    uint32_t *known = number_map_at(&events->roles, id);
    if (!known)
        return -ENOMEM;
    *known = role | cpu << 2;
    return 0;
}

static int open_role(const struct clock_target *target, enum clock_role role)
{
    struct clock_events *events = target->events;
    struct perf_event_attr attributes =
        role == CLOCK_TICKS ? tick_attributes(events) : stop_attributes(events);
    int err = 0;
    for (unsigned cpu = 0; cpu < events->ring_count && err == 0; cpu++) {
        if (events->ring_fds[cpu] >= 0)
            err = open_on(target, &attributes, cpu, role);
        if (err == -ENODEV) /* switched off meanwhile */
            err = 0;
    }
    return err;
}

/* With the kernel if that is permitted, or else without. */
static int open_target(const struct clock_target *target)
{
    struct clock_events *events = target->events;
    int err = open_role(target, CLOCK_TICKS);
    if ((err == -EACCES || err == -EPERM) && events->sees_kernel && events->fds.count == 0) {
        events->sees_kernel = events->sees_stops = false;
        err = open_role(target, CLOCK_TICKS);
    }
    if (err == 0 && events->sees_stops) {
        int const stops = open_role(target, CLOCK_STOPS);
        events->sees_stops = stops == 0 || stops == -ESRCH;
        err = stops == -EMFILE ? stops : 0;
    }
    return err;
}

static int open_thread(void *context, uint32_t tid)
{
    struct clock_target target = *(struct clock_target *)context;
    target.number = (int)tid;
    return open_target(&target);
}

static void close_one(struct clock_events *events, const struct clock_fd *of)
{
    uint64_t id = 0, value[2] = {0}; /* count, lost */
    if (read(of->fd, value, sizeof(value)) == sizeof(value))
        events->lost_before[of->role] += value[1];
    if (ioctl(of->fd, PERF_EVENT_IOC_ID, &id) == 0 && id)
        number_map_remove(&events->roles, id);
    close(of->fd);
}

static void close_all(struct clock_events *events, uint32_t pid)
{
    size_t kept = 0;
    for (size_t i = 0; i < events->fds.count; i++) {
        struct clock_fd const of = events->fds.items[i];
        if (of.pid != pid) {
            events->fds.items[kept++] = of;
            continue;
        }
        close_one(events, &of);
    }
    events->fds.count = kept;
}

void clock_events_drop(struct clock_events *events, uint32_t pid)
{
    if (pid)
        close_all(events, pid);
}

bool clock_events_can_see(const char *cgroup)
{
    struct clock_events events = {.is_wide = true, .sees_kernel = true};
    struct perf_event_attr attributes = tick_attributes(&events);
    int const folder = open(cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int const fd = folder >= 0 ? open_event(&attributes, folder, 0, PERF_FLAG_PID_CGROUP) : folder;
    if (fd >= 0)
        close(fd);
    if (folder >= 0)
        close(folder);
    return fd >= 0;
}

/* `role` CLOCK_STOPS: only those. */
static int open_wide(struct clock_events *events, const char *cgroup, enum clock_role role)
{
    struct clock_target target = {.events = events, .number = -1};
    if (cgroup) {
        target.number = open(cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        target.flags = PERF_FLAG_PID_CGROUP;
        if (target.number < 0)
            return -errno;
    }
    int const err = role == CLOCK_STOPS ? open_role(&target, role) : open_target(&target);
    if (cgroup)
        close(target.number);
    return err;
}

/* All that runs, whoever was added: whoever reads picks out what he wants. */
static int go_wide(struct clock_events *events, const char *cgroup)
{
    events->is_wide = true;
    return open_wide(events, cgroup, CLOCK_TICKS);
}

int clock_events_add(struct clock_events *events, uint32_t pid, struct fault *fault)
{
    struct clock_target target = {.events = events, .pid = pid};
    if (events->is_wide)
        return 0;
    int err = perf_threads_open(pid, open_thread, &target);
    if (err < 0)
        close_all(events, pid);
    if (err != -EMFILE && err != -ENFILE)
        return err < 0 ? clock_rights_explain_process(fault, err, pid) : 0;
    bool const saw_kernel = events->sees_kernel;
    if (go_wide(events, NULL) == 0) {
        for (size_t i = events->fds.count;
             i-- > 0;) /* who was added before is covered by it, too */
            if (i < events->fds.count && events->fds.items[i].pid)
                close_all(events, events->fds.items[i].pid);
        return 0;
    }
    events->is_wide = false;
    events->sees_kernel = saw_kernel;
    close_all(events, 0);
    return clock_rights_explain_process(fault, err, pid);
}

/* A ring is of an event of our own that never happens, so that others may come and go. */
static int open_ring(struct clock_events *events, unsigned cpu, size_t *bytes)
{
    struct perf_event_attr attributes = common_attributes();
    attributes.disabled = 1;
    attributes.exclude_kernel = 1;
    attributes.watermark = 1;
    attributes.wakeup_watermark = (uint32_t)(*bytes / 4);
    int const fd = perf_event_open(&attributes, 0, (int)cpu, 0);
    if (fd < 0)
        return fd == -ENODEV ? 0 : fd;
    int err = perf_ring_open(&events->rings[cpu], fd, *bytes);
    while ((err == -EPERM || err == -ENOMEM) && *bytes > RING_LEAST) {
        *bytes /= 2;
        err = perf_ring_open(&events->rings[cpu], fd, *bytes);
    }
    if (err < 0) {
        close(fd);
        return err;
    }
    events->ring_fds[cpu] = fd;
    return 0;
}

/* Room for what happens in a second, if that is not too much: on a busy machine we do not run
 * for a while. */
static size_t choose_ring(const struct clock_options *options, unsigned count)
{
    uint64_t const second = (uint64_t)options->hz * stack_sizes[0];
    size_t const wanted = (size_t)(second < STACK_RATE_MAX ? second : STACK_RATE_MAX) +
                          (options->off_cpu ? STOPS_SECOND : 0);
    size_t const half = options->leaves_room ? perf_ring_allowance() / 2 : RINGS_MOST;
    size_t const most = half < RINGS_MOST ? half : RINGS_MOST;
    size_t bytes = RING_MOST;
    while (bytes > RING_LEAST && (bytes / 2 >= wanted || bytes * count > most))
        bytes /= 2;
    return bytes;
}

static int open_rings(struct clock_events *events)
{
    long const processors = sysconf(_SC_NPROCESSORS_CONF);
    unsigned const count = processors > 0 ? (unsigned)processors : 1;
    size_t bytes = choose_ring(&events->options, count);
    int err = 0;
    events->rings = calloc(count, sizeof(struct perf_ring));
    events->ring_fds = calloc(count, sizeof(int));
    if (!events->rings || !events->ring_fds)
        return -ENOMEM;
    for (; events->ring_count < count; events->ring_count++)
        events->ring_fds[events->ring_count] = -1;
    for (unsigned cpu = 0; cpu < count && err == 0; cpu++)
        err = open_ring(events, cpu, &bytes);
    return err;
}

/* As much as the smallest ring holds for half a second, and as may be copied in a second. */
static void choose_stacks(struct clock_events *events)
{
    size_t ring = RING_MOST;
    uint32_t const hz = events->options.hz;
    for (unsigned i = 0; i < events->ring_count; i++)
        if (events->rings[i].head && events->rings[i].bytes < ring)
            ring = events->rings[i].bytes;
    size_t const copies = hz / 2 > 16 ? hz / 2 : 16;
    unsigned size = 0;
    while (size + 1 < STACK_SIZES &&
           ((uint64_t)stack_sizes[size] * hz > STACK_RATE_MAX || stack_sizes[size] * copies > ring))
        size++;
    events->tick_stack = stack_sizes[size];
    bool const is_of_all = events->options.whole_machine || events->options.cgroup;
    events->stop_stack =
        is_of_all || size > STOPS_BEGIN ? stack_sizes[STACK_SIZES - 1] : stack_sizes[STOPS_BEGIN];
}

uint32_t clock_events_stop_stack(const struct clock_events *events, uint64_t rate)
{
    unsigned size = 0;
    while (size + 1 < STACK_SIZES &&
           (stack_sizes[size] > events->tick_stack || stack_sizes[size] * rate > STOPS_RATE_MAX))
        size++;
    return stack_sizes[size];
}

static void raise_file_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

int clock_events_init(struct clock_events *events, const struct clock_options *options,
                      struct fault *fault)
{
    *events = (struct clock_events){
        .options = *options, .sees_kernel = true, .sees_stops = options->off_cpu};
    raise_file_limit();
    int err = open_rings(events);
    if (err < 0)
        clock_rights_explain_ring(fault, err);
    choose_stacks(events);
    if (err == 0 && (options->whole_machine || options->cgroup)) {
        err = go_wide(events, options->cgroup);
        if (err < 0)
            clock_rights_explain_wide(fault, err, options->cgroup);
    }
    if (err < 0)
        clock_events_fini(events);
    return err;
}

void clock_events_fini(struct clock_events *events)
{
    for (unsigned i = 0; i < events->ring_count; i++) {
        perf_ring_close(&events->rings[i]);
        if (events->ring_fds[i] >= 0)
            close(events->ring_fds[i]);
    }
    vec_each (of, &events->fds)
        close(of->fd);
    vec_free(&events->fds);
    vec_free(&events->closed_stops);
    number_map_fini(&events->roles);
    free(events->rings);
    free(events->ring_fds);
    *events = (struct clock_events){.ring_count = 0};
}

uint64_t clock_events_lost(const struct clock_events *events, enum clock_role role)
{
    uint64_t lost = events->lost_before[role];
    vec_each (of, &events->fds) {
        uint64_t value[2] = {0}; /* count, lost */
        if (of->role == role && read(of->fd, value, sizeof(value)) == sizeof(value))
            lost += value[1];
    }
    return lost;
}

static int open_stops(void *context, uint32_t tid)
{
    struct clock_target target = *(struct clock_target *)context;
    target.number = (int)tid;
    return open_role(&target, CLOCK_STOPS);
}

/* Of the first `old` descriptors those are closed.  What they wrote may not be read yet: their
 * numbers are known until the next time. */
static void close_old_stops(struct clock_events *events, size_t old)
{
    size_t kept = 0;
    vec_each (id, &events->closed_stops)
        number_map_remove(&events->roles, *id);
    events->closed_stops.count = 0;
    for (size_t i = 0; i < events->fds.count; i++) {
        struct clock_fd const of = events->fds.items[i];
        uint64_t id = 0;
        if (of.role != CLOCK_STOPS || i >= old) {
            events->fds.items[kept++] = of;
            continue;
        }
        uint32_t const known =
            ioctl(of.fd, PERF_EVENT_IOC_ID, &id) == 0 ? number_map_get(&events->roles, id) : 0;
        close_one(events, &of);
        uint32_t *again =
            known && vec_push(&events->closed_stops, id) ? number_map_at(&events->roles, id) : NULL;
        if (again)
            *again = known;
    }
    events->fds.count = kept;
}

/* Threads have copies of the event of whoever started them, which stay as they were made: those
 * are opened anew. */
void clock_events_change_stops(struct clock_events *events, uint64_t period, uint32_t stack_bytes,
                               const struct number_map *processes)
{
    bool const is_same_size = events->stop_stack == stack_bytes;
    events->stop_period = period;
    events->stop_stack = stack_bytes;
    if (events->is_wide && is_same_size) {
        vec_each (of, &events->fds)
            if (of->role == CLOCK_STOPS)
                (void)ioctl(of->fd, PERF_EVENT_IOC_PERIOD, &period);
        return;
    }
    size_t const old = events->fds.count;
    if (events->is_wide && events->sees_stops)
        (void)open_wide(events, events->options.cgroup, CLOCK_STOPS);
    for (size_t i = 0; !events->is_wide && events->sees_stops && i < processes->room; i++) {
        struct clock_target target = {.events = events, .pid = (uint32_t)processes->items[i].key};
        if (target.pid && processes->items[i].value)
            (void)perf_threads_open(target.pid, open_stops, &target);
    }
    if (events->fds.count > old) /* only now: none is missed in between */
        close_old_stops(events, old);
}
