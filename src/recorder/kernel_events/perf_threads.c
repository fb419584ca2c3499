/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel_events/perf_threads.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/number_map.h"
#include "procfs/process/proc_open.h"

#define PASSES_MAX 8u /* over the list of threads, until it has no new ones */

struct pass {
    uint32_t pid;
    struct number_map known;
    int (*open)(void *context, uint32_t tid);
    void *context;
    bool found_new;
};

static int open_one(struct pass *pass, uint32_t tid)
{
    uint32_t *seen = tid ? number_map_at(&pass->known, tid) : NULL;
    if (!seen || *seen || pass->known.count > PERF_THREADS_MAX)
        return 0;
    *seen = 1;
    int const err = pass->open(pass->context, tid);
    if (err == -ESRCH && tid != pass->pid) /* ended meanwhile */
        return 0;
    pass->found_new = true;
    return err;
}

int perf_threads_open(uint32_t pid, int (*open)(void *context, uint32_t tid), void *context)
{
    struct pass pass = {.pid = pid, .open = open, .context = context, .found_new = true};
    int err = 0;
    for (unsigned i = 0; i < PASSES_MAX && pass.found_new && err == 0; i++) {
        DIR *folder = proc_open_folder(pid, PROC_TASKS);
        if (!folder) {
            err = errno == ENOENT ? -ESRCH : -errno;
            break;
        }
        pass.found_new = false;
        for (struct dirent *entry; err == 0 && (entry = readdir(folder));)
            err = open_one(&pass, (uint32_t)strtoul(entry->d_name, NULL, 10));
        closedir(folder);
    }
    number_map_fini(&pass.known);
    return err;
}
