/* SPDX-License-Identifier: Apache-2.0 */
#include "base/human.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

/* Three significant digits: "1.23", "12.3", "123". */
static int digits_after_point(double value)
{
    double const size = __builtin_fabs(value);
    return size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
}

static void write_scaled(double value, double step, const char *const *units, char out[HUMAN_MAX])
{
    while (__builtin_fabs(value) >= step - 0.5 && units[1]) { /* 1023.7 KiB reads "1.00 MiB" */
        value /= step;
        units++;
    }
    snprintf(out, HUMAN_MAX, "%.*f%s", digits_after_point(value), value, units[0]);
}

const char *human_bytes(int64_t bytes, char out[HUMAN_MAX])
{
    static const char *const units[] = {" KiB", " MiB", " GiB", " TiB", " PiB", " EiB", NULL};
    if (bytes > -1024 && bytes < 1024)
        snprintf(out, HUMAN_MAX, "%" PRId64 " B", bytes);
    else
        write_scaled((double)bytes / 1024, 1024, units, out);
    return out;
}

const char *human_count(int64_t count, char out[HUMAN_MAX])
{
    char plain[HUMAN_MAX];
    int const digits = snprintf(plain, sizeof(plain), "%" PRIu64,
                                count < 0 ? (uint64_t)0 - (uint64_t)count : (uint64_t)count);
    char *to = out;
    if (count < 0)
        *to++ = '-';
    for (int i = 0; i < digits; i++) {
        if (i > 0 && (digits - i) % 3 == 0)
            *to++ = ',';
        *to++ = plain[i];
    }
    *to = '\0';
    return out;
}

const char *human_count_short(int64_t count, char out[HUMAN_MAX])
{
    static const char *const units[] = {"k", "M", "G", "T", "P", "E", NULL};
    if (count > -1000 && count < 1000)
        snprintf(out, HUMAN_MAX, "%" PRId64, count);
    else
        write_scaled((double)count / 1000, 1000, units, out);
    return out;
}

#define MINUTE_S 60u
#define HOUR_S   3600u
#define DAY_S    86400u

static void write_long_duration(uint64_t seconds, char out[HUMAN_MAX])
{
    uint64_t const minutes = seconds / MINUTE_S, hours = seconds / HOUR_S, days = seconds / DAY_S;
    if (minutes < 60)
        snprintf(out, HUMAN_MAX, "%" PRIu64 " min %02" PRIu64 " s", minutes, seconds % MINUTE_S);
    else if (hours < 48)
        snprintf(out, HUMAN_MAX, "%" PRIu64 " h %02" PRIu64 " min", hours, minutes % 60);
    else
        snprintf(out, HUMAN_MAX, "%" PRIu64 " d %" PRIu64 " h", days, hours % 24);
}

const char *human_duration(uint64_t ns, char out[HUMAN_MAX])
{
    static const char *const units[] = {" us", " ms", " s", NULL};
    if (ns < 1000)
        snprintf(out, HUMAN_MAX, "%" PRIu64 " ns", ns);
    else if (ns < 60ull * NS_PER_SECOND - NS_PER_SECOND / 20) /* 59.96 s reads "1 min 00 s" */
        write_scaled((double)ns / 1000, 1000, units, out);
    else
        write_long_duration(ns / NS_PER_SECOND + (ns % NS_PER_SECOND >= NS_PER_SECOND / 2), out);
    return out;
}

const char *human_share(int64_t part, int64_t whole, char out[HUMAN_MAX])
{
    double const share = whole ? 100.0 * (double)part / (double)whole : 0;
    if (whole == 0)
        snprintf(out, HUMAN_MAX, "-");
    else if (part != 0 && __builtin_fabs(share) < 0.05)
        snprintf(out, HUMAN_MAX, "%s", share < 0 ? ">-0.1 %" : "<0.1 %");
    else if (part != whole && share > 99.9 && share < 100)
        snprintf(out, HUMAN_MAX, "%.*f %%", share > 99.99 ? 4 : 2,
                 (double)(int64_t)(share * 1e4) / 1e4);
    else
        snprintf(out, HUMAN_MAX, "%.1f %%", share);
    return out;
}

const char *human_value(int64_t value, const char *unit, char out[HUMAN_MAX])
{
    if (strcmp(unit, "bytes") == 0)
        return human_bytes(value, out);
    if (strcmp(unit, "ns") != 0)
        return human_count(value, out);
    if (value >= 0)
        return human_duration((uint64_t)value, out);
    char positive[HUMAN_MAX];
    snprintf(out, HUMAN_MAX, "-%.38s", human_duration((uint64_t)0 - (uint64_t)value, positive));
    return out;
}

const char *human_signal(int signal, char out[HUMAN_MAX])
{
    const char *name = sigabbrev_np(signal);
    if (name)
        snprintf(out, HUMAN_MAX, "SIG%s", name);
    else if (signal > SIGRTMIN && signal <= SIGRTMAX)
        snprintf(out, HUMAN_MAX, "SIGRTMIN+%d", signal - SIGRTMIN);
    else if (signal == SIGRTMIN)
        snprintf(out, HUMAN_MAX, "SIGRTMIN");
    else
        snprintf(out, HUMAN_MAX, "signal %d", signal);
    return out;
}
