/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/targets/target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/sums/sum_tree.h"
#include "serve/content/tree_text.h"
#include "serve/metrics/metrics_state.h"
#include "serve/targets/map_look.h"
#include "serve/targets/target_parts.h"

#define SUMMED_CELLS   (8u << 20) /* fewer stay in memory as they are: bucket_walk.c */
#define SUMMED_BUCKETS 16         /* of the shortest sums */

static const struct target_operations *const operations[] = {
    [TARGET_PROCESS] = &target_process_operations,
    [TARGET_RECORDING] = &target_recording_operations,
    [TARGET_FOREIGN] = &target_foreign_operations,
    [TARGET_RUN] = &target_run_operations,
    [TARGET_NODE] = &target_node_operations,
    [TARGET_HISTORY] = &target_history_operations,
};

struct target *target_open(const struct target_options *options, struct fault *fault)
{
    struct target *target = calloc(1, sizeof(*target));
    if (!target) {
        fault_set(fault, -ENOMEM, "out of memory");
        return NULL;
    }
    target->options = *options;
    target->process.found_fd = -1;
    target->does = operations[options->kind];
    int err = 0;
    if (options->nick && !(target->nick = strdup(options->nick)))
        err = fault_set(fault, -ENOMEM, "out of memory");
    if (!err && target->does->open)
        err = target->does->open(target, fault);
    if (!err)
        return target;
    target_close(target);
    return NULL;
}

void target_close(struct target *target)
{
    if (!target)
        return;
    target_let_go(target);
    metrics_state_destroy(target->metrics);
    free(target->nick);
    free(target->path);
    map_look_destroy(target->map);
    if (target->process.found_fd >= 0)
        close(target->process.found_fd);
    free(target);
}

const char *target_kind_name(const struct target *target)
{
    return target->does->name;
}

enum target_kind target_kind(const struct target *target)
{
    return target->options.kind;
}

bool target_is_read_late(const struct target *target)
{
    return target->does->is_read_late;
}

bool target_has_row(const struct target *target)
{
    return target->does->has_row;
}

bool target_is_told(const struct target *target)
{
    return target->does->is_told;
}

struct served_run *target_run(const struct target *target)
{
    return target->options.run;
}

const char *target_nick(const struct target *target)
{
    return target->nick;
}

const char *target_profile(const struct target *target)
{
    return target->options.profile;
}

bool target_is_open(const struct target *target)
{
    return target_current(target) != NULL;
}

uint64_t target_used_ns(const struct target *target)
{
    return target->run.used_ns;
}

void target_rest(struct target *target)
{
    target_let_go(target);
}

void target_tend(struct target *target)
{
    if (target->does->tend)
        target->does->tend(target);
}

bool target_sum_up(struct target *target, size_t bytes_most, uint64_t budget_ns)
{
    struct sum_limits const limits = {bytes_most, SUMMED_CELLS, SUMMED_BUCKETS};
    return target_current(target) && sum_tree_advance(target_current(target), &limits, budget_ns);
}

struct recording *target_recording(struct target *target, const struct running **running,
                                   struct fault *fault)
{
    struct recording *recording = target->does->recording(target, fault);
    if (!recording || !running)
        return recording;
    if (running_advance(target->running, recording, UINT64_MAX, fault) < 0) {
        target_let_go(target);
        return NULL;
    }
    *running = target->running;
    return recording;
}

void target_describe(struct target *target, struct json_out *json)
{
    target->does->describe(target, json);
}

void target_look(struct target *target, size_t targets, struct target_state *state)
{
    target->does->look(target, targets, state);
}

int target_write_nodes(struct target *target, struct json_out *json,
                       const struct node_question *question, const struct target_list *served,
                       struct fault *fault)
{
    return target->does->write_nodes(target, json, question, served, fault);
}

bool target_has(const struct target *target, const struct metric *metric)
{
    return columns_used_has(&target->columns, metric);
}

uint64_t target_time(const struct target *target)
{
    const struct recording *recording = target_current(target);
    size_t const count = recording ? recording->buckets.count : 0;
    return count ? recording->buckets.items[count - 1].end_ns : 0;
}

int target_memory(struct target *target, struct memory_status *memory, struct fault *fault)
{
    return target->does->memory(target, memory, fault);
}

uint32_t target_known_pid(const struct target *target)
{
    return target->does->known_pid(target);
}

int target_known_memory(struct target *target, struct memory_status *memory)
{
    return target->does->known_memory(target, memory);
}

const struct target_beside *target_beside(const struct target *target)
{
    return &target->options.beside;
}

uint32_t target_pid(const struct target *target)
{
    return target->options.pid;
}

const struct recording_growth *target_growth(struct target *target, struct fault *fault)
{
    uint64_t const to_ns = target_time(target);
    if (target->growth_to_ns != to_ns || to_ns == 0) {
        target->growth_to_ns = 0;
        if (recording_growth_make(target_current(target), 0, &target->growth, fault) < 0)
            return NULL;
        target->growth_to_ns = to_ns;
    }
    return &target->growth;
}

uint64_t target_bytes(const struct target *target)
{
    struct stat file;
    return target->path && stat(target->path, &file) == 0 && S_ISREG(file.st_mode)
               ? (uint64_t)file.st_size
               : 0;
}

const char *target_file(const struct target *target)
{
    const char *path = target->path ? target->path : "";
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

struct tree_text **target_kept_tree(struct target *target)
{
    return &target->tree;
}

uint64_t target_began_ns(const struct target *target)
{
    return target->process.began_ns;
}

struct metrics_state *target_metrics_state(struct target *target)
{
    if (target->has_old_metrics) {
        metrics_state_destroy(target->metrics);
        target->metrics = NULL;
        target->has_old_metrics = false;
    }
    if (!target->metrics)
        target->metrics = metrics_state_create((size_t)target->options.sites);
    return target->metrics;
}

struct map_look **target_map_look(struct target *target)
{
    return &target->map;
}
