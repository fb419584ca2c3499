/* SPDX-License-Identifier: Apache-2.0 */
/* run_name.c - parses names of the files of a run, from their end, because nicks may contain dots,
 * and so does a time stamp with a fraction. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cluster/runs/run.h"
#include "cluster/runs/run_parts.h"

#define SECOND_US   1000000
#define WHOLE_STAMP 15u /* YYYYMMDD_HHMMSS */

static const struct {
    const char *suffix;
    enum run_kind kind;
} suffixes[] = {
    {"heap", RUN_HEAP},
    {"goroutine", RUN_GOROUTINE},
    {"mutex", RUN_MUTEX},
    {"block", RUN_BLOCK},
    {"profile", RUN_CPU},
    {"metrics", RUN_METRICS},
    {"blockinfo.json", RUN_BLOCKINFO},
    {"metrics.gz", RUN_METRICS},
};

const char *run_kind_suffix(enum run_kind kind)
{
    return kind < RUN_KINDS ? suffixes[kind].suffix : "";
}

const char *run_stamp_text(int64_t unix_us, int with_fraction, char *out)
{
    int64_t fraction = unix_us % SECOND_US;
    if (fraction < 0)
        fraction += SECOND_US;
    time_t const seconds = (time_t)((unix_us - fraction) / SECOND_US);
    struct tm parts;
    if (!gmtime_r(&seconds, &parts) || strftime(out, RUN_STAMP_MAX, "%Y%m%d_%H%M%S", &parts) == 0)
        out[0] = '\0';
    size_t const size = strlen(out);
    if (fraction != 0 || with_fraction)
        snprintf(out + size, RUN_STAMP_MAX - size, ".%06d", (int)fraction);
    return out;
}

static int number(const char *digits, int count)
{
    int value = 0;
    for (int i = 0; i < count; i++)
        value = value * 10 + (digits[i] - '0');
    return value;
}

static int is_digits(const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (text[i] < '0' || text[i] > '9')
            return 0;
    return count > 0;
}

/* A whole-second stamp of WHOLE_STAMP bytes. */
static int parse_seconds(const char *text, int64_t *seconds)
{
    if (!is_digits(text, 8) || text[8] != '_' || !is_digits(text + 9, 6))
        return -EINVAL;
    struct tm const asked = {.tm_year = number(text, 4) - 1900,
                             .tm_mon = number(text + 4, 2) - 1,
                             .tm_mday = number(text + 6, 2),
                             .tm_hour = number(text + 9, 2),
                             .tm_min = number(text + 11, 2),
                             .tm_sec = number(text + 13, 2)};
    struct tm parts = asked;
    *seconds = timegm(&parts);
    bool const is_a_time = *seconds >= 0 && parts.tm_mon == asked.tm_mon &&
                           parts.tm_mday == asked.tm_mday && parts.tm_hour == asked.tm_hour &&
                           parts.tm_min == asked.tm_min && parts.tm_sec == asked.tm_sec;
    return is_a_time ? 0 : -EINVAL;
}

/* Takes ".stamp" off the end of `text`; the bytes that are left, 0 when there is no stamp. */
static size_t parse_stamp(const char *text, size_t size, int64_t *stamp_us)
{
    size_t digits = 0;
    while (digits < size && text[size - 1 - digits] >= '0' && text[size - 1 - digits] <= '9')
        digits++;
    int64_t seconds, fraction = 0;
    size_t end = size;
    if (digits > 0 && digits <= 9 && digits < size && text[size - 1 - digits] == '.') {
        end = size - digits - 1;
        int64_t unit = SECOND_US;
        for (size_t i = 0; i < digits && unit > 1; i++) {
            unit /= 10;
            fraction += (text[end + 1 + i] - '0') * unit;
        }
    }
    if (end <= WHOLE_STAMP + 1 || text[end - WHOLE_STAMP - 1] != '.' ||
        parse_seconds(text + end - WHOLE_STAMP, &seconds))
        return 0;
    *stamp_us = seconds * SECOND_US + fraction;
    return end - WHOLE_STAMP - 1;
}

/* Takes ".kind" off the end: the bytes that are left, 0 when it is none. */
static size_t parse_kind(const char *name, size_t size, enum run_kind *kind)
{
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        size_t const length = strlen(suffixes[i].suffix);
        if (size > length + 1 && name[size - length - 1] == '.' &&
            memcmp(name + size - length, suffixes[i].suffix, length) == 0) {
            *kind = suffixes[i].kind;
            return size - length - 1;
        }
    }
    static const char query[] = ".profile?seconds=";
    const char *asked = memmem(name, size, query, sizeof(query) - 1);
    if (!asked)
        return 0;
    const char *seconds = asked + sizeof(query) - 1;
    if (strspn(seconds, "0123456789.") != strlen(seconds) || !*seconds)
        return 0;
    *kind = RUN_CPU;
    return (size_t)(asked - name);
}

int run_name_parse(const char *name, struct run_name *out)
{
    if (name[0] == '.')
        return -EINVAL; /* hidden: a file that is being written */
    size_t size = parse_kind(name, strlen(name), &out->kind);
    size = size ? parse_stamp(name, size, &out->stamp_us) : 0;
    if (size == 0 || size >= sizeof(out->nick) || memchr(name, '/', size))
        return -EINVAL;
    memcpy(out->nick, name, size);
    out->nick[size] = '\0';
    return 0;
}

static size_t before_suffix(const char *name, const char *suffix)
{
    size_t const size = strlen(name), length = strlen(suffix);
    return size > length && memcmp(name + size - length, suffix, length) == 0 ? size - length : 0;
}

size_t run_csv_nick(const char *name)
{
    size_t const size = before_suffix(name, ".heap.csv");
    return size < sizeof(((struct run_name *)NULL)->nick) ? size : 0;
}

int run_name_is_known(const char *name)
{
    static const char *const whole[] = {
        "manifest.json", "fetches.jsonl",     "rounds.json",    "terraform-inventory.host",
        "rates.jsonl",   "manifest.json.old", "watch.log",      "run.db",
        "run.db-wal",    "run.db-shm",        "run.db-journal", "heap_inuse_totals.json",
    };
    static const char *const endings[] = {".heap.csv", ".blockhistory", ".blockhistory.stats",
                                          ".svg",      ".png",          ".html",
                                          ".csv",      ".memoir"};
    for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
        if (strcmp(name, whole[i]) == 0)
            return 1;
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
        if (before_suffix(name, endings[i]))
            return 1;
    return 0;
}
