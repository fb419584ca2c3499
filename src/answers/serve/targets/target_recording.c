/* SPDX-License-Identifier: Apache-2.0 */
/* target_recording.c - a recording of memoir's, which may still grow. */
#include <errno.h>

#include "procfs/process/process_age.h"
#include "serve/targets/node_rows.h"
#include "serve/targets/target_parts.h"
#include "serve/targets/target_state.h"

#define LATE_NS                                                                                    \
    UINT64_C(5000000000) /* so much later than its recording a process may seem to begin */

static int open_recording(struct target *target, struct fault *fault)
{
    return target_follow(target, target->options.path, fault);
}

static struct recording *current_recording(struct target *target, struct fault *fault)
{
    if (!target->follower) /* it was there once, and may be whole again */
        target_follow(target, target->options.path, fault);
    return target->follower ? target_followed(target, fault) : NULL;
}

int target_file_memory(struct target *target, struct memory_status *memory, struct fault *fault)
{
    (void)target, (void)memory;
    return fault_set(fault, -ENOENT,
                     "this target is only a recording: to serve its process, add "
                     "--pid PID");
}

uint32_t target_file_known_pid(const struct target *target)
{
    const struct recording *recording = target_current(target);
    return recording ? recording->pid : 0;
}

int target_file_known_memory(struct target *target, struct memory_status *memory)
{
    uint64_t ticks, began_ns;
    const struct recording *recording = target_recording(target, NULL, NULL);
    if (!recording || !recording->pid || !recording->being_written ||
        process_age_read(recording->pid, &ticks, &began_ns) < 0 ||
        began_ns > recording->start_unix_ns + LATE_NS)
        return -ESRCH;
    return memory_status_read(recording->pid, memory) < 0 || memory->state == 'Z' ? -ESRCH : 0;
}

void target_recording_describe(struct target *target, struct json_out *json)
{
    struct memory_status memory;
    const struct recording *recording = target_recording(target, NULL, NULL);
    json_uint_field(json, "pid", target_known_pid(target));
    json_bool_field(json, "running", target_known_memory(target, &memory) == 0);
    json_text_field(json, "recording",
                    !recording                 ? "none"
                    : recording->being_written ? "being written"
                                               : "ended");
    if (recording)
        target_facts_write(json, target, recording);
}

void target_recording_look(struct target *target, size_t targets, struct target_state *state)
{
    struct memory_status memory;
    const struct recording *recording = target_recording(target, NULL, NULL);
    (void)targets;
    *state = (struct target_state){.recording = recording};
    state->pid = target_known_pid(target);
    state->runs = target_known_memory(target, &memory) == 0;
    if (!recording)
        return;
    state->time_ns = target_time(target);
    state->last_mark = recording->marks.last_number;
    state->is_there = true;
    state->is_written = recording->being_written;
    state->start_unix_ns = recording->start_unix_ns;
    for (const struct metric *metric = metrics; metric->name; metric++)
        state->parts += target_has(target, metric);
}

int target_recording_write_nodes(struct target *target, struct json_out *json,
                                 const struct node_question *question,
                                 const struct target_list *served, struct fault *fault)
{
    (void)target;
    return node_rows_write_recordings(json, question, served, fault);
}

const struct target_operations target_recording_operations = {
    .name = "recording",
    .has_row = true,
    .is_told = true,
    .open = open_recording,
    .recording = current_recording,
    .memory = target_file_memory,
    .known_pid = target_file_known_pid,
    .known_memory = target_file_known_memory,
    .describe = target_recording_describe,
    .look = target_recording_look,
    .write_nodes = target_recording_write_nodes,
};
