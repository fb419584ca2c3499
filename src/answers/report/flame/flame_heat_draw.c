/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/human.h"
#include "report/flame/flame_data.h"
#include "report/flame/flame_heat.h"

#define SIDE       10
#define GUTTER     52 /* of the labels beside the rows */
#define CELL       4  /* height of a row */
#define WIDTH_MAX  24 /* of a column */
#define TICK_ROOM  110
#define AXIS       18
#define LEGEND     24
#define LABEL_STEP 25 /* rows */

struct sheet {
    const struct flame_heat *heat;
    const char *unit;
    struct svg_out *out;
    double left, top, cell; /* of the grid; width of a column */
};

static const struct {
    uint32_t light, dark;
} tones[HEAT_LEVELS + 1] = {
    {0xf1f2f4, 0x202329}, {0xffedc2, 0x4a3510}, {0xffd98a, 0x6b4712},
    {0xfdb95c, 0x8f5a12}, {0xf8923c, 0xb56d12}, {0xec6a2a, 0xd88520},
    {0xd4431f, 0xf0a23a}, {0xae2415, 0xfbc56a}, {0x7d1010, 0xffe9a8},
};

void flame_heat_css(struct svg_out *out)
{
    for (unsigned i = 0; i <= HEAT_LEVELS; i++)
        svg_format(out, ".q%u{fill:#%06x}", i, tones[i].light);
    svg_raw(out, "\n@media (prefers-color-scheme: dark){");
    for (unsigned i = 0; i <= HEAT_LEVELS; i++)
        svg_format(out, ".q%u{fill:#%06x}", i, tones[i].dark);
    svg_raw(out, "}\n");
}

/* 0: nothing; otherwise the colour, from 1. */
static unsigned level_of(const struct flame_heat *heat, int64_t value)
{
    unsigned level = 0;
    while (value > 0 && level < HEAT_LEVELS && heat->levels[level] && value >= heat->levels[level])
        level++;
    return level;
}

/* One path per colour; cells of a column that follow each other are one box. */
static void draw_level(const struct sheet *sheet, unsigned level)
{
    const int64_t *cells = sheet->heat->cells;
    for (uint32_t column = 0; column < sheet->heat->map->columns; column++) {
        for (unsigned row = 0; row < HEAT_ROWS;) {
            unsigned end = row;
            while (end < HEAT_ROWS &&
                   level_of(sheet->heat, cells[column * HEAT_ROWS + end]) == level)
                end++;
            if (end == row) {
                row++;
                continue;
            }
            svg_raw(sheet->out, "M");
            svg_px(sheet->out, sheet->left + column * sheet->cell, 2);
            svg_raw(sheet->out, " ");
            svg_px(sheet->out, sheet->top + (HEAT_ROWS - end) * CELL, 0);
            svg_raw(sheet->out, "h");
            svg_px(sheet->out, sheet->cell, 2);
            svg_format(sheet->out, "v%uh-", (end - row) * CELL);
            svg_px(sheet->out, sheet->cell, 2);
            svg_raw(sheet->out, "z");
            row = end;
        }
    }
}

static void put_text(const struct sheet *sheet, double x, double y, const char *attributes,
                     const char *text)
{
    svg_format(sheet->out, "<text class=\"m\" %s x=\"", attributes);
    svg_px(sheet->out, x, 0);
    svg_raw(sheet->out, "\" y=\"");
    svg_px(sheet->out, y, 0);
    svg_raw(sheet->out, "\">");
    svg_text(sheet->out, text);
    svg_raw(sheet->out, "</text>\n");
}

/* Times below, parts of a column beside. */
static void draw_labels(const struct sheet *sheet)
{
    const struct heat_map *map = sheet->heat->map;
    char text[HUMAN_MAX];
    uint32_t const step = 1 + (uint32_t)(TICK_ROOM / sheet->cell);
    double const bottom = sheet->top + HEAT_ROWS * CELL;
    for (uint32_t column = 0; column < map->columns; column += step)
        put_text(sheet, sheet->left + column * sheet->cell, bottom + 14, "",
                 map->begin_ns + column
                     ? human_duration(map->begin_ns + column * map->column_ns, text)
                     : "0 s");
    for (unsigned row = 0; row <= HEAT_ROWS; row += LABEL_STEP)
        put_text(sheet, sheet->left - 5, bottom - row * CELL + (row ? 8 : 0), "text-anchor=\"end\"",
                 row ? human_duration(row * heat_row_ns(map), text) : "0");
}

/* "1 sample", "4": samples are counted, waits measured. */
static void level_text(const struct flame_heat *heat, unsigned level, const char *unit,
                       char text[HUMAN_MAX])
{
    int64_t const value = heat->levels[level];
    if (level == 0)
        snprintf(text, HUMAN_MAX, "%s", heat->one ? "1 sample" : "a wait");
    else if (heat->one && value % heat->one == 0)
        human_count(value / heat->one, text);
    else
        human_value(value, unit, text);
}

/* Colours with the least that each stands for. */
static void draw_legend(const struct sheet *sheet, const struct metric *metric)
{
    const struct flame_heat *heat = sheet->heat;
    double const y = sheet->top + HEAT_ROWS * CELL + AXIS + 14;
    double x = sheet->left;
    char text[HUMAN_MAX];
    for (unsigned i = 0; i < HEAT_LEVELS && heat->levels[i]; i++) {
        if (i > 0 && heat->levels[i] <= heat->levels[i - 1])
            continue; /* too little to tell apart */
        svg_format(sheet->out, "<rect class=\"q%u\" x=\"", i + 1);
        svg_px(sheet->out, x, 0);
        svg_format(sheet->out, "\" y=\"%d\" width=\"12\" height=\"12\"/>\n", (int)y - 10);
        level_text(heat, i, metric->unit, text);
        put_text(sheet, x + 17, y, "", text);
        x += 17 + 6.7 * (double)text_cells(text) + 14;
    }
    if (heat->one) {
        char one[HUMAN_MAX], rest[HUMAN_MAX + 60];
        snprintf(rest, sizeof(rest), "and more in a cell; a sample stands for %s",
                 human_value(heat->one, metric->unit, one));
        put_text(sheet, x, y, "", rest);
    } else {
        put_text(sheet, x, y, "", "and more in a cell");
    }
}

double flame_heat_draw(const struct flame_scene *scene, double top, struct svg_out *out)
{
    const struct flame_heat *heat = scene->options->heat;
    double const room = scene->width - 2 * SIDE - GUTTER;
    double const wide = room / heat->map->columns;
    struct sheet const sheet = {.heat = heat,
                                .out = out,
                                .left = SIDE + GUTTER,
                                .top = top,
                                .cell = wide > WIDTH_MAX ? WIDTH_MAX : wide};
    svg_format(out, "<g id=\"heat\" data-cell=\"%d\" data-left=\"%d\" data-top=\"", CELL,
               SIDE + GUTTER);
    svg_px(out, top, 0);
    svg_raw(out, "\" data-column=\"");
    svg_px(out, sheet.cell, 3);
    svg_raw(out, "\">\n<rect class=\"q0\" x=\"");
    svg_px(out, sheet.left, 2);
    svg_raw(out, "\" y=\"");
    svg_px(out, top, 0);
    svg_raw(out, "\" width=\"");
    svg_px(out, sheet.cell * heat->map->columns, 2);
    svg_format(out, "\" height=\"%d\"/>\n", HEAT_ROWS * CELL);
    for (unsigned level = 1; level <= HEAT_LEVELS && heat->levels[level - 1]; level++) {
        svg_format(out, "<path class=\"q%u\" d=\"", level);
        draw_level(&sheet, level);
        svg_raw(out, "\"/>\n");
    }
    draw_labels(&sheet);
    draw_legend(&sheet, scene->weights->metric);
    svg_raw(out, "</g>\n");
    return top + HEAT_ROWS * CELL + AXIS + LEGEND;
}

static void write_parts(const struct heat_map *map, int64_t one, struct svg_out *out)
{
    uint32_t slot = 0;
    const char *comma = "";
    for (size_t i = 0; i < map->parts.count;) {
        const struct heat_part *first = &map->parts.items[i];
        size_t end = i;
        while (end < map->parts.count && map->parts.items[end].slot == first->slot)
            end++;
        svg_format(out, "%s%u,%zu", comma, first->slot - slot, end - i);
        comma = ",";
        slot = first->slot;
        for (; i < end; i++) {
            const struct heat_part *part = &map->parts.items[i];
            if (part->value == part->count * one)
                svg_format(out, ",%u,%lld", part->stack, (long long)part->count);
            else
                svg_format(out, ",%lld,%lld,%lld", -(long long)part->stack - 1,
                           (long long)part->count, (long long)part->value);
        }
    }
}

void flame_heat_write(const struct flame_scene *scene, flame_frame_index *index, void *context,
                      struct svg_out *out)
{
    const struct flame_heat *heat = scene->options->heat;
    const struct heat_map *map = heat->map;
    const struct call_tree *tree = scene->views[0].tree;
    int64_t const one = heat->one;
    svg_format(
        out, ",\n\"heat\":{\"begin\":%llu,\"column\":%llu,\"rows\":%d,\"columns\":%u,\"one\":%lld",
        (unsigned long long)map->begin_ns, (unsigned long long)map->column_ns, HEAT_ROWS,
        map->columns, (long long)one);
    svg_raw(out, ",\"file\":");
    svg_json(out, heat->file ? heat->file : "FILE");
    svg_raw(out, ",\"metric\":");
    svg_json(out, scene->weights->metric->name);
    svg_raw(out, ",\n\"nodes\":[");
    for (size_t i = 0; i < heat->kept.count; i++) {
        const struct call_node *node = &tree->nodes.items[heat->kept.items[i]];
        svg_format(out, "%s%u,%u", i ? "," : "", heat->numbers[node->parent], index(context, node));
    }
    svg_raw(out, "],\n\"parts\":[");
    write_parts(map, one, out);
    svg_raw(out, "]}");
}
