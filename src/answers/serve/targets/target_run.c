/* SPDX-License-Identifier: Apache-2.0 */
/* target_run.c - a run of memoir watch: all its nodes together. */
#include <errno.h>

#include "base/clock.h"
#include "cluster/runs/run_recording.h"
#include "formats/open/name_frames.h"
#include "serve/targets/node_rows.h"
#include "serve/targets/served_run.h"
#include "serve/targets/target_parts.h"
#include "serve/targets/target_state.h"

#define REST_PART     10 /* a run that grows is read again after so many times as long as it took */
#define PROFILES_MOST 4000 /* of all nodes of a run together */
#define US_NS         1000

/* All nodes of a large run are more than anybody wants to wait for. */
static int check_size(const struct run *run, struct fault *fault)
{
    size_t profiles = 0;
    vec_each (file, &run->files)
        profiles += run_kind_word(file->kind) != NULL;
    if (profiles <= PROFILES_MOST)
        return 0;
    return fault_set(fault, -E2BIG,
                     "the run %s has %zu profiles, too many to be shown at once: choose one of its "
                     "nodes",
                     run->path, profiles);
}

struct recording *target_run_read(struct target *target, const char *nick, struct fault *fault)
{
    const struct run *run = served_run_content(target->options.run);
    if (!run) {
        fault_set(fault, -ENOENT, "the run %s is empty: its first snapshot is being taken",
                  served_run_name(target->options.run));
        return NULL;
    }
    if (!nick && check_size(run, fault) < 0)
        return NULL;
    struct recording *recording = run_recording_of(run, nick, target->options.profile, fault);
    if (recording)
        name_frames(recording, run->path, target->options.beside.live);
    return recording;
}

static struct recording *read_all(struct target *target, struct fault *fault)
{
    return target_run_read(target, NULL, fault);
}

static int show(struct target *target, struct fault *fault)
{
    struct served_run *run = target->options.run;
    uint64_t const began_ns = monotonic_ns();
    int const err = target_show_whole(target, served_run_name(run), fault);
    if (err)
        return err;
    target->run.version = served_run_version(run);
    target->run.read_ns = monotonic_ns();
    target->run.took_ns = target->run.read_ns - began_ns;
    return 0;
}

/* A run that grew and cannot be read again is shown as it was. */
struct recording *target_run_recording(struct target *target, struct fault *fault)
{
    bool const is_due = target->run.is_due;
    target->run.used_ns = monotonic_ns();
    target->run.is_due = false;
    if (!target->whole && show(target, fault) < 0)
        return NULL;
    if (is_due)
        show(target, NULL);
    if (target->whole)
        target->whole->being_written = served_run_is_written(target->options.run);
    return target->whole;
}

int target_run_memory(struct target *target, struct memory_status *memory, struct fault *fault)
{
    (void)target, (void)memory;
    return fault_set(fault, -ENOENT,
                     "this target is a run: only a process of this machine has "
                     "these numbers");
}

uint32_t target_run_known_pid(const struct target *target)
{
    (void)target;
    return 0;
}

int target_run_known_memory(struct target *target, struct memory_status *memory)
{
    (void)target, (void)memory;
    return -ESRCH;
}

void target_run_tend(struct target *target)
{
    target->run.is_due = target->whole &&
                         target->run.version != served_run_version(target->options.run) &&
                         monotonic_ns() - target->run.read_ns >= target->run.took_ns * REST_PART;
}

void target_run_look(struct target *target, size_t targets, struct target_state *state)
{
    const struct served_run *run = target->options.run;
    int64_t const us = served_run_end_us(run) - served_run_begin_us(run);
    bool const is_written = served_run_is_written(run);
    *state = (struct target_state){.time_ns = us > 0 ? (uint64_t)us * US_NS : 0,
                                   .version = served_run_version(run),
                                   .parts = (uint32_t)targets,
                                   .is_there = true,
                                   .is_written = is_written,
                                   .runs = is_written};
}

int target_run_write_nodes(struct target *target, struct json_out *json,
                           const struct node_question *question, const struct target_list *served,
                           struct fault *fault)
{
    return node_rows_write_run(json, question, target->options.run, served, fault);
}

/* How long a run is, before any of it is read. */
static void write_length(struct json_out *json, const struct served_run *run)
{
    int64_t const begin_us = served_run_begin_us(run);
    if (begin_us <= 0)
        return;
    json_int_field(json, "start_unix_ns", begin_us * US_NS);
    json_int_field(json, "time_ns", (served_run_end_us(run) - begin_us) * US_NS);
}

const struct recording *target_run_describe(struct target *target, struct json_out *json)
{
    struct served_run *run = target->options.run;
    json_uint_field(json, "pid", 0);
    json_bool_field(json, "running", served_run_is_written(run));
    json_text_field(json, "recording", served_run_is_written(run) ? "being written" : "ended");
    json_text_field(json, "run", served_run_name(run));
    return target->whole ? target_run_recording(target, NULL) : NULL;
}

static void describe(struct target *target, struct json_out *json)
{
    const struct recording *recording = target_run_describe(target, json);
    json_uint_field(json, "version", served_run_version(target->options.run));
    json_bool_field(json, "open", recording != NULL);
    if (recording)
        target_facts_write(json, target, recording);
    else
        write_length(json, target->options.run);
}

const struct target_operations target_run_operations = {
    .name = "run",
    .is_read_late = true,
    .is_told = true,
    .read = read_all,
    .recording = target_run_recording,
    .memory = target_run_memory,
    .known_pid = target_run_known_pid,
    .known_memory = target_run_known_memory,
    .tend = target_run_tend,
    .describe = describe,
    .look = target_run_look,
    .write_nodes = target_run_write_nodes,
};
