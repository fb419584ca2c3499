/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/memory/memory_status.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "procfs/process/proc_open.h"
#include "procfs/process/process_facts.h"

#define KIB        1024
#define STATUS_MAX 8192

static const struct {
    const char *key;
    size_t offset;
    int64_t unit;
} fields[] = {
    {"Threads:", offsetof(struct memory_status, threads), 1},
    {"VmRSS:", offsetof(struct memory_status, rss_bytes), KIB},
    {"RssAnon:", offsetof(struct memory_status, anon_bytes), KIB},
    {"RssFile:", offsetof(struct memory_status, file_bytes), KIB},
    {"RssShmem:", offsetof(struct memory_status, shmem_bytes), KIB},
    {"VmSwap:", offsetof(struct memory_status, swap_bytes), KIB},
    {"VmHWM:", offsetof(struct memory_status, rss_peak_bytes), KIB},
    {"VmPTE:", offsetof(struct memory_status, page_table_bytes), KIB},
    {"HugetlbPages:", offsetof(struct memory_status, hugetlb_bytes), KIB},
};
#define FIELDS (sizeof(fields) / sizeof(fields[0]))

static int64_t *field_of(struct memory_status *memory, size_t i)
{
    return (int64_t *)(void *)((char *)memory + fields[i].offset);
}

/* `line` has its end cut off. */
static void parse_line(struct memory_status *memory, const char *line)
{
    if (strncmp(line, "Name:\t", 6) == 0)
        snprintf(memory->name, sizeof(memory->name), "%.31s", line + 6);
    if (strncmp(line, "State:\t", 7) == 0)
        memory->state = line[7];
    for (size_t i = 0; i < FIELDS; i++) {
        size_t const size = strlen(fields[i].key);
        char *end;
        if (strncmp(line, fields[i].key, size) != 0)
            continue;
        long long const value = strtoll(line + size, &end, 10);
        if (end != line + size && value >= 0 && value < INT64_MAX / KIB)
            *field_of(memory, i) = value * fields[i].unit;
    }
}

struct memory_status memory_status_parse(struct slice status)
{
    struct memory_status memory = {.name = ""};
    for (size_t i = 0; i < FIELDS; i++)
        *field_of(&memory, i) = -1;
    for (size_t at = 0; at < status.size;) {
        char line[256];
        const char *begin = status.data + at, *end = memchr(begin, '\n', status.size - at);
        size_t const size = end ? (size_t)(end - begin) : status.size - at;
        snprintf(line, sizeof(line), "%.*s", size < sizeof(line) ? (int)size : 0, begin);
        parse_line(&memory, line);
        at += size + 1;
    }
    return memory;
}

int memory_status_read(uint32_t pid, struct memory_status *memory)
{
    char *text;
    int const err = proc_read_text(pid, 0, PROC_STATUS, STATUS_MAX, &text);
    if (err < 0)
        return err;
    *memory = memory_status_parse(slice_of(text));
    process_name_mend_of(pid, memory->name, sizeof(memory->name));
    free(text);
    return 0;
}
