/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/memory/proportional.h"

#include <stdio.h>
#include <stdlib.h>

#include "procfs/process/proc_open.h"

#define TEXT_MAX 8192

int64_t proportional_parse(struct slice text)
{
    static const char key[] = "\nPss:";
    const char *at = memmem(text.data, text.size, key, sizeof(key) - 1);
    const char *end = text.data + text.size;
    int64_t value = 0;
    if (!at)
        return -1;
    for (at += sizeof(key) - 1; at < end && *at == ' ';)
        at++;
    const char *digits = at;
    for (; at < end && *at >= '0' && *at <= '9' && value < INT64_MAX / 16384; at++)
        value = value * 10 + (*at - '0');
    return at == digits ? -1 : value * 1024;
}

int64_t proportional_read(uint32_t pid)
{
    char *text;
    if (proc_read_text(pid, 0, PROC_SMAPS_ROLLUP, TEXT_MAX, &text) < 0)
        return -1;
    int64_t const bytes = proportional_parse(slice_of(text));
    free(text);
    return bytes;
}
