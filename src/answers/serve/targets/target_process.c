/* SPDX-License-Identifier: Apache-2.0 */
/* target_process.c - a process of this machine, with its recording when there is one. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "procfs/process/process_age.h"
#include "serve/targets/find_recording.h"
#include "serve/targets/target_parts.h"

#define SEARCH_NS UINT64_C(3000000000)

static int find_process(struct target *target, struct fault *fault)
{
    uint32_t const pid = target->options.pid;
    int const err = process_age_read(pid, &target->process.began_ticks, &target->process.began_ns);
    if (err == -ENOENT)
        return fault_set(fault, -ESRCH, "there is no process %u; `ps -ef` lists all processes",
                         pid);
    if (err)
        return fault_set(fault, err, "cannot read about process %u: %s", pid, strerror(-err));
    return 0;
}

static int open_process(struct target *target, struct fault *fault)
{
    int const err = find_process(target, fault);
    return err || !target->options.path ? err : target_follow(target, target->options.path, fault);
}

static int read_memory(struct target *target, struct memory_status *memory, struct fault *fault)
{
    uint64_t ticks, ns;
    uint32_t const pid = target->options.pid;
    if (memory_status_read(pid, memory) < 0 || memory->state == 'Z' ||
        process_age_read(pid, &ticks, &ns) < 0 || ticks != target->process.began_ticks)
        return fault_set(fault, -ESRCH, "process %u has ended", pid);
    return 0;
}

static int read_known_memory(struct target *target, struct memory_status *memory)
{
    return read_memory(target, memory, NULL);
}

static uint32_t known_pid(const struct target *target)
{
    return target->options.pid;
}

static bool is_followed(const struct target *target, const char *path)
{
    return target->follower && target->path && strcmp(path, target->path) == 0;
}

/* A process that has no recording, or one that nobody writes any more, may have got another. */
static void search(struct target *target)
{
    struct found_recording found = {.fd = -1};
    struct memory_status memory;
    uint64_t const now = monotonic_ns();
    if (target->follower && recording_followed(target->follower)->being_written)
        return;
    if (target->process.searched_ns && now - target->process.searched_ns < SEARCH_NS)
        return;
    target->process.searched_ns = now;
    if (read_memory(target, &memory, NULL) == 0 &&
        find_recording(target->options.pid, &found, NULL) == 0 &&
        !is_followed(target, found.path) && target_follow(target, found.path, NULL) == 0) {
        int const before = target->process.found_fd;
        target->process.found_fd = found.fd; /* its path may be that of the descriptor */
        found.fd = before;
    }
    found_recording_close(&found);
}

static struct recording *current_recording(struct target *target, struct fault *fault)
{
    uint32_t const pid = target->options.pid;
    if (!target->options.path)
        search(target);
    else if (!target->follower) /* it was there once, and may be whole again */
        target_follow(target, target->options.path, fault);
    if (target->follower)
        return target_followed(target, fault);
    if (!target->options.path)
        fault_set(fault, -ENOENT,
                  "process %u is not being recorded: start the program with memoir run, or record "
                  "the process from now on with memoir attach %u",
                  pid, pid);
    return NULL;
}

const struct target_operations target_process_operations = {
    .name = "process",
    .has_row = true,
    .is_told = true,
    .open = open_process,
    .recording = current_recording,
    .memory = read_memory,
    .known_pid = known_pid,
    .known_memory = read_known_memory,
    .describe = target_recording_describe,
    .look = target_recording_look,
    .write_nodes = target_recording_write_nodes,
};
