/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/cgroup/pressure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "procfs/process/proc_open.h"
#include "procfs/process/proc_text.h"

#define TEXT_MAX 4096
#define MACHINE  "/proc/pressure/memory"

/* The number behind `key` in the line. */
static int parse_number(struct slice line, const char *key, double *number)
{
    char digits[24];
    size_t const key_size = strlen(key);
    const char *found = memmem(line.data, line.size, key, key_size);
    if (!found)
        return -EINVAL;
    const char *text = found + key_size;
    size_t const room = (size_t)(line.data + line.size - text);
    size_t size = 0;
    while (size < room && size + 1 < sizeof(digits) && text[size] &&
           strchr("0123456789.", text[size]))
        size++;
    memcpy(digits, text, size);
    digits[size] = '\0';
    char *end;
    *number = strtod(digits, &end);
    return end == digits ? -EINVAL : 0;
}

/* "some avg10=1.23 avg60=... total=..." */
int pressure_parse(struct slice text, struct pressure *pressure)
{
    static const char begin[] = "some ";
    double percent, waited;
    if (text.size == 0)
        return -EINVAL;
    const char *end = memchr(text.data, '\n', text.size);
    struct slice const line = {text.data, end ? (size_t)(end - text.data) : text.size};
    if (line.size < sizeof(begin) - 1 || memcmp(line.data, begin, sizeof(begin) - 1) != 0 ||
        parse_number(line, " avg10=", &percent) < 0 || parse_number(line, " total=", &waited) < 0)
        return -EINVAL;
    if (percent > 100 || waited > (double)INT64_MAX)
        return -EINVAL;
    *pressure = (struct pressure){percent / 100, (uint64_t)waited};
    return 0;
}

int pressure_read_file(const char *path, struct pressure *pressure)
{
    char *text;
    int err = proc_text_read(path, TEXT_MAX, &text);
    if (err < 0)
        return err;
    err = pressure_parse(slice_of(text), pressure);
    free(text);
    return err;
}

/* Version 2 is mounted there alone, or below where version 1 has the other controllers. */
static int find_file(const char *cgroup, int cgroup_size, char *path, size_t size)
{
    static const char *const roots[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
    for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
        int const need =
            snprintf(path, size, "%s%.*s/memory.pressure", roots[i], cgroup_size, cgroup);
        if (need > 0 && (size_t)need < size && access(path, R_OK) == 0)
            return 0;
    }
    return -ENOENT;
}

static int find_cgroup(uint32_t pid, char *path, size_t size)
{
    char *text;
    int err = -ENOENT;
    if (proc_read_text(pid, 0, PROC_CGROUP, TEXT_MAX, &text) < 0)
        return -ENOENT;
    const char *line = strncmp(text, "0::", 3) == 0 ? text : strstr(text, "\n0::");
    line = line ? strchr(line, '/') : NULL;
    if (line && line[1] != '\n' && line[1] != '\0') /* the root's is the machine's */
        err = find_file(line, (int)strcspn(line, "\n"), path, size);
    free(text);
    return err;
}

int pressure_path(uint32_t pid, char *path, size_t size)
{
    struct pressure pressure;
    if (find_cgroup(pid, path, size) == 0 && pressure_read_file(path, &pressure) == 0)
        return 0;
    snprintf(path, size, "%s", MACHINE);
    return pressure_read_file(path, &pressure) == 0 ? 0 : -ENOENT;
}

int pressure_read(uint32_t pid, struct pressure *pressure)
{
    char path[TEXT_MAX];
    int const err = pressure_path(pid, path, sizeof(path));
    return err ? err : pressure_read_file(path, pressure);
}
