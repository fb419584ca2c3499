/* SPDX-License-Identifier: Apache-2.0 */
#include "target.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static int output = -1; /* of the target started last */

pid_t target_start(char *const arguments[])
{
    int out[2];
    if (output >= 0)
        close(output);
    char letter;
    CHECK(pipe(out) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(out[1], 1);
        close(out[0]);
        close(out[1]);
        execvp(arguments[0], arguments);
        _exit(127);
    }
    close(out[1]);
    CHECK(pid > 0);
    do
        CHECK(read(out[0], &letter, 1) == 1);
    while (letter != '\n');
    output = out[0];
    return pid;
}

pid_t target_start_watchful(void)
{
    return target_start((char *const[]){NOTICES_EVERYTHING, "100", NULL});
}

int target_finish(pid_t pid)
{
    int status = -1;
    kill(pid, SIGTERM);
    waitpid(pid, &status, 0);
    char text[256] = "";
    ssize_t size = read(output, text, sizeof(text) - 1);
    if (status != 0)
        print_message("it says: %.*s (status %d)\n", size > 0 ? (int)size : 0, text, status);
    return status;
}

void target_end(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static size_t count_entries(pid_t pid, const char *what)
{
    char path[64];
    size_t count = 0;
    snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, what);
    DIR *folder = opendir(path);
    while (folder && readdir(folder))
        count++;
    if (folder)
        closedir(folder);
    return count;
}

static struct target_size measure(pid_t pid)
{
    char path[64], line[512];
    struct target_size size = {.descriptors = count_entries(pid, "fd"),
                               .threads = count_entries(pid, "task")};
    snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
    FILE *maps = fopen(path, "r");
    while (maps && fgets(line, sizeof(line), maps))
        size.maps++;
    if (maps)
        fclose(maps);
    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    FILE *status = fopen(path, "r");
    while (status && fgets(line, sizeof(line), status))
        if (sscanf(line, "VmSize: %zu", &size.kib) == 1)
            break;
    if (status)
        fclose(status);
    return size;
}

struct target_size target_measure(pid_t pid)
{
    struct target_size before, now = measure(pid);
    do {
        before = now;
        usleep(100000);
        now = measure(pid);
    } while (memcmp(&before, &now, sizeof(now)) != 0);
    return now;
}
