/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/targets/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyze/sums/columns_used.h"
#include "analyze/sums/sum_tree.h"
#include "base/clock.h"
#include "cluster/runs/run_recording.h"
#include "formats/open/input_file.h"
#include "formats/open/name_frames.h"
#include "procfs/process/process_age.h"
#include "serve/http/exchange.h"
#include "serve/targets/map_look.h"
#include "serve/metrics/metrics_state.h"
#include "serve/targets/served_run.h"
#include "serve/content/tree_text.h"

#define REFRESH_NS     UINT64_C(200000000)
#define SEARCH_NS      UINT64_C(3000000000)
#define REST_PART      10 /* a run that grows is read again after so many times as long as it took */
#define PROFILES_MOST  4000       /* of all nodes of a run together */
#define SUMMED_CELLS   (8u << 20) /* fewer stay in memory as they are: bucket_walk.c */
#define SUMMED_BUCKETS 16         /* of the shortest sums */
#define LATE_NS                                                                                    \
    UINT64_C(5000000000) /* so much later than its recording a process may seem to begin */

struct target {
    struct target_options options;
    char *nick;
    struct recording *whole; /* what is not followed, but read */
    uint64_t whole_version;  /* of the run it was read from */
    uint64_t used_ns, read_ns, took_ns;
    bool is_due;          /* to be read again when it is next asked for */
    bool has_old_metrics; /* of a recording that is gone: the next one may be at the same address */
    char *path;           /* of the recording that is followed or was read; NULL: none yet */
    struct recording_follower *follower;
    struct running *running; /* as of when somebody last asked for it */
    struct columns_used columns;
    struct recording_growth growth;
    uint64_t growth_to_ns; /* what it was made of; 0: it was not */
    uint64_t refreshed_ns, searched_ns;
    uint64_t began_ticks, began_ns; /* of the process */
    struct metrics_state *metrics;
    struct tree_text *tree;
    struct map_look *map;
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
    target->has_old_metrics |= target->whole != NULL;
    recording_destroy(target->whole);
    running_destroy(target->running);
    target->follower = NULL;
    target->whole = NULL;
    target->running = NULL;
    target->columns = (struct columns_used){0};
    target->growth_to_ns = 0;
}

static struct recording *current(const struct target *target)
{
    return target->follower ? recording_followed(target->follower) : target->whole;
}

/* A bucket that cannot be read is missing from all answers, not a reason for none. */
static void take_in(struct target *target)
{
    target->recorded_at_ns = current(target)->start_unix_ns;
    columns_used_look(&target->columns, current(target), NULL);
}

static int keep_path(struct target *target, const char *path, struct fault *fault)
{
    char *copy = strdup(path);
    if (!copy)
        return fault_set(fault, -ENOMEM, "out of memory");
    free(target->path);
    target->path = copy;
    return 0;
}

static int follow(struct target *target, const char *path, struct fault *fault)
{
    struct recording_follower *follower = recording_follow(path, fault);
    if (!follower)
        return -EIO;
    let_go(target);
    target->follower = follower;
    target->running = running_create();
    int err = target->running ? keep_path(target, path, fault)
                              : fault_set(fault, -ENOMEM, "out of memory");
    if (err)
        let_go(target);
    else
        take_in(target);
    return err;
}

/* All nodes of a large run are more than anybody wants to wait for. */
static int check_size(const struct target *target, const struct run *run, struct fault *fault)
{
    size_t profiles = 0;
    vec_each (file, &run->files)
        profiles += run_kind_word(file->kind) != NULL;
    if (target->nick || profiles <= PROFILES_MOST)
        return 0;
    return fault_set(fault, -E2BIG,
                     "the run %s has %zu profiles, too many to be shown at once: choose one of its "
                     "nodes",
                     run->path, profiles);
}

static struct recording *read_run(struct target *target, struct fault *fault)
{
    const struct run *run = served_run_content(target->options.run);
    if (!run) {
        fault_set(fault, -ENOENT, "nothing is in the run %s yet: its first snapshot is under way",
                  served_run_name(target->options.run));
        return NULL;
    }
    if (check_size(target, run, fault) < 0)
        return NULL;
    struct recording *recording =
        run_recording_of(run, target->nick, target->options.profile, fault);
    if (recording)
        name_frames(recording, run->path, target->options.beside.live);
    return recording;
}

static int read_whole(struct target *target, struct fault *fault)
{
    struct served_run *run = target->options.run;
    uint64_t const began_ns = monotonic_ns();
    struct recording *recording =
        run ? read_run(target, fault)
            : input_file_read(target->options.path, target->options.beside.live, fault);
    struct running *running = recording ? running_create() : NULL;
    if (!running) {
        recording_destroy(recording);
        return recording ? fault_set(fault, -ENOMEM, "out of memory") : -EIO;
    }
    let_go(target);
    target->whole = recording;
    target->running = running;
    target->whole_version = run ? served_run_version(run) : 0;
    int err = keep_path(target, run ? served_run_name(run) : target->options.path, fault);
    if (err)
        let_go(target);
    else
        take_in(target);
    target->read_ns = monotonic_ns();
    target->took_ns = target->read_ns - began_ns;
    return err;
}

/* What is read as a whole.  A run that grew and cannot be read again is shown as it was. */
static struct recording *whole_recording(struct target *target, struct fault *fault)
{
    bool const is_due = target->is_due;
    target->used_ns = monotonic_ns();
    target->is_due = false;
    if (!target->whole && read_whole(target, fault) < 0)
        return NULL;
    if (is_due)
        read_whole(target, NULL);
    if (target->options.run)
        target->whole->being_written = served_run_is_written(target->options.run);
    return target->whole;
}

static int find_process(struct target *target, struct fault *fault)
{
    int const err = process_age_read(target->options.pid, &target->began_ticks, &target->began_ns);
    if (err == -ENOENT)
        return fault_set(fault, -ESRCH, "there is no process %u; `ps -ef` lists those there are",
                         target->options.pid);
    if (err)
        return fault_set(fault, err, "cannot read about process %u: %s", target->options.pid,
                         strerror(-err));
    return 0;
}

struct target *target_open(const struct target_options *options, struct fault *fault)
{
    struct target *target = calloc(1, sizeof(*target));
    if (!target) {
        fault_set(fault, -ENOMEM, "out of memory");
        return NULL;
    }
    target->options = *options;
    int err = options->pid ? find_process(target, fault) : 0;
    if (!err && options->nick && !(target->nick = strdup(options->nick)))
        err = fault_set(fault, -ENOMEM, "out of memory");
    if (!err && options->is_history)
        err = keep_path(target, options->path, fault);
    else if (!err && options->path)
        err =
            options->is_foreign ? read_whole(target, fault) : follow(target, options->path, fault);
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
    free(target->nick);
    free(target->path);
    map_look_destroy(target->map);
    free(target);
}

const char *target_kind_name(enum target_kind kind)
{
    static const char *const names[] = {[TARGET_PROCESS] = "process",
                                        [TARGET_RECORDING] = "recording",
                                        [TARGET_RUN] = "run",
                                        [TARGET_NODE] = "node",
                                        [TARGET_HISTORY] = "history"};
    return names[kind];
}

enum target_kind target_kind(const struct target *target)
{
    if (target->options.run)
        return target->nick ? TARGET_NODE : TARGET_RUN;
    if (target->options.is_history)
        return TARGET_HISTORY;
    return target->options.pid ? TARGET_PROCESS : TARGET_RECORDING;
}

struct served_run *target_run(const struct target *target)
{
    return target->options.run;
}

const char *target_history(const struct target *target)
{
    return target->options.is_history ? target->options.path : NULL;
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
    return current(target) != NULL;
}

uint64_t target_used_ns(const struct target *target)
{
    return target->used_ns;
}

void target_rest(struct target *target)
{
    let_go(target);
}

void target_tend(struct target *target)
{
    const struct served_run *run = target->options.run;
    target->is_due = run && target->whole && target->whole_version != served_run_version(run) &&
                     monotonic_ns() - target->read_ns >= target->took_ns * REST_PART;
}

bool target_sum_up(struct target *target, size_t bytes_most, uint64_t budget_ns)
{
    struct sum_limits const limits = {bytes_most, SUMMED_CELLS, SUMMED_BUCKETS};
    return current(target) && sum_tree_advance(current(target), &limits, budget_ns);
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
        (!target->follower || !target->path || strcmp(path, target->path) != 0))
        follow(target, path, NULL);
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
        take_in(target);
    if (err < 0)
        let_go(target);
    return err;
}

static struct recording *find_current(struct target *target, struct fault *fault)
{
    if (target->options.run || target->options.is_foreign)
        return whole_recording(target, fault);
    if (target->options.is_history) {
        fault_set(fault, -ENOENT,
                  "%s is a history: it has sums over days, and neither call stacks nor events; "
                  "/api/history tells them",
                  target_file(target));
        return NULL;
    }
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
    return recording_followed(target->follower);
}

struct recording *target_recording(struct target *target, const struct running **running,
                                   struct fault *fault)
{
    struct recording *recording = find_current(target, fault);
    if (!recording || !running)
        return recording;
    if (running_advance(target->running, recording, UINT64_MAX, fault) < 0) {
        let_go(target);
        return NULL;
    }
    *running = target->running;
    return recording;
}

bool target_has(const struct target *target, const struct metric *metric)
{
    return columns_used_has(&target->columns, metric);
}

uint64_t target_time(const struct target *target)
{
    const struct recording *recording = target->follower || target->whole ? current(target) : NULL;
    size_t const count = recording ? recording->buckets.count : 0;
    return count ? recording->buckets.items[count - 1].end_ns : 0;
}

int target_memory(struct target *target, struct memory_status *memory, struct fault *fault)
{
    uint64_t ticks, ns;
    uint32_t const pid = target->options.pid;
    if (!pid)
        return fault_set(fault, -ENOENT,
                         target->options.run
                             ? "a run is served: only a process of this machine has this"
                             : "only a recording is served: for its process add --pid PID");
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
    if (target->options.pid || !current(target))
        return target->options.pid;
    return current(target)->pid;
}

int target_known_memory(struct target *target, struct memory_status *memory)
{
    uint64_t ticks, began_ns;
    if (target->options.pid)
        return target_memory(target, memory, NULL);
    if (target->options.run)
        return -ESRCH;
    const struct recording *recording = target_recording(target, NULL, NULL);
    if (!recording || !recording->pid || !recording->being_written ||
        process_age_read(recording->pid, &ticks, &began_ns) < 0 ||
        began_ns > recording->start_unix_ns + LATE_NS)
        return -ESRCH;
    return memory_status_read(recording->pid, memory) < 0 || memory->state == 'Z' ? -ESRCH : 0;
}

const struct recording_growth *target_growth(struct target *target, struct fault *fault)
{
    uint64_t const to_ns = target_time(target);
    if (target->growth_to_ns != to_ns || to_ns == 0) {
        target->growth_to_ns = 0;
        if (recording_growth_make(current(target), 0, &target->growth, fault) < 0)
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
    return target->began_ns;
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
