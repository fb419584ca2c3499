/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/process/thread_stacks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "procfs/process/proc_open.h"
#include "procfs/process/process_facts.h"

/* "running", or "NUMBER ARGUMENTS... POINTER INSTRUCTION". */
uint64_t thread_stack_parse(const char *text)
{
    const char *words[2] = {NULL, NULL}; /* the last two */
    for (const char *at = strstr(text, "0x"); at; at = strstr(at + 2, "0x")) {
        words[0] = words[1];
        words[1] = at;
    }
    return words[0] ? strtoull(words[0], NULL, 16) : 0;
}

static uint64_t read_pointer(uint32_t pid, uint32_t tid)
{
    char text[256];
    int const fd = proc_open(pid, tid, PROC_SYSCALL);
    if (fd < 0)
        return 0;
    ssize_t const got = read(fd, text, sizeof(text) - 1);
    close(fd);
    text[got > 0 ? got : 0] = '\0';
    return thread_stack_parse(text);
}

int thread_stacks_read(uint32_t pid, struct thread_stacks *stacks)
{
    bool fits = true;
    *stacks = (struct thread_stacks){.threads = {0}};
    DIR *folder = proc_open_folder(pid, PROC_TASKS);
    if (!folder)
        return -errno;
    for (struct dirent *entry; fits && (entry = readdir(folder));) {
        struct thread_stack one = {.tid = (uint32_t)strtoul(entry->d_name, NULL, 10)};
        if (one.tid == 0 || stacks->threads.count >= THREAD_STACKS_MAX)
            continue;
        process_thread_name(pid, one.tid, one.name, sizeof(one.name));
        one.pointer = read_pointer(pid, one.tid);
        fits = vec_push(&stacks->threads, one);
    }
    closedir(folder);
    if (!fits)
        thread_stacks_fini(stacks);
    return fits ? 0 : -ENOMEM;
}

void thread_stacks_fini(struct thread_stacks *stacks)
{
    vec_free(&stacks->threads);
}
