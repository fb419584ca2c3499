/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/ram/ram_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_in.h"
#include "cluster/runs/run.h"

static struct slice split_cell(struct slice *line)
{
    const char *comma = line->size ? memchr(line->data, ',', line->size) : NULL;
    size_t const size = comma ? (size_t)(comma - line->data) : line->size;
    struct slice cell = {line->data, size};
    size_t const step = size + (comma != NULL);
    line->data += step;
    line->size -= step;
    while (cell.size > 0 && strchr(" \t\r\n", cell.data[cell.size - 1]))
        cell.size--;
    return cell;
}

/* INT64_MIN for what is no number. */
static int64_t number_of(struct slice cell)
{
    int64_t value = 0;
    if (cell.size == 0 || cell.size > 15)
        return INT64_MIN;
    for (size_t i = 0; i < cell.size; i++) {
        if (cell.data[i] < '0' || cell.data[i] > '9')
            return INT64_MIN;
        value = value * 10 + (cell.data[i] - '0');
    }
    return value;
}

static int64_t kib_of(struct slice cell)
{
    int64_t const value = number_of(cell);
    return value == INT64_MIN ? value : value * 1024;
}

int size_line_parse(struct slice line, struct size_line *out)
{
    char name[64];
    struct run_name parsed;
    struct slice const stamp = split_cell(&line);
    if (stamp.size >= 40)
        return -EINVAL;
    snprintf(name, sizeof(name), "n.%.*s.heap", (int)stamp.size, stamp.data);
    if (strlen(name) != stamp.size + 7 || run_name_parse(name, &parsed) ||
        strcmp(parsed.nick, "n") != 0)
        return -EINVAL;
    split_cell(&line); /* the same time once more */
    out->stamp_us = parsed.stamp_us;
    out->rss_bytes = kib_of(split_cell(&line));
    out->vsz_bytes = kib_of(split_cell(&line));
    out->pid = number_of(split_cell(&line));
    out->pss_bytes = kib_of(split_cell(&line));
    out->swap_bytes = kib_of(split_cell(&line));
    return out->rss_bytes == INT64_MIN && out->vsz_bytes == INT64_MIN ? -EINVAL : 0;
}

static int64_t height_value(struct json_in *json)
{
    struct json_in const before = *json;
    uint64_t number;
    char text[32], *end;
    if (json_in_uint(json, &number))
        return number <= INT64_MAX ? (int64_t)number : INT64_MIN;
    *json = before;
    if (json_in_text(json, text, sizeof(text))) {
        if (strncmp(text, "0x", 2) != 0)
            return INT64_MIN;
        unsigned long long const value = strtoull(text + 2, &end, 16);
        return end != text + 2 && *end == '\0' && value <= INT64_MAX ? (int64_t)value : INT64_MIN;
    }
    *json = before;
    json_in_skip(json);
    return INT64_MIN;
}

static bool is_height(const char *key)
{
    return strcmp(key, "rnd") == 0 || strcmp(key, "round") == 0 || strcmp(key, "height") == 0 ||
           strcmp(key, "number") == 0;
}

/* The block stands in an object of its own, or the object is it. */
static bool is_block(const char *key)
{
    return strcmp(key, "block") == 0 || strcmp(key, "block_header") == 0 ||
           strcmp(key, "result") == 0;
}

static int64_t height_of(struct json_in *json, unsigned depth)
{
    int64_t height = INT64_MIN;
    char key[32];
    for (json_in_object(json); json_in_key(json, key, sizeof(key));) {
        int64_t found = INT64_MIN;
        struct json_in const before = *json;
        if (is_height(key))
            found = height_value(json);
        else if (depth < 3 && is_block(key) && json_in_object(json)) {
            *json = before;
            found = height_of(json, depth + 1);
        } else {
            *json = before;
            json_in_skip(json);
        }
        height = found != INT64_MIN ? found : height;
    }
    return height;
}

int64_t blockinfo_height(struct slice text)
{
    struct json_in json = {.text = text};
    int64_t const height = height_of(&json, 0);
    return json.failed ? INT64_MIN : height;
}
