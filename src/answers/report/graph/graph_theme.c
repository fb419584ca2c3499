/* SPDX-License-Identifier: Apache-2.0 */
#include "report/graph/graph_theme.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define FONT 12.0 /* as in the other pictures */

const struct graph_theme graph_themes[] = {
    {"color", {2.0 / 3, 0.80, 0.25}, {0, 1, 0.5}, 1.0, FONT, FONT, 0.5, 4, false},
    {"pink", {0, 1, 0.90}, {0, 1, 0.5}, 2.2, FONT, FONT, 0.5, 4, false},
    {"gray", {0, 0, 0.85}, {0, 0, 0}, 2.2, FONT, FONT, 0.5, 4, false},
    {"bw", {0, 0, 0}, {0, 0, 0}, 2.2, 9, 26, 0.5, 8, false},
    {"print", {0, 0, 0}, {0, 0, 0}, 2.2, 18, 30, 0.5, 8, true},
    {NULL, {0}, {0}, 0, 0, 0, 0, 0, false},
};

const struct graph_theme graph_theme_grown = {
    "grown", {0, 1, 0.95}, {0, 1, 0.42}, 1.0, FONT, FONT, 0.5, 4, false};
const struct graph_theme graph_theme_shrunk = {
    "shrunk", {0.58, 1, 0.95}, {0.58, 1, 0.32}, 1.0, FONT, FONT, 0.5, 4, false};

const struct graph_theme *graph_theme_find(const char *name)
{
    for (const struct graph_theme *theme = graph_themes; theme->name; theme++)
        if (strcmp(theme->name, name) == 0)
            return theme;
    return NULL;
}

static double within(double value)
{
    return value > 0 ? value < 1 ? value : 1 : 0; /* what is no number is 0 */
}

/* One of red, green and blue: `low` and `high` between which hues go up and down in sixths of
 * the circle. */
static double channel(double low, double high, double hue)
{
    hue -= floor(hue);
    if (hue < 1.0 / 6)
        return low + (high - low) * 6 * hue;
    if (hue < 0.5)
        return high;
    if (hue < 2.0 / 3)
        return low + (high - low) * 6 * (2.0 / 3 - hue);
    return low;
}

static uint32_t to_byte(double part, double gamma)
{
    return (uint32_t)lround(255 * pow(within(part), gamma));
}

uint32_t graph_theme_color(const struct graph_theme *theme, double weight, double skew)
{
    double hsl[3];
    double at = within(weight);
    if (skew > 0 && skew != 1.0)
        at = within((pow(skew, at) - 1) / (skew - 1));
    for (int i = 0; i < 3; i++)
        hsl[i] = theme->least[i] + at * (theme->most[i] - theme->least[i]);
    double const s = within(hsl[1]), l = within(hsl[2]);
    double const high = l <= 0.5 ? l * (1 + s) : l + s - l * s;
    double const low = 2 * l - high;
    return to_byte(channel(low, high, hsl[0] + 1.0 / 3), theme->gamma) << 16 |
           to_byte(channel(low, high, hsl[0]), theme->gamma) << 8 |
           to_byte(channel(low, high, hsl[0] - 1.0 / 3), theme->gamma);
}

double graph_theme_font(const struct graph_theme *theme, double weight)
{
    return fmax(theme->max_font * within(weight) * within(weight), theme->min_font);
}

double graph_theme_pen(const struct graph_theme *theme, double weight)
{
    return fmax(theme->max_pen * within(weight), theme->min_pen);
}

static double linear(uint32_t byte)
{
    return pow(byte / 255.0, 2.2);
}

bool graph_color_is_light(uint32_t color)
{
    double const luminance = 0.2126 * linear(color >> 16 & 0xff) +
                             0.7152 * linear(color >> 8 & 0xff) + 0.0722 * linear(color & 0xff);
    return luminance > 0.18; /* where black and white stand out equally */
}
