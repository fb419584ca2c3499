/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what a program can see of the place it runs in: arguments, environment, what the kernel
 * tells it, descriptors, signals, limits.  With a word as argument only that part. */
#include "subject.h"

#include <dirent.h>
#include <elf.h>
#include <gnu/libc-version.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

extern char **environ;

static void print_environment(void)
{
    for (char **entry = environ; *entry; entry++)
        say("env %s\n", *entry);
}

/* As programs do that look for themselves: behind the environment. */
static void print_auxiliary(void)
{
    char **entry = environ;
    while (*entry)
        entry++;
    unsigned long *pair = (unsigned long *)(entry + 1);
    for (; pair[0] != AT_NULL; pair += 2) {
        if (pair[0] != AT_IGNORE)
            say("auxiliary %lu\n", pair[0]);
        if (pair[0] == AT_PAGESZ)
            say("page size %lu\n", pair[1]);
    }
}

static void print_descriptors(void)
{
    for (int fd = 0; fd < 1024; fd++) {
        char link[64], target[512];
        snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
        ssize_t length = readlink(link, target, sizeof(target) - 1);
        if (length < 0)
            continue;
        target[length] = 0;
        say("fd %d %s\n", fd, target);
    }
}

static void print_signals(void)
{
    static char text[8192];
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(text, sizeof(text), file)) {
        if ((strncmp(text, "Sig", 3) == 0 && text[3] != 'Q') || strncmp(text, "Threads", 7) == 0 ||
            strncmp(text, "TracerPid", 9) == 0)
            say("%s", text);
    }
    if (file)
        fclose(file);
}

static void print_limits(void)
{
    for (int i = 0; i < RLIMIT_NLIMITS; i++) {
        struct rlimit limit = {0, 0};
        if (i != RLIMIT_SIGPENDING && getrlimit(i, &limit) == 0)
            say("limit %d %llu %llu\n", i, (unsigned long long)limit.rlim_cur,
                (unsigned long long)limit.rlim_max);
    }
    mode_t mask = umask(0);
    umask(mask);
    say("umask %o nice %d\n", mask, getpriority(PRIO_PROCESS, 0));
}

int main(int argc, char **argv)
{
    const char *part = argc > 1 ? argv[1] : "all";
    int all = strcmp(part, "all") == 0;
    if (all)
        say("argv0 %s libc %s\n", argv[0], gnu_get_libc_version());
    if (all || strcmp(part, "environment") == 0)
        print_environment();
    if (all || strcmp(part, "auxiliary") == 0)
        print_auxiliary();
    if (all || strcmp(part, "descriptors") == 0)
        print_descriptors();
    if (all || strcmp(part, "signals") == 0)
        print_signals();
    if (all || strcmp(part, "limits") == 0)
        print_limits();
    if (strcmp(part, "child-environment") == 0)
        execl("/usr/bin/env", "env", NULL);
    return 0;
}
