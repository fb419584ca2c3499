/* SPDX-License-Identifier: Apache-2.0 */
/* target_follow.c - the recording of a target: read again while it grows, or read once as a
 * whole. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "serve/content/tree_text.h"
#include "serve/targets/target_parts.h"

#define REFRESH_NS UINT64_C(200000000)

static void drop_tree(struct target *target)
{
    tree_text_release(target->tree);
    target->tree = NULL;
}

void target_let_go(struct target *target)
{
    drop_tree(target);
    recording_follower_close(target->follower);
    target->has_old_metrics |= target->whole != NULL;
    recording_destroy(target->whole);
    running_destroy(target->running);
    target->follower = NULL;
    target->whole = NULL;
    target->running = NULL;
    target->columns = (struct columns_used){0};
    target->growth_to_ns = 0;
}

struct recording *target_current(const struct target *target)
{
    return target->follower ? recording_followed(target->follower) : target->whole;
}

/* A bucket that cannot be read is missing from all answers, not a reason for none. */
static void look_at_columns(struct target *target)
{
    target->recorded_at_ns = target_current(target)->start_unix_ns;
    columns_used_look(&target->columns, target_current(target), NULL);
}

int target_copy_path(struct target *target, const char *path, struct fault *fault)
{
    char *copy = strdup(path);
    if (!copy)
        return fault_set(fault, -ENOMEM, "out of memory");
    free(target->path);
    target->path = copy;
    return 0;
}

int target_follow(struct target *target, const char *path, struct fault *fault)
{
    struct recording_follower *follower = recording_follow(path, fault);
    if (!follower)
        return -EIO;
    target_let_go(target);
    target->follower = follower;
    target->running = running_create();
    int const err = target->running ? target_copy_path(target, path, fault)
                                    : fault_set(fault, -ENOMEM, "out of memory");
    if (err)
        target_let_go(target);
    else
        look_at_columns(target);
    return err;
}

/* A coarser copy of itself goes on with its sums; a new recording of the same name does not. */
static int begin_anew(struct target *target, struct fault *fault)
{
    target->growth_to_ns = 0; /* names have other numbers now */
    drop_tree(target);
    if (recording_followed(target->follower)->start_unix_ns == target->recorded_at_ns)
        return FOLLOW_REPLACED;
    running_destroy(target->running);
    target->running = running_create();
    target->columns = (struct columns_used){0};
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
        look_at_columns(target);
    if (err < 0)
        target_let_go(target);
    return err;
}

struct recording *target_followed(struct target *target, struct fault *fault)
{
    return refresh(target, fault) < 0 ? NULL : recording_followed(target->follower);
}

int target_show_whole(struct target *target, const char *path, struct fault *fault)
{
    struct recording *recording = target->does->read(target, fault);
    struct running *running = recording ? running_create() : NULL;
    if (!running) {
        recording_destroy(recording);
        return recording ? fault_set(fault, -ENOMEM, "out of memory") : -EIO;
    }
    target_let_go(target);
    target->whole = recording;
    target->running = running;
    int const err = target_copy_path(target, path, fault);
    if (err)
        target_let_go(target);
    else
        look_at_columns(target);
    return err;
}
