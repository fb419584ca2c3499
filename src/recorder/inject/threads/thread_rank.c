/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/threads/thread_rank.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/vec.h"
#include "procfs/process/proc_open.h"

#define TEXT_MAX    4096u
#define THREADS_MAX 65536u

/* The state letter; 0 when the thread is gone. */
static char state_of(uint32_t pid, uint32_t tid)
{
    char *text, state = '\0';
    if (proc_read_text(pid, tid, PROC_STAT, TEXT_MAX, &text) < 0)
        return '\0';
    const char *after_name = strrchr(text, ')');
    if (after_name && after_name[1] == ' ')
        state = after_name[2];
    free(text);
    return state;
}

static int rank_of(uint32_t pid, uint32_t tid)
{
    char *text;
    long number = -1;
    int rank = 1;
    if (proc_read_text(pid, tid, PROC_SYSCALL, TEXT_MAX, &text) < 0)
        return 1;
    if (text[0] >= '0' && text[0] <= '9')
        number = strtol(text, NULL, 10);
    free(text);
    switch (number) {
    case SYS_futex:
    case SYS_poll:
    case SYS_ppoll:
    case SYS_select:
    case SYS_pselect6:
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_read:
    case SYS_accept:
    case SYS_accept4:
    case SYS_wait4:
    case SYS_waitid:
    case SYS_pause:
    case SYS_rt_sigsuspend:
        rank = 0;
        break;
    case -1: /* runs, or we may not know */
        break;
    default:
        rank = 2;
    }
    return rank;
}

static int compare(const void *left, const void *right)
{
    const struct ranked_thread *a = left, *b = right;
    return a->rank - b->rank;
}

struct ranking {
    VEC(struct ranked_thread) threads;
};

static bool rank_all(struct ranking *ranking, uint32_t pid, DIR *folder)
{
    for (struct dirent *entry; ranking->threads.count < THREADS_MAX && (entry = readdir(folder));) {
        uint32_t tid = (uint32_t)strtoul(entry->d_name, NULL, 10);
        char state = tid ? state_of(pid, tid) : '\0';
        if (state != 'R' && state != 'S')
            continue;
        if (!vec_push(&ranking->threads, (struct ranked_thread){(pid_t)tid, rank_of(pid, tid)}))
            return false;
    }
    return true;
}

int thread_rank(uint32_t pid, struct ranked_thread **threads, size_t *count)
{
    struct ranking ranking = {.threads = {NULL, 0, 0}};
    DIR *folder = proc_open_folder(pid, PROC_TASKS);
    if (!folder)
        return -errno;
    bool fits = rank_all(&ranking, pid, folder);
    closedir(folder);
    if (!fits) {
        vec_free(&ranking.threads);
        return -ENOMEM;
    }
    if (ranking.threads.count)
        qsort(ranking.threads.items, ranking.threads.count, sizeof(struct ranked_thread), compare);
    *threads = ranking.threads.items;
    *count = ranking.threads.count;
    return 0;
}
