/* SPDX-License-Identifier: Apache-2.0 */
/* text_histogram.c - draws block sizes and lifetimes as bars of text. */
#include <string.h>

#include "base/clock.h"
#include "base/human.h"
#include "report/text/text_report.h"

#define BAR_COLUMNS 30
#define BARS_MAX    (SIZE_CLASSES + 2)

struct bar {
    char label[64];
    uint64_t count;
};

struct bars {
    struct bar items[BARS_MAX];
    size_t count;
};

/* The first class of each bar of the short form. */
static const unsigned short_sizes[] = {0, 5, 7, 9, 11, 13, 17, 21, 25, 31, SIZE_CLASSES};
static const unsigned short_lifetimes[] = {0, 2, 4, 6, 8, 10, 12, LIFETIME_CLASSES};

/* Eighths of a column, so that small differences show. */
static void put_bar(FILE *out, double share)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    unsigned const filled = (unsigned)(share * BAR_COLUMNS * 8 + 0.5);
    for (unsigned i = 0; i < filled / 8; i++)
        fputs("█", out);
    fputs(eighths[filled % 8], out);
    if (filled == 0 && share > 0)
        fputs("▏", out);
}

static void name_bar(struct bar *bar, uint64_t from, uint64_t below,
                     const char *(*human)(uint64_t, char[HUMAN_MAX]))
{
    char low[HUMAN_MAX], high[HUMAN_MAX];
    if (from == 0)
        snprintf(bar->label, sizeof(bar->label), "under %s", human(below, high));
    else if (below == UINT64_MAX)
        snprintf(bar->label, sizeof(bar->label), "%s and more", human(from, low));
    else
        snprintf(bar->label, sizeof(bar->label), "%s to %s", human(from, low), human(below, high));
}

static const char *whole_bytes(uint64_t bytes, char out[HUMAN_MAX])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    unsigned unit = 0;
    while (bytes >= 1024 && bytes % 1024 == 0 && unit < 4) {
        bytes /= 1024;
        unit++;
    }
    snprintf(out, HUMAN_MAX, "%llu %s", (unsigned long long)bytes, units[unit]);
    return out;
}

static const char *whole_time(uint64_t ns, char out[HUMAN_MAX])
{
    static const struct {
        uint64_t ns;
        const char *name;
    } units[] = {{86400000000000, "d"}, {3600000000000, "h"}, {60000000000, "min"},
                 {NS_PER_SECOND, "s"},  {1000000, "ms"},      {1000, "us"}};
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (ns < units[i].ns || ns % units[i].ns)
            continue;
        snprintf(out, HUMAN_MAX, "%llu %s", (unsigned long long)(ns / units[i].ns), units[i].name);
        return out;
    }
    snprintf(out, HUMAN_MAX, "%llu ns", (unsigned long long)ns);
    return out;
}

static void add_sizes(struct bars *bars, const uint64_t *classes, unsigned from, unsigned to)
{
    struct bar *bar = &bars->items[bars->count++];
    bar->count = histogram_total(classes + from, to - from);
    if (from == 0 && to == 1)
        snprintf(bar->label, sizeof(bar->label), "0 B");
    else
        name_bar(bar, histogram_size_from(from),
                 to >= SIZE_CLASSES ? UINT64_MAX : histogram_size_from(to), whole_bytes);
}

static void add_lifetimes(struct bars *bars, const uint64_t *classes, unsigned from, unsigned to)
{
    struct bar *bar = &bars->items[bars->count++];
    bar->count = histogram_total(classes + from, to - from);
    name_bar(bar, histogram_lifetime_from(from), lifetime_bounds_ns[to - 1], whole_time);
}

/* Writes the bars from the first to the last that is not empty. */
static void put_bars(const struct text_style *style, FILE *out, const struct bars *bars)
{
    uint64_t total = 0, most = 1;
    size_t first = bars->count, last = 0;
    char count[HUMAN_MAX], share[HUMAN_MAX];
    for (size_t i = 0; i < bars->count; i++) {
        uint64_t const value = bars->items[i].count;
        total += value;
        most = value > most ? value : most;
        if (value) {
            first = first < bars->count ? first : i;
            last = i;
        }
    }
    for (size_t i = first; i < bars->count && i <= last; i++) {
        const struct bar *bar = &bars->items[i];
        fprintf(out, "  %20s  %12s  %8s", bar->label, human_count((int64_t)bar->count, count),
                human_share((int64_t)bar->count, (int64_t)total, share));
        if (bar->count && text_room(style, 50) > BAR_COLUMNS) {
            fputs("  ", out);
            put_bar(out, (double)bar->count / (double)most);
        }
        putc('\n', out);
    }
}

/* "Sizes of 3,014 allocations" */
static void put_title(const struct report *report, const struct text_style *style, FILE *out,
                      const char *what, uint64_t total)
{
    char count[HUMAN_MAX];
    text_ink(style, out, INK_STRONG);
    fprintf(out, "%s of %s %s%s\n", what, human_count((int64_t)total, count),
            what[0] == 'S' ? "allocations" : "freed blocks",
            report->recording->being_written       ? " (written once a minute)"
            : recording_was_cut(report->recording) ? " (as they were last written)"
                                                   : "");
    text_ink(style, out, INK_PLAIN);
}

static void put_sizes(const struct report *report, const struct text_style *style, FILE *out)
{
    const uint64_t *classes = report->histogram.sizes;
    struct bars bars = {0};
    if (report->question.histogram == HISTOGRAM_SIZES)
        for (unsigned k = 0; k < SIZE_CLASSES; k++)
            add_sizes(&bars, classes, k, k + 1);
    else
        for (size_t i = 0; short_sizes[i] < SIZE_CLASSES; i++)
            add_sizes(&bars, classes, short_sizes[i], short_sizes[i + 1]);
    put_title(report, style, out, "Sizes", histogram_total(classes, SIZE_CLASSES));
    put_bars(style, out, &bars);
}

static void put_lifetimes(const struct report *report, const struct text_style *style, FILE *out)
{
    const uint64_t *classes = report->histogram.lifetimes;
    struct bars bars = {0};
    if (report->question.histogram == HISTOGRAM_LIFETIMES)
        for (unsigned k = 0; k < LIFETIME_CLASSES; k++)
            add_lifetimes(&bars, classes, k, k + 1);
    else
        for (size_t i = 0; short_lifetimes[i] < LIFETIME_CLASSES; i++)
            add_lifetimes(&bars, classes, short_lifetimes[i], short_lifetimes[i + 1]);
    put_title(report, style, out, "Lifetimes", histogram_total(classes, LIFETIME_CLASSES));
    put_bars(style, out, &bars);
}

void text_histogram_write(const struct report *report, const struct text_style *style, FILE *out)
{
    enum report_histogram const which = report->question.histogram;
    if (which != HISTOGRAM_LIFETIMES && histogram_total(report->histogram.sizes, SIZE_CLASSES))
        put_sizes(report, style, out);
    if (which == HISTOGRAM_DEFAULT)
        putc('\n', out);
    bool const has_lifetimes = histogram_total(report->histogram.lifetimes, LIFETIME_CLASSES);
    if (which == HISTOGRAM_LIFETIMES && !has_lifetimes)
        fputs("No lifetimes: no block was freed in that time, or the file does not tell\n", out);
    if (which != HISTOGRAM_SIZES && has_lifetimes)
        put_lifetimes(report, style, out);
}
