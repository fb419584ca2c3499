/* SPDX-License-Identifier: Apache-2.0 */
#include "pages/perf_events.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <time.h>
#include <unistd.h>

#include "kernel_events/perf_sample.h"
#include "kernel_events/perf_threads.h"

static const char *const tracepoints[PERF_ROLES] = {[PERF_MAP_ENTER] = "sys_enter_mmap",
                                                    [PERF_MAP_EXIT] = "sys_exit_mmap",
                                                    [PERF_MOVE_ENTER] = "sys_enter_mremap",
                                                    [PERF_MOVE_EXIT] = "sys_exit_mremap"};

static struct perf_event_attr fault_attributes(const struct perf_events *events, uint64_t config)
{
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof(attributes),
        .config = config,
        .sample_period = 1,
        .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                       PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_PAGE_SIZE,
        .read_format = PERF_FORMAT_LOST,
        .sample_id_all = 1,
        .inherit = 1,
        .watermark = 1,
        .wakeup_watermark = 65536,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
        .exclude_callchain_kernel = 1,
        .exclude_kernel = !events->sees_kernel,
    };
    perf_sample_ask(&attributes, events->stack_bytes);
    if (config == PERF_COUNT_SW_PAGE_FAULTS_MIN) { /* one of them tells of processes as well */
        attributes.task = 1;
        attributes.comm = 1;
        attributes.comm_exec = 1;
    }
    return attributes;
}

/* Opens an event of a thread on a processor.  The first event of a processor creates the ring; the
 * others write into it. */
static int open_one(struct perf_events *events, struct perf_event_attr *attributes, uint32_t tid,
                    unsigned cpu, enum perf_role role)
{
    uint64_t id = 0;
    int fd = perf_event_open(attributes, (int)tid, (int)cpu, 0);
    if (fd == -EINVAL && attributes->read_format) { /* before 6.0: only records tell of losses */
        attributes->read_format = 0;
        fd = perf_event_open(attributes, (int)tid, (int)cpu, 0);
    }
    if (fd < 0)
        return fd;
    if (!vec_push(&events->fds, fd)) {
        close(fd);
        return -ENOMEM;
    }
    int err = 0;
    if (events->ring_fds[cpu] < 0) {
        err = perf_ring_open(&events->rings[cpu], fd, events->rings[cpu].bytes);
        err = err == -EPERM
                  ? -ENOBUFS
                  : err; /* EPERM here is about locked memory, not about the right to watch */
        events->ring_fds[cpu] = fd;
    } else if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, events->ring_fds[cpu]) < 0) {
        err = -errno;
    }
    if (err == 0 && ioctl(fd, PERF_EVENT_IOC_ID, &id) < 0)
        err = -errno;
    uint32_t *known = err == 0 ? number_map_at(&events->roles, id) : NULL;
    if (known)
        *known = role;
    return err == 0 && !known ? -ENOMEM : err;
}

static int open_faults(struct perf_events *events, uint32_t tid)
{
    struct perf_event_attr minor_faults = fault_attributes(events, PERF_COUNT_SW_PAGE_FAULTS_MIN);
    struct perf_event_attr major_faults = fault_attributes(events, PERF_COUNT_SW_PAGE_FAULTS_MAJ);
    int err = 0;
    for (unsigned cpu = 0; cpu < events->ring_count && err == 0; cpu++) {
        err = open_one(events, &minor_faults, tid, cpu, PERF_FAULT);
        if (err == 0)
            err = open_one(events, &major_faults, tid, cpu, PERF_FAULT);
        if (err == -ENODEV) /* this processor is off */
            err = 0;
    }
    return err;
}

/* Opens the folder of system call tracepoints: from the mounted tracefs, or from a private mount
 * that no other process sees. */
static int open_tracing(void)
{
    int fd = open("/sys/kernel/tracing/events/syscalls", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0)
        return fd;
    int const context = fsopen("tracefs", FSOPEN_CLOEXEC);
    if (context < 0)
        return -1;
    int mounted = -1;
    if (fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
        mounted = fsmount(context, FSMOUNT_CLOEXEC, 0);
    close(context);
    if (mounted >= 0) {
        fd = openat(mounted, "events/syscalls", O_PATH | O_DIRECTORY | O_CLOEXEC);
        close(mounted);
    }
    return fd;
}

static int64_t tracepoint_number(int folder, const char *name)
{
    char path[64], text[32] = "";
    snprintf(path, sizeof(path), "%s/id", name);
    int const fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t const got = read(fd, text, sizeof(text) - 1);
    close(fd);
    return got > 0 ? strtoll(text, NULL, 10) : -1;
}

static int open_calls(struct perf_events *events, uint32_t tid, const int64_t *numbers)
{
    int err = 0;
    for (unsigned role = PERF_MAP_ENTER; role < PERF_ROLES; role++) {
        struct perf_event_attr attributes = {
            .type = PERF_TYPE_TRACEPOINT,
            .size = sizeof(attributes),
            .config = (uint64_t)numbers[role],
            .sample_period = 1,
            .sample_type =
                PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
            .read_format = PERF_FORMAT_LOST,
            .sample_id_all = 1,
            .inherit = 1,
            .use_clockid = 1,
            .clockid = CLOCK_MONOTONIC,
        };
        if (role == PERF_MAP_ENTER) /* who fills memory at once has a stack */
            perf_sample_ask(&attributes, events->stack_bytes);
        for (unsigned cpu = 0; cpu < events->ring_count && err == 0; cpu++) {
            if (events->ring_fds[cpu] >= 0)
                err = open_one(events, &attributes, tid, cpu, role);
        }
    }
    return err;
}

/* Finds the tracepoints of mmap and mremap, which show reused addresses and moved pages.  They are
 * optional: without them owners are less exact. */
static bool find_calls(int64_t *numbers)
{
    int const folder = open_tracing();
    bool all = folder >= 0;
    for (unsigned role = PERF_MAP_ENTER; role < PERF_ROLES && all; role++) {
        numbers[role] = tracepoint_number(folder, tracepoints[role]);
        all = numbers[role] >= 0;
    }
    if (folder >= 0)
        close(folder);
    return all;
}

struct opening {
    struct perf_events *events;
    int64_t numbers[PERF_ROLES];
};

static int open_thread(void *context, uint32_t tid)
{
    struct opening *opening = context;
    struct perf_events *events = opening->events;
    int err = open_faults(events, tid);
    if ((err == -EACCES || err == -EPERM) && events->sees_kernel && events->fds.count == 0) {
        events->sees_kernel = false;
        err = open_faults(events, tid);
    }
    if (err == 0 && events->sees_maps && open_calls(events, tid, opening->numbers) < 0)
        events->sees_maps = false;
    return err;
}

static int open_threads(struct perf_events *events, uint32_t pid)
{
    struct opening opening = {.events = events};
    events->sees_maps = find_calls(opening.numbers);
    return perf_threads_open(pid, open_thread, &opening);
}

static int explain(int err, uint32_t pid, struct fault *fault)
{
    if (err == -ESRCH || err == -ENOENT)
        return fault_set(fault, err, "there is no process %u; `ps -ef` lists all processes", pid);
    if (err == -ENOBUFS)
        return fault_set(
            fault, err,
            "There is no memory left that this user may lock for page faults of process %u "
            "(kernel.perf_event_mlock_kb, ulimit -l): end other users of it, or run as root.",
            pid);
    if (err == -EACCES || err == -EPERM)
        return fault_set(
            fault, err,
            "You may not record page faults of process %u: run memoir as root, or as the user of "
            "the process with kernel.perf_event_paranoid at 2 or less.",
            pid);
    if (err == -EMFILE || err == -ENFILE)
        return fault_set(
            fault, err,
            "Process %u has more threads than this user may open files: raise ulimit -n, or run "
            "memoir as root with the agent.",
            pid);
    return fault_set(fault, err, "Page faults of process %u cannot be recorded: %s.", pid,
                     strerror(-err));
}

int perf_events_open(struct perf_events *events, uint32_t pid, uint32_t stack_bytes,
                     size_t ring_bytes, struct fault *fault)
{
    long const processors = sysconf(_SC_NPROCESSORS_CONF);
    *events = (struct perf_events){.stack_bytes = stack_bytes, .sees_kernel = true};
    unsigned const count = processors > 0 ? (unsigned)processors : 1;
    events->rings = calloc(count, sizeof(struct perf_ring));
    events->ring_fds = calloc(count, sizeof(int));
    int err = events->rings && events->ring_fds ? 0 : -ENOMEM;
    for (unsigned i = 0; i < count && err == 0; i++) {
        events->rings[i].bytes = ring_bytes;
        events->ring_fds[i] = -1;
    }
    events->ring_count = err == 0 ? count : 0;
    if (err == 0)
        err = open_threads(events, pid);
    if (err == 0)
        return 0;
    perf_events_close(events);
    return explain(err, pid, fault);
}

void perf_events_close(struct perf_events *events)
{
    for (unsigned i = 0; i < events->ring_count; i++)
        perf_ring_close(&events->rings[i]);
    vec_each (fd, &events->fds)
        close(*fd);
    vec_free(&events->fds);
    number_map_fini(&events->roles);
    free(events->rings);
    free(events->ring_fds);
    *events = (struct perf_events){.ring_count = 0};
}

uint64_t perf_events_lost(const struct perf_events *events)
{
    uint64_t lost = 0;
    vec_each (fd, &events->fds) {
        uint64_t value[2] = {0}; /* count, lost */
        if (read(*fd, value, sizeof(value)) == sizeof(value))
            lost += value[1];
    }
    return lost;
}

void perf_events_set_period(struct perf_events *events, uint64_t period)
{
    vec_each (fd, &events->fds) {
        uint64_t id = 0;
        if (ioctl(*fd, PERF_EVENT_IOC_ID, &id) == 0 &&
            number_map_get(&events->roles, id) == PERF_FAULT)
            ioctl(*fd, PERF_EVENT_IOC_PERIOD, &period);
    }
}
