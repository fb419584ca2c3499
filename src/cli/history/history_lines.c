/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/history/history_lines.h"

#include <errno.h>
#include <string.h>

#include "base/human.h"

/* The rest of the line behind "key "; NULL when it begins otherwise. */
static char *behind(char *line, const char *key)
{
    size_t const size = strlen(key);
    return strncmp(line, key, size) == 0 && line[size] == ' ' ? line + size + 1 : NULL;
}

static bool parse_text(char *line, const char *key, const char **into)
{
    char *rest = behind(line, key);
    if (rest)
        *into = rest;
    return rest != NULL;
}

/* A key with a number that is none counts as unknown. */
static bool parse_number(char *line, const char *key, uint64_t most, uint64_t *into)
{
    uint64_t number;
    const char *rest = behind(line, key);
    if (!rest || human_parse_count(rest, &number) < 0 || number > most)
        return false;
    *into = number;
    return true;
}

static bool parse_value(char *line, struct history_lines *lines)
{
    uint64_t kind, value;
    char *rest = behind(line, "value");
    char *number = rest ? strchr(rest, ' ') : NULL;
    char *name = number ? strchr(number + 1, ' ') : NULL;
    if (!name || !name[1] || lines->snapshot.count == HISTORY_LINES_VALUES)
        return false;
    *number++ = '\0';
    *name++ = '\0';
    if (human_parse_count(rest, &kind) < 0 || kind < HISTORY_TOTAL || kind > HISTORY_SITE ||
        human_parse_count(number, &value) < 0 || value > INT64_MAX)
        return false;
    lines->values[lines->snapshot.count++] =
        (struct history_value){(enum history_kind)kind, name, (int64_t)value};
    return true;
}

static bool parse_line(char *line, struct history_lines *lines)
{
    struct history_snapshot *snapshot = &lines->snapshot;
    uint64_t pid, limit;
    if (parse_number(line, "pid", UINT32_MAX, &pid)) {
        snapshot->pid = (uint32_t)pid;
        return true;
    }
    if (parse_number(line, "limit_bytes", INT64_MAX, &limit)) {
        snapshot->limit_bytes = (int64_t)limit;
        return true;
    }
    return parse_text(line, "service", &snapshot->service) ||
           parse_text(line, "host", &snapshot->host) ||
           parse_text(line, "program", &snapshot->program) ||
           parse_text(line, "source", &snapshot->source) ||
           parse_number(line, "begin_ms", INT64_MAX, &snapshot->begin_ms) ||
           parse_number(line, "time_ms", INT64_MAX, &snapshot->time_ms) || parse_value(line, lines);
}

int history_lines_parse(char *text, struct history_lines *lines, struct fault *fault)
{
    memset(lines, 0, sizeof(*lines));
    lines->snapshot.values = lines->values;
    for (char *line = text; *line;) {
        char *end = strchr(line, '\n');
        if (end)
            *end = '\0';
        if (!parse_line(line, lines))
            return fault_set(fault, -EINVAL, "a line of the snapshot is none: %.80s", line);
        line = end ? end + 1 : line + strlen(line);
    }
    if (!lines->snapshot.service || !lines->snapshot.time_ms || lines->snapshot.count == 0)
        return fault_set(fault, -EINVAL, "a snapshot lacks its service, time or values");
    return 0;
}
