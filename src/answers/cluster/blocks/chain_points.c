/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/blocks/chain_points.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_in.h"
#include "cluster/bandwidth/traffic_names.h"

#define HEADER_MAX ((size_t)16 << 20) /* with a certificate in it, as old runs have it */

struct header {
    const struct run_file *file;
    uint64_t height, transactions;
};
typedef VEC(struct header) header_list;

static bool read_fields(struct json_in *json, uint64_t *height, uint64_t *transactions)
{
    char key[32];
    bool has_any = false;
    for (json_in_object(json); json_in_key(json, key, sizeof(key));) {
        if (strcmp(key, "rnd") == 0) {
            has_any |= json_in_uint(json, height);
        } else if (strcmp(key, "tc") == 0) {
            has_any |= json_in_uint(json, transactions);
        } else if (strcmp(key, "block") == 0) {
            has_any |= read_fields(json, height, transactions); /* as deep as json_in goes */
        } else {
            json_in_skip(json);
        }
    }
    return has_any && !json->failed;
}

int chain_header_parse(struct slice text, uint64_t *height, uint64_t *transactions)
{
    struct json_in json = {.text = text};
    *height = *transactions = 0;
    return read_fields(&json, height, transactions) ? 0 : -EINVAL;
}

static int read_header(const struct run *run, const struct run_file *file, struct header *header)
{
    struct stat about;
    int const fd = run_file_open(run, file);
    if (fd < 0)
        return fd;
    size_t const size =
        fstat(fd, &about) == 0 && about.st_size > 0 && (size_t)about.st_size <= HEADER_MAX
            ? (size_t)about.st_size
            : 0;
    char *text = size ? malloc(size) : NULL;
    ssize_t const got = text ? pread(fd, text, size, 0) : -1;
    close(fd);
    header->file = file;
    int const err = got > 0 ? chain_header_parse((struct slice){text, (size_t)got}, &header->height,
                                                 &header->transactions)
                            : -EINVAL;
    free(text);
    return err;
}

/* By stamp; of one stamp, in order of nodes. */
static int header_order(const void *left, const void *right)
{
    const struct header *a = left, *b = right;
    if (a->file->stamp_us != b->file->stamp_us)
        return a->file->stamp_us < b->file->stamp_us ? -1 : 1;
    return (a->file->node > b->file->node) - (a->file->node < b->file->node);
}

static int read_headers(const struct run *run, header_list *headers, uint64_t *bad)
{
    for (uint32_t node = 0; node < run->nodes.count; node++) {
        const struct run_file *files;
        size_t const count = run_files_of(run, node, RUN_BLOCKINFO, &files);
        for (size_t i = 0; i < count; i++) {
            struct header header;
            if (read_header(run, &files[i], &header) < 0)
                ++*bad;
            else if (!vec_push(headers, header))
                return -ENOMEM;
        }
    }
    if (headers->count)
        qsort(headers->items, headers->count, sizeof(headers->items[0]), header_order);
    return 0;
}

/* The header of this stamp: of the node itself, or of the first that has one. */
static const struct header *find_header(const header_list *headers, const struct run_file *file)
{
    size_t at = vec_lower_bound(headers, header, header->file->stamp_us < file->stamp_us);
    const struct header *found = NULL;
    for (; at < headers->count && headers->items[at].file->stamp_us == file->stamp_us; at++)
        if (!found || headers->items[at].file->node == file->node)
            found = &headers->items[at];
    return found;
}

/* What a metric says at each answer: counters as if they never began anew. */
static void fill_from_metric(const struct series_set *set, uint32_t node, const char *name,
                             chain_point_list *points, bool is_height)
{
    size_t count;
    const uint32_t *own = series_of_node(set, node, &count);
    for (size_t i = 0; name && i < count; i++) {
        const struct series *series = &set->series.items[own[i]];
        double sum = 0;
        if (strcmp(series->is->name, name) != 0)
            continue;
        for (size_t at = 0; at < series->points.count; at++) {
            struct series_point const point = series->points.items[at];
            struct series_step const step = series_step(set, series, at);
            sum += series->is_cumulative && at && !isnan(step.increase) ? step.increase : 0;
            double const value = series->is_cumulative && at
                                     ? series_value(series->points.items[0]) + sum
                                     : series_value(point);
            struct chain_point *into = &points->items[point.scrape];
            double *field = is_height ? &into->height : &into->transactions;
            *field = isnan(*field) ? value : *field + value; /* labels are summed */
            into->source = CHAIN_METRICS;
        }
    }
}

static void fill_from_headers(const struct series_set *set, const header_list *headers,
                              chain_point_list *points)
{
    for (size_t i = 0; i < points->count; i++) {
        const struct run_file *file = set->scrapes.items[i].file;
        const struct header *header = find_header(headers, file);
        if (header)
            points->items[i] =
                (struct chain_point){header->file->node == file->node ? CHAIN_OWN : CHAIN_BORROWED,
                                     (double)header->height, (double)header->transactions};
    }
}

int chain_points_read(const struct series_set *set, chain_point_list *points, uint64_t *bad)
{
    header_list headers = {0};
    *bad = 0;
    int err = read_headers(set->run, &headers, bad);
    for (size_t i = 0; !err && i < set->scrapes.count; i++)
        if (!vec_push(points, (struct chain_point){CHAIN_UNKNOWN, NAN, NAN}))
            err = -ENOMEM;
    if (!err)
        fill_from_headers(set, &headers, points);
    for (uint32_t node = 0; !err && node < set->run->nodes.count; node++) {
        uint32_t first, has_any = 0;
        uint32_t const count = series_scrapes_of(set, node, &first);
        for (uint32_t i = 0; i < count; i++)
            has_any += points->items[first + i].source != CHAIN_UNKNOWN;
        if (has_any)
            continue;
        fill_from_metric(set, node, traffic_height(set->run, node), points, true);
        fill_from_metric(set, node, traffic_transactions(set->run, node), points, false);
    }
    vec_free(&headers);
    return err;
}
