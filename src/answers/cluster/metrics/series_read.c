/* SPDX-License-Identifier: Apache-2.0 */
/* series_read.c - reads the files of a run, with one thread per processor. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cluster/metrics/series_parts.h"
#include "formats/shared/input.h"

#define THREADS_MAX   4u
#define ANSWER_MAX    ((size_t)256 << 20)
#define PACKED_BLOCK  ((size_t)256 << 10)
#define BYTES_PER_JOB ((uint64_t)1 << 20) /* less is not worth a thread */

struct series_job {
    struct series_set *set;
    uint32_t begin, end; /* scrapes */
    series_wanted_fn wanted;
    void *context;
    series_part_list parts;
    int err;
    /* while an answer is read: */
    struct series_part *part;
    uint32_t scrape;
};

static struct series_column *column_of(struct series_job *job, uint32_t series)
{
    struct series_part *part = job->part;
    while (part->columns.count <= series)
        if (!vec_push(&part->columns, (struct series_column){0}))
            return NULL;
    struct series_column *column = &part->columns.items[series];
    if (!column->is_decided) {
        const struct exposition_series *is = exposition_series(part->exposition, series);
        column->is_decided = true;
        column->is_wanted = !job->wanted || job->wanted(job->context, is);
        column->is_start =
            is->label_count == 0 && strcmp(is->name, "process_start_time_seconds") == 0;
    }
    return column;
}

static void add_sample(void *context, const struct exposition_sample *sample)
{
    struct series_job *job = context;
    struct series_column *column = column_of(job, sample->series);
    if (!column) {
        job->err = -ENOMEM;
        return;
    }
    if (column->is_start)
        job->set->scrapes.items[job->scrape].start_s = sample->value.real;
    if (!column->is_wanted)
        return;
    struct series_point point = {.scrape = job->scrape, .is_whole = sample->value.is_whole};
    if (point.is_whole)
        point.whole = sample->value.whole;
    else
        point.real = sample->value.real;
    size_t const count = column->points.count;
    if (count && column->points.items[count - 1].scrape == job->scrape)
        column->points.items[count - 1] = point; /* twice in one answer */
    else if (!vec_push(&column->points, point))
        job->err = -ENOMEM;
}

/* The bytes of a plain file in the reader's room, or -errno. */
static int64_t read_plain(struct series_job *job, const struct run_file *file)
{
    struct stat about;
    int64_t got = 0, size;
    int const fd = run_file_open(job->set->run, file);
    if (fd < 0)
        return fd;
    size = fstat(fd, &about) == 0 && S_ISREG(about.st_mode) ? about.st_size : 0;
    char *room =
        (uint64_t)size <= ANSWER_MAX ? exposition_room(job->part->exposition, (size_t)size) : NULL;
    while (room && got < size) {
        ssize_t const more = read(fd, room + got, (size_t)(size - got));
        if (more <= 0)
            break;
        got += more;
    }
    close(fd);
    return got;
}

static int64_t read_packed(struct series_job *job, const struct run_file *file)
{
    char path[PATH_MAX];
    if ((size_t)snprintf(path, sizeof(path), "%s/%s", job->set->run->path, file->name) >=
        sizeof(path))
        return -ENAMETOOLONG;
    struct input *input = input_open(path, NULL);
    size_t got = 0, more = PACKED_BLOCK;
    while (input && more == PACKED_BLOCK && got < ANSWER_MAX) {
        char *room = exposition_room(job->part->exposition, got + PACKED_BLOCK);
        if (!room)
            break;
        more = input_read(input, room + got, PACKED_BLOCK);
        got += more;
    }
    input_close(input);
    return (int64_t)got;
}

static bool is_packed(const char *name)
{
    size_t const size = strlen(name);
    return size > 3 && strcmp(name + size - 3, ".gz") == 0;
}

static int read_scrape(struct series_job *job)
{
    struct scrape *scrape = &job->set->scrapes.items[job->scrape];
    int64_t const size = is_packed(scrape->file->name) ? read_packed(job, scrape->file)
                                                       : read_plain(job, scrape->file);
    if (size <= 0)
        return 0;
    const struct exposition_tally *tally = exposition_tally(job->part->exposition);
    uint64_t const samples = tally->samples, bad = tally->bad_lines;
    int const err =
        exposition_read(job->part->exposition, (size_t)size, EXPOSITION_BY_END, add_sample, job);
    scrape->is_read = tally->samples > samples;
    if (tally->bad_lines > bad && !job->part->bad_file)
        job->part->bad_file = scrape->file;
    return err == -ENOMEM ? err : job->err;
}

static void *do_job(void *argument)
{
    struct series_job *job = argument;
    for (job->scrape = job->begin; job->scrape < job->end && !job->err; job->scrape++) {
        uint32_t const node = job->set->scrapes.items[job->scrape].file->node;
        if (!job->part || job->part->node != node) {
            struct series_part const part = {.node = node, .exposition = exposition_create()};
            if (!part.exposition || !vec_push(&job->parts, part)) {
                exposition_destroy(part.exposition);
                job->err = -ENOMEM;
                break;
            }
            job->part = &job->parts.items[job->parts.count - 1];
        }
        job->err = read_scrape(job);
    }
    return NULL;
}

/* Heaps of about the same size.  How many. */
static unsigned split(struct series_set *set, struct series_job jobs[THREADS_MAX])
{
    uint64_t bytes = 0, done = 0;
    vec_each (scrape, &set->scrapes)
        bytes += scrape->file->bytes;
    long const processors = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t count = bytes / BYTES_PER_JOB + 1;
    if (count > THREADS_MAX)
        count = THREADS_MAX;
    if (processors > 0 && count > (uint64_t)processors)
        count = (uint64_t)processors;
    unsigned at = 0;
    for (uint32_t i = 0; i < set->scrapes.count; i++) {
        jobs[at].end = i + 1;
        done += set->scrapes.items[i].file->bytes;
        if (at + 1 < count && done >= bytes * (at + 1) / count) {
            at++;
            jobs[at].begin = jobs[at].end = i + 1;
        }
    }
    return at + 1;
}

static void part_fini(struct series_part *part)
{
    vec_each (column, &part->columns)
        vec_free(&column->points);
    vec_free(&part->columns);
    exposition_destroy(part->exposition);
}

void series_parts_fini(series_part_list *parts)
{
    vec_each (part, parts)
        part_fini(part);
    vec_free(parts);
}

int series_read_parts(struct series_set *set, series_wanted_fn wanted, void *context,
                      series_part_list *parts)
{
    struct series_job jobs[THREADS_MAX] = {0};
    pthread_t threads[THREADS_MAX];
    bool is_started[THREADS_MAX] = {false};
    int err = 0;
    unsigned const count = split(set, jobs);
    for (unsigned i = 0; i < count; i++) {
        jobs[i].set = set;
        jobs[i].wanted = wanted;
        jobs[i].context = context;
    }
    for (unsigned i = 1; i < count; i++)
        is_started[i] = pthread_create(&threads[i], NULL, do_job, &jobs[i]) == 0;
    for (unsigned i = 0; i < count; i++)
        if (is_started[i])
            pthread_join(threads[i], NULL);
        else
            do_job(&jobs[i]);
    for (unsigned i = 0; i < count; i++) {
        err = err ? err : jobs[i].err;
        vec_each (part, &jobs[i].parts)
            if (err || !vec_push(parts, *part)) {
                part_fini(part);
                err = err ? err : -ENOMEM;
            }
        vec_free(&jobs[i].parts);
    }
    return err;
}
