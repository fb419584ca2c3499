/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/pressure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "procfs/proc_text.h"

#define TEXT_MAX 4096

/* "some avg10=1.23 avg60=..." */
double pressure_parse(struct slice text)
{
    static const char key[] = "some avg10=";
    char number[16];
    if (text.size <= sizeof(key) - 1 || memcmp(text.data, key, sizeof(key) - 1) != 0)
        return -1;
    size_t const begin = sizeof(key) - 1;
    size_t size = 0;
    while (begin + size < text.size && size + 1 < sizeof(number) &&
           strchr("0123456789.", text.data[begin + size]) && text.data[begin + size])
        size++;
    memcpy(number, text.data + begin, size);
    number[size] = '\0';
    char *end;
    double const percent = strtod(number, &end);
    return end == number || percent > 100 ? -1 : percent / 100;
}

static double read_file(const char *path)
{
    char *text;
    if (proc_text_read(path, TEXT_MAX, &text) < 0)
        return -1;
    double const pressure = pressure_parse(slice_of(text));
    free(text);
    return pressure;
}

/* The path in the one hierarchy of version 2; empty when there is none. */
static void find_cgroup(uint32_t pid, char *path, size_t size)
{
    char file[64], *text;
    path[0] = '\0';
    snprintf(file, sizeof(file), "/proc/%u/cgroup", pid);
    if (proc_text_read(file, TEXT_MAX, &text) < 0)
        return;
    const char *line = strncmp(text, "0::", 3) == 0 ? text : strstr(text, "\n0::");
    if (line) {
        line = strchr(line, '/');
        if (line)
            snprintf(path, size, "/sys/fs/cgroup%.*s/memory.pressure", (int)strcspn(line, "\n"),
                     line);
    }
    free(text);
}

double pressure_read(uint32_t pid)
{
    char path[TEXT_MAX];
    find_cgroup(pid, path, sizeof(path));
    double const pressure = path[0] ? read_file(path) : -1;
    return pressure >= 0 ? pressure : read_file("/proc/pressure/memory");
}
