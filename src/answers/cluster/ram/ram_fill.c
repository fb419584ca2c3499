/* SPDX-License-Identifier: Apache-2.0 */
/* ram_fill.c - fills the table of memoir ram: sizes from the kernel, totals from heap profiles,
 * heights of the chain from blockinfo. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster/ram/heap_totals.h"
#include "cluster/ram/ram_parts.h"
#include "cluster/runs/run.h"

#define LINE_BYTES      4096u
#define BLOCKINFO_BYTES ((size_t)4 << 20)

static int read_sizes_of(struct ram *ram, uint32_t node, struct ram_sizes *sizes)
{
    char path[PATH_MAX], line[LINE_BYTES];
    int const length =
        snprintf(path, sizeof(path), "%s/%s.heap.csv", ram->run->path, ram_node(ram, node)->nick);
    int const fd =
        length > 0 && (size_t)length < sizeof(path) ? run_path_open(path) : -ENAMETOOLONG;
    FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
    int err = 0;
    while (file && !err && fgets(line, sizeof(line), file)) {
        struct ram_size point = {.node = node};
        if (size_line_parse(slice_of(line), &point.line) < 0) {
            ram->odd_lines++;
            continue;
        }
        sizes->has_rss |= point.line.rss_bytes != INT64_MIN;
        sizes->has_vsz |= point.line.vsz_bytes != INT64_MIN;
        sizes->has_pss |= point.line.pss_bytes != INT64_MIN;
        sizes->has_swap |= point.line.swap_bytes != INT64_MIN;
        if (!vec_push(&sizes->points, point))
            err = -ENOMEM;
    }
    if (file)
        fclose(file);
    return err;
}

int ram_read_sizes(struct ram *ram, struct ram_sizes *sizes)
{
    int err = 0;
    for (uint32_t i = 0; i < ram->nodes.count && !err; i++)
        err = read_sizes_of(ram, i, sizes);
    return err;
}

static void put(struct ram *ram, const struct ram_size *point, const char *name, int64_t value)
{
    int64_t const column = ram_column(ram, name);
    int64_t const stamp = ram_stamp_find(ram, point->line.stamp_us);
    if (column >= 0 && stamp >= 0 && value != INT64_MIN)
        *ram_place(ram, point->node, (size_t)column, (size_t)stamp) = value;
}

/* Points lie by node, then time. */
static void mark_restart(struct ram *ram, const struct ram_size *before,
                         const struct ram_size *point)
{
    int64_t const stamp = ram_stamp_find(ram, point->line.stamp_us);
    if (before && before->node == point->node && before->line.pid != INT64_MIN &&
        point->line.pid != INT64_MIN && before->line.pid != point->line.pid && stamp >= 0)
        ram->restarts[point->node * ram->stamps.count + (size_t)stamp] = true;
}

/* What the kernel says of a process on this machine goes before what the process says of itself. */
void ram_fill_sizes(struct ram *ram, const struct ram_sizes *sizes)
{
    vec_each (point, &sizes->points) {
        mark_restart(ram, point > sizes->points.items ? point - 1 : NULL, point);
        put(ram, point, "rss", point->line.rss_bytes);
        put(ram, point, "vsz", point->line.vsz_bytes);
        put(ram, point, "pss", point->line.pss_bytes);
        put(ram, point, "swap", point->line.swap_bytes);
    }
}

int ram_fill_heaps(struct ram *ram, struct fault *fault)
{
    struct heap_totals totals;
    bool *is_wanted = calloc(ram->run->nodes.count + 1, sizeof(*is_wanted));
    if (!is_wanted)
        return -ENOMEM;
    vec_each (node, &ram->nodes)
        is_wanted[*node] = true;
    int const err = heap_totals_read(&totals, ram->run, is_wanted, fault);
    for (size_t i = 0; i < ram->nodes.count && !err; i++) {
        const struct run_file *first;
        size_t const count = run_files_of(ram->run, ram->nodes.items[i], RUN_HEAP, &first);
        for (size_t k = 0; k < count; k++) {
            int64_t const bytes =
                totals.items[(size_t)(first - ram->run->files.items) + k].inuse_bytes;
            int64_t const stamp = ram_stamp_find(ram, first[k].stamp_us);
            if (bytes != HEAP_UNKNOWN && stamp >= 0)
                *ram_place(ram, i, RAM_HEAP_COLUMN, (size_t)stamp) = bytes;
        }
    }
    ram->read = totals.read;
    ram->kept = totals.kept;
    ram->unread = totals.unread;
    ram->unread_fault = totals.first_fault;
    heap_totals_fini(&totals);
    free(is_wanted);
    return err;
}

static int64_t read_height(const struct run *run, const struct run_file *file, char *room)
{
    int const fd = run_file_open(run, file);
    ssize_t const size = fd < 0 ? -1 : read(fd, room, BLOCKINFO_BYTES);
    if (fd >= 0)
        close(fd);
    return size > 0 ? blockinfo_height((struct slice){room, (size_t)size}) : RAM_NONE;
}

void ram_fill_rounds(struct ram *ram)
{
    char *room = NULL;
    for (size_t i = 0; i < ram->nodes.count; i++) {
        const struct run_file *first;
        size_t const count = run_files_of(ram->run, ram->nodes.items[i], RUN_BLOCKINFO, &first);
        if (count > 0 && !room && !(room = malloc(BLOCKINFO_BYTES)))
            return;
        for (size_t k = 0; k < count; k++) {
            int64_t const stamp = ram_stamp_find(ram, first[k].stamp_us);
            int64_t const height = stamp < 0 ? RAM_NONE : read_height(ram->run, &first[k], room);
            ram->odd_blocks += stamp >= 0 && height == RAM_NONE;
            if (height != RAM_NONE)
                ram->rounds[i * ram->stamps.count + (size_t)stamp] = height;
        }
    }
    free(room);
}
