/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/process/process_facts.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "procfs/process/proc_open.h"

static bool says_nothing(const char *name)
{
    return name[strspn(name, " \t\n\v\f\r")] == '\0';
}

void process_name_mend(const char *path, uint32_t pid, char *name, size_t size)
{
    const char *const slash = strrchr(path, '/');
    const char *const file = slash ? slash + 1 : path;
    if (!says_nothing(name))
        return;
    if (!says_nothing(file))
        snprintf(name, size, "%s", file);
    else if (pid)
        snprintf(name, size, "pid %u", pid);
}

void process_name_mend_of(uint32_t pid, char *name, size_t size)
{
    char path[PATH_MAX] = "";
    if (!says_nothing(name))
        return;
    process_program_path(pid, path, sizeof(path));
    process_name_mend(path, pid, name, size);
}

void process_thread_name(uint32_t pid, uint32_t tid, char *name, size_t size)
{
    if (proc_read_start(pid, tid, PROC_COMM, name, size) <= 0)
        return;
    name[strcspn(name, "\n")] = '\0';
    process_name_mend_of(pid, name, size);
}

#define THREADS_WORD 18u /* of /proc/PID/stat, counted from the end of the name */

/* The word number `index` of a line, counted from 0; "" when it has fewer. */
static const char *word_at(const char *text, unsigned index)
{
    for (; index > 0 && *text; index--) {
        text += strcspn(text, " ");
        text += strspn(text, " ");
    }
    return text;
}

static struct process_memory parse_memory(const char *text)
{
    const char *second = word_at(text, 1), *third = word_at(text, 2);
    uint64_t const resident = strtoull(second, NULL, 10), shared = strtoull(third, NULL, 10);
    if (!*third || resident < shared || resident == 0)
        return (struct process_memory){-1, -1};
    int64_t page = sysconf(_SC_PAGESIZE);
    return (struct process_memory){(int64_t)resident * page, (int64_t)(resident - shared) * page};
}

struct process_memory process_memory(uint32_t pid)
{
    char text[128];
    (void)proc_read_start(pid, 0, PROC_STATM, text, sizeof(text));
    return parse_memory(text);
}

struct process_memory process_memory_again(int fd)
{
    char text[128];
    ssize_t const got = pread(fd, text, sizeof(text) - 1, 0);
    text[got > 0 ? got : 0] = '\0';
    return parse_memory(text);
}

/* The field of /proc/PID/stat behind the name, counted from its state, 0. */
#define STAT_START 19u

uint64_t process_age_ns(uint32_t pid)
{
    char text[1024];
    struct timespec now;
    if (pid == 0 || proc_read_start(pid, 0, PROC_STAT, text, sizeof(text)) <= 0)
        return 0;
    const char *name_end = strrchr(text, ')');
    const char *field = name_end && name_end[1] ? word_at(name_end + 2, STAT_START) : "";
    uint64_t const ticks = strtoull(field, NULL, 10), per_second = (uint64_t)sysconf(_SC_CLK_TCK);
    if (!*field || per_second == 0 || clock_gettime(CLOCK_BOOTTIME, &now) < 0)
        return 0;
    uint64_t const start_ns = ticks * (NS_PER_SECOND / per_second);
    uint64_t const now_ns = timespec_ns(&now);
    return now_ns > start_ns ? now_ns - start_ns : 0;
}

bool process_variable(uint32_t pid, const char *name, char *value, size_t size)
{
    char *line = NULL;
    size_t room = 0, length = strlen(name);
    bool found = false;
    FILE *file = proc_open_stream(pid, PROC_ENVIRON);
    while (file && !found && getdelim(&line, &room, '\0', file) > 0) {
        found = strncmp(line, name, length) == 0 && line[length] == '=';
        if (found)
            snprintf(value, size, "%s", line + length + 1);
    }
    free(line);
    if (file)
        fclose(file);
    return found;
}

void process_code_files(uint32_t pid,
                        void (*each)(void *context, const char *path, uint64_t offset),
                        void *context)
{
    char *line = NULL;
    size_t room = 0;
    FILE *file = proc_open_stream(pid, PROC_MAPS);
    while (file && getline(&line, &room, file) > 0) {
        char *name = strchr(line, '/'), *permissions = strchr(line, ' ');
        if (!name || !permissions || strlen(permissions) < 6 || permissions[3] != 'x')
            continue;
        name[strcspn(name, "\n")] = '\0';
        each(context, name, strtoull(permissions + 5, NULL, 16));
    }
    free(line);
    if (file)
        fclose(file);
}

bool process_runs(uint32_t pid)
{
    char text[512];
    if (proc_read_start(pid, 0, PROC_STAT, text, sizeof(text)) <= 0)
        return false;
    const char *after_name = strrchr(text, ')');
    if (!after_name || after_name[1] != ' ' || !*word_at(after_name, THREADS_WORD))
        return false;
    char const state = after_name[2];
    long const threads = strtol(word_at(after_name, THREADS_WORD), NULL, 10);
    /* The first thread may have ended before the others. */
    return (state != 'Z' && state != 'X') || threads > 1;
}

void process_program_path(uint32_t pid, char *path, size_t size)
{
    (void)proc_read_link(pid, PROC_EXE, path, size);
}

void process_command_line(uint32_t pid, char *text, size_t size)
{
    ssize_t const length = proc_read_start(pid, 0, PROC_CMDLINE, text, size);
    for (ssize_t i = 0; i + 1 < length; i++)
        if (text[i] == '\0')
            text[i] = ' ';
}
