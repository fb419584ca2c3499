/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/json_in.h"
#include "cluster/blocks/node_log.h"

static int digits(const char *text, int count)
{
    int value = 0;
    for (int i = 0; i < count; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        value = value * 10 + (text[i] - '0');
    }
    return value;
}

/* "Z", "+hh:mm" or "-hhmm", as seconds to be taken away; -EINVAL. */
static int parse_zone(const char *text, int *seconds)
{
    *seconds = 0;
    if (strcmp(text, "Z") == 0 || *text == '\0')
        return 0;
    if (*text != '+' && *text != '-')
        return -EINVAL;
    int const hours = digits(text + 1, 2);
    if (hours < 0)
        return -EINVAL;
    const char *rest = text[3] == ':' ? text + 4 : text + 3;
    int const minutes = digits(rest, 2);
    if (minutes < 0 || rest[2] != '\0')
        return -EINVAL;
    *seconds = (*text == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
    return 0;
}

int log_time_parse(const char *text, int64_t *time_us)
{
    struct tm parts = {0};
    int zone;
    int64_t fraction = 0, unit = 1000000;
    const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &parts);
    if (!rest || parts.tm_year < 70 || parts.tm_year > 8000)
        return -EINVAL;
    if (*rest == '.')
        for (rest++; *rest >= '0' && *rest <= '9'; rest++) {
            unit /= 10;
            fraction += (*rest - '0') * unit;
        }
    if (parse_zone(rest, &zone) < 0)
        return -EINVAL;
    *time_us = ((int64_t)timegm(&parts) - zone) * 1000000 + fraction;
    return 0;
}

static int split(int64_t time_us, struct tm *parts)
{
    int64_t const fraction = (time_us % 1000000 + 1000000) % 1000000;
    time_t const seconds = (time_t)((time_us - fraction) / 1000000);
    if (!gmtime_r(&seconds, parts))
        memset(parts, 0, sizeof(*parts));
    return (int)fraction;
}

const char *log_clock_render(int64_t time_us, char out[LOG_TIME_MAX])
{
    struct tm parts;
    int const fraction = split(time_us, &parts);
    snprintf(out, LOG_TIME_MAX, "%02d:%02d:%02d.%06d", parts.tm_hour, parts.tm_min, parts.tm_sec,
             fraction);
    return out;
}

const char *log_date_render(int64_t time_us, char out[LOG_TIME_MAX])
{
    struct tm parts;
    int const fraction = split(time_us, &parts);
    snprintf(out, LOG_TIME_MAX, "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ", parts.tm_year + 1900,
             parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, fraction);
    return out;
}

/* A value of another kind than expected is passed over. */
static void parse_text(struct json_in *json, char *text, size_t size)
{
    struct json_in const before = *json;
    if (json_in_text(json, text, size))
        return;
    text[0] = '\0';
    *json = before;
    json_in_skip(json);
}

static void parse_number(struct json_in *json, uint64_t *value)
{
    struct json_in const before = *json;
    if (json_in_uint(json, value))
        return;
    *value = 0;
    *json = before;
    json_in_skip(json);
}

#define TEXT(key, field)                                                                           \
    {                                                                                              \
        key, offsetof(struct log_event, field), sizeof(((struct log_event *)0)->field)             \
    }
#define NUMBER(key, field)                                                                         \
    {                                                                                              \
        key, offsetof(struct log_event, field), 0                                                  \
    }
static const struct {
    const char *key;
    size_t offset, size; /* 0: a number */
} fields[] = {
    TEXT("Context", context),
    TEXT("Type", type),
    TEXT("Hash", hash),
    TEXT("Sender", sender),
    TEXT("msg", message),
    TEXT("local", local),
    TEXT("remote", remote),
    NUMBER("Round", at.round),
    NUMBER("Period", at.period),
    NUMBER("Step", at.step),
    NUMBER("ObjectRound", object.round),
    NUMBER("ObjectPeriod", object.period),
    NUMBER("ObjectStep", object.step),
    NUMBER("Weight", weight),
    NUMBER("WeightTotal", weight_total),
};

static void parse_field(struct json_in *json, const char *key, struct log_event *event)
{
    char time[64];
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        if (strcmp(key, fields[i].key) != 0)
            continue;
        void *into = (char *)event + fields[i].offset;
        if (fields[i].size)
            parse_text(json, into, fields[i].size);
        else
            parse_number(json, into);
        return;
    }
    if (strcmp(key, "time") != 0) {
        json_in_skip(json);
        return;
    }
    parse_text(json, time, sizeof(time));
    if (log_time_parse(time, &event->time_us) < 0)
        event->time_us = INT64_MIN;
}

int log_line_parse(struct slice line, struct log_event *event)
{
    const char *begin = line.size ? memchr(line.data, '{', line.size) : NULL;
    if (!begin)
        return -EINVAL;
    struct json_in json = {.text = {begin, line.size - (size_t)(begin - line.data)}};
    char key[32];
    memset(event, 0, sizeof(*event));
    event->time_us = INT64_MIN;
    for (json_in_object(&json); json_in_key(&json, key, sizeof(key));)
        parse_field(&json, key, event);
    return json.failed ? -EINVAL : 0;
}

size_t log_heading_parse(struct slice line, const char **name)
{
    static const char ending[] = "/node.log:";
    size_t const length = sizeof(ending) - 1;
    while (line.size > 0 && strchr(" \t\r\n", line.data[line.size - 1]))
        line.size--;
    if (line.size <= length || memcmp(line.data + line.size - length, ending, length) != 0)
        return 0;
    size_t const end = line.size - length;
    size_t begin = end;
    while (begin > 0 && !strchr(" \t/\"'", line.data[begin - 1]))
        begin--;
    *name = line.data + begin;
    return end - begin;
}
