/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/pages/look_sight.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "procfs/process/proc_open.h"
#include "procfs/process/process_facts.h"
#include "procfs/process/thread_spots.h"
#include "sandbox/sandbox.h"

static void add_stack(void *into, uint32_t tid, uint64_t stack_pointer)
{
    struct look_sight *sight = into;
    (void)vec_push(&sight->stacks, (struct stack_spot){stack_pointer, tid});
}

static int by_number(const void *left, const void *right)
{
    const struct thread_known *a = left, *b = right;
    return a->tid < b->tid ? -1 : a->tid > b->tid;
}

/* The names as they are: they are cut and shown by whoever is confined. */
static void know_threads(struct look_sight *sight, uint32_t pid)
{
    DIR *folder = proc_open_folder(pid, PROC_TASKS);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        struct thread_known one = {.tid = (uint32_t)strtoul(entry->d_name, NULL, 10)};
        if (one.tid == 0)
            continue;
        process_thread_name(pid, one.tid, one.name, sizeof(one.name));
        (void)vec_push(&sight->threads, one);
    }
    if (folder)
        closedir(folder);
    if (sight->threads.count)
        qsort(sight->threads.items, sight->threads.count, sizeof(struct thread_known), by_number);
}

int look_sight_open(struct look_sight *sight, uint32_t pid)
{
    *sight = (struct look_sight){.maps = -1, .sums = -1, .memory = -1};
    int const err = pagemap_open(&sight->pagemap, pid, true);
    if (err < 0)
        return err;
    sight->maps = proc_open(pid, 0, PROC_MAPS);
    sight->sums = proc_open(pid, 0, PROC_STATM);
    sight->memory = proc_open(pid, 0, PROC_MEM);
    if (sight->maps < 0 || sight->sums < 0)
        return sight->maps < 0 ? sight->maps : sight->sums;
    thread_spots_visit(pid, add_stack, sight);
    know_threads(sight, pid);
    return 0;
}

void look_sight_confine(const struct look_sight *sight, int out, uint64_t out_bytes)
{
    int kept[] = {sight->pagemap.fd, sight->maps, sight->sums, sight->memory, out};
    struct sandbox_wish const wish = {.calls = SANDBOX_EVENTS, /* the ioctl of pagemap */
                                      .memory_bytes = SANDBOX_NO_LIMIT,
                                      .cpu_seconds = SANDBOX_NO_LIMIT,
                                      .file_bytes = out_bytes};
    struct sandbox_report report;
    struct fault fault;
    sandbox_keep_open(kept, sizeof(kept) / sizeof(kept[0]));
    if (sandbox_enter(&wish, &report, &fault) < 0)
        _exit(1);
}
