/* SPDX-License-Identifier: Apache-2.0 */
/* growth_rates.c - how often the growth verdict is right, on series that are made up.
 *
 *     build/growth-rates [tune|check] [RUNS]
 *
 * The rules were tuned on the set `tune`; `check` has other shapes, lengths, noise and seeds,
 * and is what docs/growth.md publishes.  Prints markdown. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/growth/growth.h"

#define MIB        1048576.0
#define POINTS_MAX 20000
#define TAU        6.283185307179586

/* Numbers that are the same everywhere. */
static uint64_t seed;

static double chance(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(seed >> 11) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(chance() + 1e-300)) * cos(TAU * chance());
}

/* How a series is made besides its shape. */
struct setting {
    const char *name;
    double hours, step_s;   /* how long, how often */
    double saw, saw_s;      /* garbage: height as a share of the base, and its period */
    double noise, likeness; /* of each value, and how much of it the next one keeps */
    double spikes;          /* one value in so many is twice as high for a moment; 0: none */
};

/* What the memory does at `x`, from 0 to 1 of the time; `p` is drawn once for each series. */
typedef double shape_fn(double x, double hours, double p);

static double flat(double x, double hours, double p)
{
    (void)x, (void)hours, (void)p;
    return 1;
}
static double warm_up(double x, double hours, double p)
{
    (void)hours;
    return 1 + 0.5 * (1 - exp(-x / (0.08 + 0.1 * p)));
}
static double slow_warm_up(double x, double hours, double p)
{
    (void)hours;
    return 0.3 + (1 - exp(-x / (0.15 + 0.15 * p)));
}
static double cache_fills(double x, double hours, double p)
{
    double const full = 0.2 + 0.5 * p; /* at this time it is */
    (void)hours;
    return 0.3 + (x < full ? x / full : 1);
}
static double logarithm(double x, double hours, double p)
{
    (void)hours;
    return 1 + (0.05 + 0.1 * p) * log(1 + 200 * x);
}
static double step(double x, double hours, double p)
{
    (void)hours;
    return 1 + (x > 0.15 + 0.7 * p ? 0.15 : 0);
}
static double two_steps(double x, double hours, double p)
{
    (void)hours;
    return 1 + (x > 0.1 + 0.3 * p ? 0.2 : 0) + (x > 0.5 + 0.4 * p ? 0.3 : 0);
}
static double doubling(double x, double hours, double p)
{
    (void)hours;
    return 1 + 0.1 * exp2(floor(log2(1 + (20 + 40 * p) * x)));
}
static double daily(double x, double hours, double p)
{
    return 1 + 0.1 * sin(TAU * (x * hours / 24 + p));
}
static double bursts(double x, double hours, double p)
{
    double const at = fmod(x * 7 + p, 1);
    (void)hours;
    return 1 + (at < 0.3 ? 0.4 : 0);
}
static double falls(double x, double hours, double p)
{
    (void)hours;
    return 1.2 - (0.05 + 0.3 * p) * x;
}
static double leak_2(double x, double hours, double p)
{
    (void)hours, (void)p;
    return 1 + 0.02 * x;
}
static double leak_5(double x, double hours, double p)
{
    (void)hours, (void)p;
    return 1 + 0.05 * x;
}
static double leak_20(double x, double hours, double p)
{
    (void)hours, (void)p;
    return 1 + 0.2 * x;
}
static double leak_100(double x, double hours, double p)
{
    (void)hours, (void)p;
    return 1 + x;
}
static double late_leak(double x, double hours, double p)
{
    double const begin = 0.3 + 0.35 * p;
    (void)hours;
    return 1 + (x > begin ? 0.4 * (x - begin) : 0);
}
static double warm_then_leak(double x, double hours, double p)
{
    return warm_up(x, hours, p) + 0.3 * x;
}
static double daily_leak(double x, double hours, double p)
{
    return daily(x, hours, p) + 0.01 * x * hours / 24;
}
static double faster_and_faster(double x, double hours, double p)
{
    (void)hours;
    return 1 + (0.1 + 0.3 * p) * x * x;
}

struct scenario {
    const char *name;
    shape_fn *shape;
    bool is_growth;
};

static const struct scenario tune_scenarios[] = {
    {"flat", flat, false},
    {"warm-up", warm_up, false},
    {"daily wave", daily, false},
    {"step", step, false},
    {"a cache that fills", cache_fills, false},
    {"logarithm", logarithm, false},
    {"leak 2 %", leak_2, true},
    {"leak 5 %", leak_5, true},
    {"leak 20 %", leak_20, true},
    {"leak after a while", late_leak, true},
    {"warm-up, then leak 30 %", warm_then_leak, true},
};
static const struct scenario check_scenarios[] = {
    {"flat", flat, false},
    {"slow warm-up", slow_warm_up, false},
    {"a cache that fills", cache_fills, false},
    {"logarithm", logarithm, false},
    {"two steps", two_steps, false},
    {"tables that double", doubling, false},
    {"bursts", bursts, false},
    {"daily wave", daily, false},
    {"falls", falls, false},
    {"leak 2 %", leak_2, true},
    {"leak 5 %", leak_5, true},
    {"leak 20 %", leak_20, true},
    {"leak 100 %", leak_100, true},
    {"leak after a while", late_leak, true},
    {"warm-up, then leak 30 %", warm_then_leak, true},
    {"faster and faster", faster_and_faster, true},
    {"daily wave, leak 1 % a day", daily_leak, true},
};
static const struct setting tune_settings[] = {
    {"24 h, 20 % saw", 24, 60, 0.2, 300, 0.01, 0.8, 0},
    {"1 h, 20 % saw", 1, 10, 0.2, 45, 0.01, 0.8, 0},
    {"7 days, 20 % saw", 168, 600, 0.2, 300, 0.01, 0.8, 0},
    {"4 h, 30 % saw of 3 min", 4, 10, 0.3, 180, 0.01, 0.8, 0},
    {"5 min, little noise", 1.0 / 12, 1, 0, 1, 0.004, 0.6, 0},
};
static const struct setting check_settings[] = {
    {"3 min, spikes", 0.05, 1, 0.05, 6, 0.005, 0.3, 130},
    {"30 min, 25 % saw of 11 s", 0.5, 2, 0.25, 11, 0.013, 0.85, 90},
    {"10 h, 35 % saw of 7 min", 10, 20, 0.35, 420, 0.011, 0.75, 220},
    {"24 h, rough", 24, 50, 0.12, 100, 0.014, 0.92, 70},
    {"7 days, 30 % saw of 37 min", 168, 480, 0.3, 2220, 0.014, 0.85, 110},
};

static struct growth_point points[POINTS_MAX];

static bool alarms(const struct scenario *scenario, const struct setting *setting)
{
    double const p = chance(), phase = chance();
    double wander = 0;
    size_t count = 0;
    for (double at = 0; at <= setting->hours * 3600 && count < POINTS_MAX; at += setting->step_s) {
        double const x = at / (setting->hours * 3600);
        double value = scenario->shape(x, setting->hours, p);
        wander = setting->likeness * wander +
                 setting->noise * sqrt(1 - setting->likeness * setting->likeness) * normal();
        value += wander + setting->saw * fmod(at / setting->saw_s + phase, 1);
        if (setting->spikes > 0 && chance() * setting->spikes < 1)
            value *= 2;
        points[count++] = (struct growth_point){(uint64_t)(at * 1e9), (int64_t)(256 * MIB * value)};
    }
    struct growth growth;
    growth_judge(&(struct growth_question){.points = points, .count = count}, &growth);
    return growth.verdict == GROWTH_GROWING;
}

static void print_row(const struct scenario *scenario, const struct setting *settings,
                      size_t setting_count, int runs)
{
    printf("| %s |", scenario->name);
    for (size_t s = 0; s < setting_count; s++) {
        int found = 0;
        if (strncmp(scenario->name, "daily", 5) == 0 && settings[s].hours < 24) {
            printf(" - |"); /* less than a day of a daily wave is a trend to anybody */
            continue;
        }
        for (int run = 0; run < runs; run++)
            found += alarms(scenario, &settings[s]);
        printf(" %d %% |", (found * 100 + runs / 2) / runs);
    }
    printf("\n");
}

static void print_table(const struct scenario *scenarios, size_t scenario_count,
                        const struct setting *settings, size_t setting_count, int runs)
{
    for (int growth = 0; growth < 2; growth++) {
        printf("\n| %s |", growth ? "found when it grows" : "alarm when it does not");
        for (size_t s = 0; s < setting_count; s++)
            printf(" %s |", settings[s].name);
        printf("\n|---|");
        for (size_t s = 0; s < setting_count; s++)
            printf("---:|");
        printf("\n");
        for (size_t i = 0; i < scenario_count; i++)
            if (scenarios[i].is_growth == growth)
                print_row(&scenarios[i], settings, setting_count, runs);
    }
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

int main(int argc, char **argv)
{
    int const runs = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 200;
    if (runs < 1) {
        fprintf(stderr, "usage: growth-rates [tune|check] [RUNS]\n");
        return 2;
    }
    if (argc > 1 && strcmp(argv[1], "tune") == 0) {
        seed = 1;
        print_table(tune_scenarios, COUNT(tune_scenarios), tune_settings, COUNT(tune_settings),
                    runs);
    } else {
        seed = 9051977;
        print_table(check_scenarios, COUNT(check_scenarios), check_settings, COUNT(check_settings),
                    runs);
    }
    return 0;
}
