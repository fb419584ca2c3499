/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster/run_pictures.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/terminal.h"
#include "cli/shared/helper_program.h"
#include "cli/cluster/run_pictures_draw.h"
#include "cluster/ram/heap_totals.h"
#include "cluster/runs/parallel.h"

struct run_job {
    const struct run_file *file, *previous; /* previous NULL: the node's first */
};

struct run_work {
    const struct run *run;
    VEC(struct run_job) jobs;
    char graph[PATH_MAX]; /* memoir-graph; "": not there */
    bool progress;
    pthread_mutex_t lock; /* of the rest */
    struct run_pictures *result;
    size_t done;
};

static void note(struct run_work *work, int err, const struct fault *why, const char *name)
{
    pthread_mutex_lock(&work->lock);
    struct run_pictures *result = work->result;
    if (err == 0)
        result->made++;
    else if (err == -EEXIST)
        result->there++;
    else if (result->failed++ == 0)
        fault_set(&result->first_fault, err, "%.150s: %.300s", name,
                  why->text[0] ? why->text : strerror(-err));
    pthread_mutex_unlock(&work->lock);
}

/* By way of a hidden file, so that a picture is whole or not there. */
static int make_one(struct run_work *work, const struct run_job *job,
                    const struct run_picture *picture, struct picture_source *source)
{
    char path[PATH_MAX], part[PATH_MAX];
    struct fault why = {.text = ""};
    int const length =
        snprintf(path, sizeof(path), "%s/%s%s", work->run->path, job->file->name, picture->suffix);
    int const part_length = snprintf(part, sizeof(part), "%s/.%s%s.part.svg", work->run->path,
                                     job->file->name, picture->suffix);
    if (length < 0 || length >= PATH_MAX || part_length < 0 || part_length >= PATH_MAX)
        return -ENAMETOOLONG;
    int err = access(path, F_OK) == 0 ? -EEXIST : 0;
    if (!err)
        err = picture->is_flame ? flame_picture_draw(source, picture, part, &why)
                                : graph_picture_draw(work->graph, source, picture, part, &why);
    if (!err && rename(part, path) < 0)
        err = -errno;
    if (err && err != -EEXIST)
        unlink(part);
    note(work, err, &why, job->file->name);
    return err;
}

static void make_pictures(void *context, size_t index)
{
    struct run_work *work = context;
    const struct run_job *job = &work->jobs.items[index];
    struct picture_source source = {.run = work->run, .file = job->file, .previous = job->previous};
    for (const struct run_picture *picture = run_picture_kinds; picture->suffix; picture++) {
        if ((picture->is_diff && !job->previous) || (!picture->is_flame && !work->graph[0]))
            continue;
        make_one(work, job, picture, &source);
    }
    picture_source_fini(&source);
    pthread_mutex_lock(&work->lock);
    work->done++;
    if (work->progress) {
        terminal_clear_line();
        fprintf(stderr, "memoir: pictures of %zu of %zu profiles", work->done, work->jobs.count);
    }
    pthread_mutex_unlock(&work->lock);
}

static bool is_chosen(const struct run_node *node, const struct pattern *nodes)
{
    return !nodes || pattern_matches(nodes, slice_of(node->name)) ||
           pattern_matches(nodes, slice_of(node->nick));
}

/* The good profiles of the nodes, each with the good one before it. */
static int list_jobs(struct run_work *work, const struct heap_totals *totals,
                     const struct pattern *nodes)
{
    for (uint32_t node = 0; node < work->run->nodes.count; node++) {
        const struct run_file *first, *previous = NULL;
        size_t const count = run_files_of(work->run, node, RUN_HEAP, &first);
        if (!is_chosen(&work->run->nodes.items[node], nodes))
            continue;
        for (size_t i = 0; i < count; i++) {
            size_t const at = (size_t)(first - work->run->files.items) + i;
            if (totals->items[at].inuse_bytes == HEAP_UNKNOWN)
                continue;
            if (!vec_push(&work->jobs, (struct run_job){&first[i], previous}))
                return -ENOMEM;
            previous = &first[i];
        }
    }
    return 0;
}

int run_pictures_make(const struct run *run, const struct pattern *nodes, bool progress,
                      struct run_pictures *result, struct fault *fault)
{
    struct run_work work = {
        .run = run, .result = result, .progress = progress, .lock = PTHREAD_MUTEX_INITIALIZER};
    struct heap_totals totals;
    memset(result, 0, sizeof(*result));
    if (helper_program_path("memoir-graph", work.graph) < 0) {
        work.graph[0] = '\0';
        result->has_no_graphs = true;
    }
    int err = heap_totals_read(&totals, run, NULL, fault);
    if (!err && list_jobs(&work, &totals, nodes) < 0)
        err = fault_set(fault, -ENOMEM, "out of memory");
    if (!err && nodes)
        err = pattern_check(nodes, fault);
    if (!err && work.jobs.count == 0)
        err = fault_set(fault, -ENODATA, "%s has no heap profile to draw", run->path);
    if (!err)
        parallel_each(work.jobs.count, make_pictures, &work);
    if (progress && work.done)
        fputc('\n', stderr);
    heap_totals_fini(&totals);
    vec_free(&work.jobs);
    return err;
}

void run_pictures_tell(const struct run_pictures *result, const char *command)
{
    fprintf(stderr, "memoir %s: %llu pictures made, %llu were there%s", command,
            (unsigned long long)result->made, (unsigned long long)result->there,
            result->has_no_graphs ? "; no call graphs, memoir-graph is not there" : "");
    if (result->failed)
        fprintf(stderr, "; %llu failed, the first of %s", (unsigned long long)result->failed,
                result->first_fault.text);
    fputc('\n', stderr);
}

int run_pictures_of(const char *path, const char *command, bool is_quiet)
{
    struct run_pictures result;
    struct fault fault = {.text = ""};
    struct run *run = run_open(path, &fault);
    int const err =
        run ? run_pictures_make(run, NULL, !is_quiet && isatty(STDERR_FILENO), &result, &fault)
            : -EIO;
    run_close(run);
    if (err)
        fprintf(stderr, "memoir %s: no pictures: %s\n", command, fault.text);
    else if (!is_quiet || result.failed)
        run_pictures_tell(&result, command);
    return err ? 1 : 0;
}
