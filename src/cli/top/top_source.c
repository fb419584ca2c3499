/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/top/top_source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/human.h"

#define LOOK_EVERY 3u /* refreshes, for a recording of a process that had none */

/* Adds the buckets up to the time growth counts from, marks, and adds the rest. */
static int begin_sums(struct top_source *source, struct fault *fault)
{
    struct recording *recording = recording_followed(source->follower);
    uint64_t const end = recording->duration_ns;
    running_destroy(source->running);
    source->running = running_create();
    if (!source->running)
        return fault_set(fault, -ENOMEM, "out of memory");
    int err = running_advance(source->running, recording,
                              end > source->since_ns ? end - source->since_ns : 0, fault);
    running_mark(source->running);
    return err ? err : running_advance(source->running, recording, UINT64_MAX, fault);
}

static int follow(struct top_source *source, struct fault *fault)
{
    struct recording_follower *follower = recording_follow(source->found.path, fault);
    if (!follower)
        return -EIO;
    recording_follower_close(source->follower);
    source->follower = follower;
    return begin_sums(source, fault);
}

static int read_memory(struct top_source *source, struct fault *fault)
{
    int const err = memory_status_read(source->pid, &source->memory);
    source->is_gone = err < 0 || source->memory.state == 'Z';
    if (err < 0 && source->refreshes == 0)
        return fault_set(
            fault, err,
            "there is no process %u, and no recording of that name; `ps -ef` lists processes",
            source->pid);
    return 0;
}

int top_source_open(struct top_source *source, const char *what, uint64_t since_ns,
                    struct fault *fault)
{
    uint64_t number;
    *source = (struct top_source){.since_ns = since_ns, .found.fd = -1};
    snprintf(source->found.path, sizeof(source->found.path), "%s", what);
    bool const is_number = human_parse_count(what, &number) == 0 && number <= INT32_MAX;
    if (!is_number || access(what, F_OK) == 0)
        return follow(source, fault);
    source->pid = (uint32_t)number;
    if (find_recording(source->pid, &source->found, NULL) == 0)
        return follow(source, fault);
    return read_memory(source, fault);
}

/* The recording of a process is looked for again when there was none, or its file has been left
 * behind under a name in /proc. */
static bool looks_for_another(const struct top_source *source)
{
    if (source->pid == 0 || source->refreshes % LOOK_EVERY != 0)
        return false;
    if (!source->follower)
        return true;
    const struct recording *recording = recording_followed(source->follower);
    return !recording->being_written && !recording->quality.complete;
}

/* What was followed stays when the other cannot be. */
static int follow_another(struct top_source *source, struct found_recording *found,
                          struct fault *fault)
{
    struct found_recording const before = source->found;
    source->found = *found;
    int const err = follow(source, fault);
    *found = err ? source->found : before;
    if (err)
        source->found = before;
    return err;
}

int top_source_refresh(struct top_source *source, struct fault *fault)
{
    struct found_recording found = {.fd = -1};
    source->refreshes++;
    bool const is_other =
        looks_for_another(source) && find_recording(source->pid, &found, NULL) == 0;
    int const err = is_other ? follow_another(source, &found, fault) : 0;
    found_recording_close(&found);
    if (is_other)
        return err;
    if (!source->follower)
        return read_memory(source, fault);
    int const news = recording_follower_refresh(source->follower, fault);
    if (news <= 0)
        return news;
    return running_advance(source->running, recording_followed(source->follower), UINT64_MAX,
                           fault);
}

void top_source_close(struct top_source *source)
{
    recording_follower_close(source->follower);
    running_destroy(source->running);
    found_recording_close(&source->found);
    source->follower = NULL;
    source->running = NULL;
}
