/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/metrics/missed_ticks.h"
#include "cluster/ram/ram_report.h"
#include "report/plot/line_chart.h"

/* Blues for relays, greens for those that do not participate, reds for nodes; several of a role
 * differ. */
static int role_colour(const char *role, unsigned number)
{
    static const int relays[] = {0, 4, 8, 12}, others[] = {2, 7, 10, 15},
                     nodes[] = {1, 5, 3, 9, 13, 11};
    static const int strangers[] = {6, 14};
    if (strcmp(role, "relay") == 0)
        return relays[number % 4];
    if (strcmp(role, "npn") == 0)
        return others[number % 4];
    if (strcmp(role, "node") == 0)
        return nodes[number % 6];
    return strangers[number % 2];
}

static bool is_named(const char *columns, const char *name)
{
    size_t const size = strlen(name);
    for (const char *at = columns; at && *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == size && strncmp(at, name, size) == 0)
            return true;
    return columns == NULL;
}

struct ram_drawing {
    const struct ram *ram;
    bool over_rounds;
    bool *is_after_pause;       /* by row: ticks were missed before it */
    struct chart_point *points; /* of all lines */
    size_t used;
    struct chart_line *lines;
    size_t line_count;
};

/* Where a node is not known to be, it is drawn where the highest is; without any height there is
 * no place. */
static bool place_x(const struct ram_drawing *drawing, size_t node, size_t row, int64_t *x)
{
    *x = drawing->ram->stamps.items[row];
    if (!drawing->over_rounds)
        return true;
    *x = ram_round(drawing->ram, node, row);
    if (*x == RAM_NONE)
        *x = ram_round_of_all(drawing->ram, row);
    return *x != RAM_NONE;
}

static int point_order(const void *left, const void *right)
{
    const struct chart_point *a = left, *b = right;
    return (a->x > b->x) - (a->x < b->x);
}

/* Whether nothing leads from the row before to this one.  Over heights there is no order of
 * time. */
static bool is_interrupted(const struct ram_drawing *drawing, size_t node, size_t row)
{
    return row > 0 && !drawing->over_rounds &&
           (drawing->is_after_pause[row] || ram_is_restart(drawing->ram, node, row));
}

/* Times at which no node at all was asked. */
static int find_pauses(struct ram_drawing *drawing)
{
    const struct ram *ram = drawing->ram;
    tick_list stamps = {0}, missed = {0};
    size_t next = 0;
    int err = 0;
    for (size_t i = 0; i < ram->stamps.count && !err; i++)
        err = vec_push(&stamps, ram->stamps.items[i]) ? 0 : -ENOMEM;
    if (!err && stamps.count > 0)
        err = missed_ticks(ram->run, &stamps, stamps.items[stamps.count - 1], &missed);
    for (size_t row = 0; row < ram->stamps.count && !err; row++)
        for (; next < missed.count && missed.items[next] < ram->stamps.items[row]; next++)
            drawing->is_after_pause[row] = true;
    vec_free(&stamps);
    vec_free(&missed);
    return err;
}

static void make_line(struct ram_drawing *drawing, size_t node, size_t column, int colour)
{
    struct chart_point *first = drawing->points + drawing->used;
    size_t count = 0, known = 0;
    for (size_t row = 0; row < drawing->ram->stamps.count; row++) {
        int64_t const value = ram_value(drawing->ram, node, column, row);
        if (is_interrupted(drawing, node, row))
            first[count++] = (struct chart_point){drawing->ram->stamps.items[row], NAN};
        if (!place_x(drawing, node, row, &first[count].x))
            continue;
        first[count++].y = value == RAM_NONE ? NAN : (double)value;
        known += value != RAM_NONE;
    }
    if (known == 0)
        return;
    if (drawing->over_rounds)
        qsort(first, count, sizeof(*first), point_order);
    drawing->used += count;
    drawing->lines[drawing->line_count++] =
        (struct chart_line){.name = ram_node_label(drawing->ram, node),
                            .points = first,
                            .count = count,
                            .color = colour};
}

static size_t make_lanes(struct ram_drawing *drawing, const char *columns, struct chart_lane *lanes)
{
    const struct ram *ram = drawing->ram;
    size_t lane_count = 0;
    for (size_t column = 0; column < ram->columns.count; column++) {
        size_t const first = drawing->line_count;
        unsigned numbers[4] = {0};
        if (!is_named(columns, ram->columns.items[column]))
            continue;
        for (size_t node = 0; node < ram->nodes.count; node++) {
            const char *role = ram_node(ram, node)->role;
            size_t const kind = strcmp(role, "relay") == 0  ? 0
                                : strcmp(role, "npn") == 0  ? 1
                                : strcmp(role, "node") == 0 ? 2
                                                            : 3;
            make_line(drawing, node, column, role_colour(role, numbers[kind]++));
        }
        if (drawing->line_count > first)
            lanes[lane_count++] = (struct chart_lane){.title = ram->columns.items[column],
                                                      .unit = "bytes",
                                                      .lines = drawing->lines + first,
                                                      .line_count = drawing->line_count - first};
    }
    return lane_count;
}

int ram_plot_render(const struct ram *ram, const char *columns, bool over_rounds,
                    struct svg_out *out, struct fault *fault)
{
    size_t const lines = ram->columns.count * ram->nodes.count;
    struct ram_drawing drawing = {.ram = ram, .over_rounds = over_rounds};
    struct chart_lane *lanes = calloc(ram->columns.count + 1, sizeof(*lanes));
    drawing.points = calloc(2 * lines * ram->stamps.count + 1, sizeof(*drawing.points));
    drawing.is_after_pause = calloc(ram->stamps.count + 1, sizeof(bool));
    drawing.lines = calloc(lines + 1, sizeof(*drawing.lines));
    int err = lanes && drawing.points && drawing.lines && drawing.is_after_pause ? 0 : -ENOMEM;
    if (!err)
        err = find_pauses(&drawing);
    if (!err) {
        char title[400], subtitle[120];
        snprintf(title, sizeof(title), "memory of %s", ram->run->path);
        snprintf(subtitle, sizeof(subtitle),
                 "%zu nodes, %zu snapshots; relays blue, nodes red, not participating green",
                 ram->nodes.count, ram->stamps.count);
        struct line_chart const chart = {.title = title,
                                         .subtitle = subtitle,
                                         .x_is_time = !over_rounds,
                                         .x_title = over_rounds ? "round" : NULL,
                                         .lanes = lanes,
                                         .lane_count = make_lanes(&drawing, columns, lanes)};
        if (chart.lane_count == 0)
            err = fault_set(fault, -EINVAL, "the run has no numbers to draw for that%s",
                            over_rounds ? ": no height is known" : "");
        else
            line_chart_render(&chart, out);
    }
    free(lanes);
    free(drawing.points);
    free(drawing.is_after_pause);
    free(drawing.lines);
    return err;
}
