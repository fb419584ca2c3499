/* SPDX-License-Identifier: Apache-2.0 */
/* history_picture.c - turns a service's history into a recording, so that everything that draws
 * recordings draws histories, too. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/history/history_command.h"
#include "cli/shared/picture_output.h"
#include "model/recording.h"
#include "report/plot/plot_svg.h"

#define MS_NS UINT64_C(1000000)

/* A series on its way into buckets: where it is, what it had in the last one, and the stack that
 * stands for it. */
struct strand {
    const struct history_series *series;
    stack_id stack;
    size_t next;
    int64_t value;
};

struct weaving {
    const struct history_service *service;
    struct recording *recording;
    const struct history_series *rss, *heap;
    size_t heap_next;
    VEC(struct strand) strands;
    uint64_t begin_ms;
};

static const struct history_series *find(const struct history_service *service, const char *name)
{
    vec_each (series, &service->series)
        if (series->kind == HISTORY_TOTAL && strcmp(series->name, name) == 0)
            return series;
    return NULL;
}

/* A stack of one frame of this name. */
static int make_stack(struct recording *recording, const char *name, stack_id *stack)
{
    struct location const location = {.function = recording_intern(recording, name)};
    struct frame const frame = {.module = MODULE_NONE,
                                .first_location = (uint32_t)recording->locations.count,
                                .location_count = 1};
    if (!vec_push(&recording->locations, location) || !vec_push(&recording->frames, frame))
        return -ENOMEM;
    return stack_table_push(recording->stacks, STACK_EMPTY, (uint32_t)recording->frames.count - 1,
                            stack);
}

/* Sites where there are some, else categories. */
static int gather(struct weaving *weaving, enum history_kind kind)
{
    vec_each (series, &weaving->service->series) {
        struct strand strand = {.series = series};
        if (series->kind != kind || series->points.count == 0)
            continue;
        if (make_stack(weaving->recording, series->name, &strand.stack) < 0 ||
            !vec_push(&weaving->strands, strand))
            return -ENOMEM;
    }
    return 0;
}

/* The point of a series at this time; NULL when it has none. */
static const struct history_point *point_at(const struct history_series *series, size_t *next,
                                            uint64_t time_ms)
{
    while (*next < series->points.count && series->points.items[*next].time_ms < time_ms)
        (*next)++;
    if (*next >= series->points.count || series->points.items[*next].time_ms != time_ms)
        return NULL;
    return &series->points.items[*next];
}

static int add_cells(struct weaving *weaving, uint64_t time_ms, struct bucket *bucket)
{
    bucket->cells = calloc(weaving->strands.count + 1, sizeof(*bucket->cells));
    if (!bucket->cells)
        return -ENOMEM;
    vec_each (strand, &weaving->strands) {
        const struct history_point *point = point_at(strand->series, &strand->next, time_ms);
        int64_t const value = point ? point->last : 0; /* not among the largest then */
        int64_t const change = value - strand->value;
        strand->value = value;
        if (change != 0)
            bucket->cells[bucket->cell_count++] =
                (struct cell){strand->stack, change > 0 ? COL_HEAP_BYTES : COL_HEAP_FREED,
                              change > 0 ? change : -change};
    }
    return 0;
}

static uint64_t since(const struct weaving *weaving, uint64_t time_ms)
{
    return (time_ms - weaving->begin_ms) * MS_NS;
}

/* A new run is a mark. */
static int mark_run(struct weaving *weaving, const struct history_point *point, uint64_t time_ns)
{
    char label[64];
    snprintf(label, sizeof(label), "pid %u starts", weaving->service->runs.items[point->run].pid);
    return marks_add(&weaving->recording->marks, MARK_INSTANT,
                     recording_intern(weaving->recording, label), time_ns);
}

static int add_bucket(struct weaving *weaving, size_t index)
{
    struct recording *recording = weaving->recording;
    const struct history_point *point = &weaving->rss->points.items[index];
    const struct history_point *heap =
        weaving->heap ? point_at(weaving->heap, &weaving->heap_next, point->time_ms) : NULL;
    uint64_t const begin = recording->buckets.count
                               ? recording->buckets.items[recording->buckets.count - 1].end_ns
                               : 0;
    uint64_t const end = since(weaving, point->time_ms + (point->span_ms ? point->span_ms : 1));
    if (end <= begin)
        return 0;
    struct bucket bucket = {.begin_ns = begin,
                            .end_ns = end,
                            .rss_max = point->high,
                            .gauges = {.rss_bytes = point->last,
                                       .heap_live_end = heap ? heap->last : -1,
                                       .heap_live_max = heap ? heap->high : -1,
                                       .heap_live_min = heap ? heap->low : -1}};
    int err = add_cells(weaving, point->time_ms, &bucket);
    if (!err && index > 0 && point->run != weaving->rss->points.items[index - 1].run)
        err = mark_run(weaving, point, begin);
    if (err || !vec_push(&recording->buckets, bucket)) {
        free(bucket.cells);
        return -ENOMEM;
    }
    recording->duration_ns = end;
    return 0;
}

static int weave(struct weaving *weaving)
{
    struct recording *recording = weaving->recording;
    recording->program = recording_intern(recording, weaving->service->name);
    recording->host = recording_intern(recording, weaving->service->host);
    recording->source = recording_intern(recording, "memoir history");
    recording->exit_status = -1;
    recording->quality.complete = true;
    weaving->begin_ms = weaving->rss->points.items[0].time_ms;
    recording->start_unix_ns = weaving->begin_ms * MS_NS;
    int err = gather(weaving, HISTORY_SITE);
    if (!err && weaving->strands.count == 0)
        err = gather(weaving, HISTORY_CATEGORY);
    for (size_t i = 0; i < weaving->rss->points.count && !err; i++)
        err = add_bucket(weaving, i);
    return err;
}

int history_picture_write(const struct history_question *question,
                          const struct history_service *service, const char *path,
                          struct fault *fault)
{
    struct weaving weaving = {
        .service = service, .rss = find(service, "rss"), .heap = find(service, "heap.live")};
    enum picture_format format;
    struct svg_out out = {0};
    (void)question;
    int err = picture_format_of(path, &format, fault);
    if (err)
        return err;
    if (!weaving.rss || weaving.rss->points.count == 0)
        return fault_set(fault, -ENODATA, "there is no resident memory of %s to draw",
                         service->name);
    weaving.recording = recording_create();
    err = weaving.recording ? weave(&weaving) : -ENOMEM;
    if (err) {
        fault_set(fault, err, "out of memory while drawing the history");
    } else {
        struct plot_options const options = {.range = TIME_ALL,
                                             .top = PLOT_TOP_DEFAULT,
                                             .no_rate = true,
                                             .main_title = weaving.heap ? NULL : "resident"};
        err = plot_svg_render(weaving.recording, &options, &out, fault);
    }
    if (!err)
        err = picture_write(&out, path, format, fault);
    svg_out_fini(&out);
    vec_free(&weaving.strands);
    recording_destroy(weaving.recording);
    return err;
}
