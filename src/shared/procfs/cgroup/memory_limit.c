/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/cgroup/memory_limit.h"

#include <stdio.h>
#include <stdlib.h>

#include "procfs/cgroup/cgroup_memory.h"
#include "procfs/process/proc_open.h"

#define TEXT_MAX     16384
#define VALUE_COLUMN 26 /* of the soft limit, behind its name */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

/* The number at the beginning of the column; 0 for "unlimited". */
static uint64_t number_of(struct slice line)
{
    uint64_t value = 0;
    for (size_t i = VALUE_COLUMN; i < line.size && line.data[i] >= '0' && line.data[i] <= '9';
         i++) {
        if (value > (UINT64_MAX - 9) / 10)
            return 0;
        value = value * 10 + (uint64_t)(line.data[i] - '0');
    }
    return value;
}

/* The least of the limits of these names. */
static uint64_t parse(struct slice text, const char *const *names, size_t count)
{
    uint64_t limit = 0;
    while (text.size > 0) {
        const char *end = memchr(text.data, '\n', text.size);
        size_t const size = end ? (size_t)(end - text.data) : text.size;
        struct slice const line = {text.data, size};
        for (size_t i = 0; i < count; i++)
            if (size > VALUE_COLUMN && memcmp(line.data, names[i], strlen(names[i])) == 0)
                limit = least(limit, number_of(line));
        text.data += end ? size + 1 : size;
        text.size -= end ? size + 1 : size;
    }
    return limit;
}

static const char *const limit_names[] = {"Max address space", "Max data size"};

uint64_t memory_limit_parse(struct slice text)
{
    return parse(text, limit_names, 2);
}

static char *read_limits(uint32_t pid)
{
    char *text;
    return proc_read_text(pid, 0, PROC_LIMITS, TEXT_MAX, &text) < 0 ? NULL : text;
}

uint64_t address_limit_read(uint32_t pid)
{
    char *text = read_limits(pid);
    uint64_t const limit = text ? parse(slice_of(text), limit_names, 1) : 0;
    free(text);
    return limit;
}

static uint64_t known(int64_t bytes)
{
    return bytes > 0 ? (uint64_t)bytes : 0;
}

uint64_t memory_limit_read(uint32_t pid)
{
    char *text = read_limits(pid);
    if (!text)
        return 0;
    uint64_t const limit = memory_limit_parse(slice_of(text));
    free(text);
    struct cgroup_memory cgroup;
    if (cgroup_memory_read(pid, &cgroup) < 0)
        return limit;
    return least(limit, least(known(cgroup.limit), known(cgroup.high)));
}
