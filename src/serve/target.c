/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "procfs/process_age.h"
#include "serve/exchange.h"
#include "serve/metrics_state.h"
#include "serve/tree_text.h"

#define REFRESH_NS UINT64_C(200000000)
#define SEARCH_NS  UINT64_C(3000000000)
#define LATE_NS                                                                                    \
    UINT64_C(5000000000) /* so much later than its recording a process may seem to begin */

struct target {
    struct target_options options;
    char path[PATH_MAX]; /* of the recording that is followed */
    struct recording_follower *follower;
    struct running *running;
    uint64_t refreshed_ns, searched_ns;
    uint64_t began_ticks, began_ns; /* of the process */
    struct metrics_state *metrics;
    struct tree_text *tree;
    uint64_t
        recorded_at_ns; /* when the recording that is followed began: another one has other stacks */
};

static void drop_tree(struct target *target)
{
    tree_text_release(target->tree);
    target->tree = NULL;
}

static void let_go(struct target *target)
{
    drop_tree(target);
    recording_follower_close(target->follower);
    running_destroy(target->running);
    target->follower = NULL;
    target->running = NULL;
}

static int take_in(struct target *target, struct fault *fault)
{
    target->recorded_at_ns = recording_followed(target->follower)->start_unix_ns;
    return running_advance(target->running, recording_followed(target->follower), UINT64_MAX,
                           fault);
}

static int follow(struct target *target, const char *path, struct fault *fault)
{
    struct recording_follower *follower = recording_follow(path, fault);
    if (!follower)
        return -EIO;
    let_go(target);
    target->follower = follower;
    target->running = running_create();
    snprintf(target->path, sizeof(target->path), "%s", path);
    int const err =
        target->running ? take_in(target, fault) : fault_set(fault, -ENOMEM, "out of memory");
    if (err)
        let_go(target);
    return err;
}

static int find_process(struct target *target, struct fault *fault)
{
    int const err = process_age_read(target->options.pid, &target->began_ticks, &target->began_ns);
    if (err == -ENOENT)
        return fault_set(fault, -ESRCH, "there is no process %u", target->options.pid);
    if (err)
        return fault_set(fault, err, "cannot read about process %u: %s", target->options.pid,
                         strerror(-err));
    return 0;
}

struct target *target_open(const struct target_options *options, struct fault *fault)
{
    struct target *target = calloc(1, sizeof(*target));
    if (!target || !(target->metrics = metrics_state_create((size_t)options->sites))) {
        fault_set(fault, -ENOMEM, "out of memory");
        free(target);
        return NULL;
    }
    target->options = *options;
    int err = options->pid ? find_process(target, fault) : 0;
    if (!err && options->path)
        err = follow(target, options->path, fault);
    if (!err)
        return target;
    target_close(target);
    return NULL;
}

void target_close(struct target *target)
{
    if (!target)
        return;
    let_go(target);
    metrics_state_destroy(target->metrics);
    free(target);
}

/* A process that has no recording, or one that nobody writes any more, may have got another. */
static void search(struct target *target)
{
    char path[PATH_MAX];
    uint64_t const now = monotonic_ns();
    if (!target->options.pid || !target->options.find || target->options.path)
        return;
    if (target->follower && recording_followed(target->follower)->being_written)
        return;
    if (target->searched_ns && now - target->searched_ns < SEARCH_NS)
        return;
    target->searched_ns = now;
    struct memory_status memory;
    if (target_memory(target, &memory, NULL) == 0 &&
        target->options.find(target->options.pid, path, NULL) == 0 &&
        (!target->follower || strcmp(path, target->path) != 0))
        follow(target, path, NULL);
}

/* A coarser copy of itself goes on with its sums; a new recording of the same name does not. */
static int begin_anew(struct target *target, struct fault *fault)
{
    drop_tree(target);
    if (recording_followed(target->follower)->start_unix_ns == target->recorded_at_ns)
        return FOLLOW_REPLACED;
    running_destroy(target->running);
    target->running = running_create();
    return target->running ? FOLLOW_REPLACED : fault_set(fault, -ENOMEM, "out of memory");
}

static int refresh(struct target *target, struct fault *fault)
{
    uint64_t const now = monotonic_ns();
    if (now - target->refreshed_ns < REFRESH_NS)
        return 0;
    target->refreshed_ns = now;
    int err = recording_follower_refresh(target->follower, fault);
    if (err == FOLLOW_REPLACED)
        err = begin_anew(target, fault);
    if (err > 0)
        err = take_in(target, fault);
    if (err < 0)
        let_go(target);
    return err;
}

struct recording *target_recording(struct target *target, const struct running **running,
                                   struct fault *fault)
{
    search(target);
    if (!target->follower) {
        if (target->options.path) /* it was there once, and may be whole again */
            follow(target, target->options.path, fault);
        else
            fault_set(fault, -ENOENT,
                      "process %u is not being recorded: start it with memoir run, or record it "
                      "from now on with memoir attach %u",
                      target->options.pid, target->options.pid);
    }
    if (!target->follower || refresh(target, fault) < 0)
        return NULL;
    if (running)
        *running = target->running;
    return recording_followed(target->follower);
}

int target_memory(struct target *target, struct memory_status *memory, struct fault *fault)
{
    uint64_t ticks, ns;
    uint32_t const pid = target->options.pid;
    if (!pid)
        return fault_set(fault, -ENOENT,
                         "only a recording is served: for its process add --pid PID");
    if (memory_status_read(pid, memory) < 0 || memory->state == 'Z' ||
        process_age_read(pid, &ticks, &ns) < 0 || ticks != target->began_ticks)
        return fault_set(fault, -ESRCH, "process %u has ended", pid);
    return 0;
}

const struct target_beside *target_beside(const struct target *target)
{
    return &target->options.beside;
}

uint32_t target_pid(const struct target *target)
{
    return target->options.pid;
}

uint32_t target_known_pid(const struct target *target)
{
    if (target->options.pid || !target->follower)
        return target->options.pid;
    return recording_followed(target->follower)->pid;
}

int target_known_memory(struct target *target, struct memory_status *memory)
{
    uint64_t ticks, began_ns;
    if (target->options.pid)
        return target_memory(target, memory, NULL);
    const struct recording *recording = target_recording(target, NULL, NULL);
    if (!recording || !recording->pid || !recording->being_written ||
        process_age_read(recording->pid, &ticks, &began_ns) < 0 ||
        began_ns > recording->start_unix_ns + LATE_NS)
        return -ESRCH;
    return memory_status_read(recording->pid, memory) < 0 || memory->state == 'Z' ? -ESRCH : 0;
}

const char *target_file(const struct target *target)
{
    const char *slash = strrchr(target->path, '/');
    return slash ? slash + 1 : target->path;
}

struct tree_text **target_kept_tree(struct target *target)
{
    return &target->tree;
}

uint64_t target_began_ns(const struct target *target)
{
    return target->began_ns;
}

struct metrics_state **target_metrics_state(struct target *target)
{
    return &target->metrics;
}
