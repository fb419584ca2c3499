/* SPDX-License-Identifier: Apache-2.0 */
/* strays.c - finds all processes of a network, also those that are in no list. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "nets/process.h"
#include "procfs/process/process_facts.h"

static bool carries_mark(const struct net *net, const struct net_part *only, uint32_t pid)
{
    char value[300];
    if (!process_variable(pid, NET_MARK, value, sizeof(value)) || strcmp(value, net->id) != 0)
        return false;
    return !only || (process_variable(pid, NET_MARK "_PART", value, sizeof(value)) &&
                     strcmp(value, only->name) == 0);
}

static bool is_part(const struct net *net, const struct net_part *only, uint32_t pid, uint64_t born)
{
    vec_each (part, &net->parts)
        if (part->pid == pid && part->born == born && (!only || only == part))
            return true;
    return false;
}

/* The descriptor is taken first, so that what is looked at and what is signalled are one
 * process. */
static bool strike(const struct net *net, const struct net_part *only, uint32_t pid, int number)
{
    int const fd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (fd < 0)
        return false;
    bool const ours = process_runs(pid) &&
                      (carries_mark(net, only, pid) || is_part(net, only, pid, process_born(pid)));
    if (ours && number)
        syscall(SYS_pidfd_send_signal, fd, number, NULL, 0);
    close(fd);
    return ours;
}

size_t net_signal_all(const struct net *net, const struct net_part *only, int number)
{
    size_t count = 0;
    DIR *folder = opendir("/proc");
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        uint32_t const pid = (uint32_t)strtoul(entry->d_name, NULL, 10);
        if (pid && pid != (uint32_t)getpid())
            count += strike(net, only, pid, number);
    }
    if (folder)
        closedir(folder);
    return count;
}

void part_last_words(const struct net *net, const struct net_part *part, char *text, size_t size)
{
    char tail[2048];
    size_t got = 0;
    char *path = net_path(net, "%s.log", part->name);
    FILE *file = path ? fopen(path, "re") : NULL;
    if (file) {
        if (fseek(file, -(long)sizeof(tail) + 1, SEEK_END) != 0)
            rewind(file);
        got = fread(tail, 1, sizeof(tail) - 1, file);
        fclose(file);
    }
    free(path);
    while (got && (tail[got - 1] == '\n' || tail[got - 1] == ' '))
        got--;
    tail[got] = '\0';
    const char *line = strrchr(tail, '\n');
    snprintf(text, size, "%s", line ? line + 1 : tail);
}
