/* SPDX-License-Identifier: Apache-2.0 */
#include "report/plot/plot_axis.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

/* Steps a clock face has; below a second time is decimal. */
static const uint64_t time_steps[] = {
    1 * NS_PER_SECOND,       2 * NS_PER_SECOND,       5 * NS_PER_SECOND,
    10 * NS_PER_SECOND,      15 * NS_PER_SECOND,      30 * NS_PER_SECOND,
    60 * NS_PER_SECOND,      120 * NS_PER_SECOND,     300 * NS_PER_SECOND,
    600 * NS_PER_SECOND,     900 * NS_PER_SECOND,     1800 * NS_PER_SECOND,
    3600 * NS_PER_SECOND,    7200 * NS_PER_SECOND,    10800 * NS_PER_SECOND,
    21600 * NS_PER_SECOND,   43200 * NS_PER_SECOND,   86400 * NS_PER_SECOND,
    172800 * NS_PER_SECOND,  604800 * NS_PER_SECOND,  1209600 * NS_PER_SECOND,
    2592000 * NS_PER_SECOND, 7776000 * NS_PER_SECOND, 31536000 * NS_PER_SECOND,
};
#define TIME_STEPS (sizeof(time_steps) / sizeof(time_steps[0]))

static uint64_t decimal_step(uint64_t least)
{
    uint64_t step = 1;
    while (step < least && step <= UINT64_MAX / 10) {
        if (2 * step >= least)
            return 2 * step;
        if (5 * step >= least)
            return 5 * step;
        step *= 10;
    }
    return step;
}

static uint64_t time_step(uint64_t least)
{
    if (least <= NS_PER_SECOND / 2)
        return decimal_step(least);
    for (size_t i = 0; i < TIME_STEPS; i++)
        if (time_steps[i] >= least)
            return time_steps[i];
    return decimal_step(least);
}

uint64_t axis_step(uint64_t top, const char *unit, unsigned wanted)
{
    uint64_t const least = top / wanted + (top % wanted != 0);
    if (strcmp(unit, "ns") == 0)
        return time_step(least);
    if (strcmp(unit, "bytes") != 0)
        return decimal_step(least);
    uint64_t step = 1;
    while (step < least && step < UINT64_C(1) << 62)
        step *= 2;
    return step;
}

uint64_t axis_end(uint64_t top, uint64_t step)
{
    uint64_t const steps = top / step + (top % step != 0);
    uint64_t end;
    return __builtin_mul_overflow(steps ? steps : 1, step, &end) ? UINT64_MAX : end;
}

/* value / unit with just the decimals that are there: at most six. */
static void put_fraction(uint64_t value, uint64_t unit, const char *word, char out[AXIS_LABEL_MAX])
{
    int used = snprintf(out, AXIS_LABEL_MAX, "%" PRIu64, value / unit);
    if (value % unit)
        out[used++] = '.';
    for (int digits = 0; value % unit && digits < 6; digits++) {
        value = value % unit * 10;
        out[used++] = (char)('0' + value / unit);
    }
    snprintf(out + used, (size_t)(AXIS_LABEL_MAX - used), " %s", word);
}

static void put_bytes(uint64_t value, char out[AXIS_LABEL_MAX])
{
    static const char *const words[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t at = 0;
    uint64_t unit = 1;
    while (at + 1 < sizeof(words) / sizeof(words[0]) && value / 1024 >= unit) {
        unit *= 1024;
        at++;
    }
    put_fraction(value, unit, words[at], out);
}

static void put_clock(uint64_t seconds, char out[AXIS_LABEL_MAX])
{
    static const struct {
        uint64_t seconds;
        const char *word;
    } units[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
    int used = 0;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        uint64_t const count = seconds / units[i].seconds;
        seconds %= units[i].seconds;
        if (count && used < AXIS_LABEL_MAX)
            used += snprintf(out + used, (size_t)(AXIS_LABEL_MAX - used), "%s%" PRIu64 " %s",
                             used ? " " : "", count, units[i].word);
    }
}

static void put_time(uint64_t value, uint64_t step, char out[AXIS_LABEL_MAX])
{
    if (value >= 60 * NS_PER_SECOND && step >= NS_PER_SECOND)
        put_clock(value / NS_PER_SECOND, out);
    else if (value == 0)
        snprintf(out, AXIS_LABEL_MAX, "0 s");
    else if (value >= NS_PER_SECOND)
        put_fraction(value, NS_PER_SECOND, "s", out);
    else if (value >= 1000000)
        put_fraction(value, 1000000, "ms", out);
    else if (value >= 1000)
        put_fraction(value, 1000, "us", out);
    else
        put_fraction(value, 1, "ns", out);
}

const char *axis_label(uint64_t value, uint64_t step, const char *unit, char out[AXIS_LABEL_MAX])
{
    if (strcmp(unit, "bytes") == 0)
        put_bytes(value, out);
    else if (strcmp(unit, "ns") == 0)
        put_time(value, step, out);
    else if (value >= 1000000 && value % 100000 == 0)
        put_fraction(value, 1000000, "M", out);
    else if (value >= 10000 && value % 100 == 0)
        put_fraction(value, 1000, "k", out);
    else
        snprintf(out, AXIS_LABEL_MAX, "%" PRIu64, value);
    return out;
}
