/* SPDX-License-Identifier: Apache-2.0 */
/* run_gaps.c - finds missing answers in a run without a list of failed requests: older scripts
 * wrote none. */
#include <errno.h>

#include "cluster/metrics/missed_ticks.h"
#include "cluster/runs/run_parts.h"

static int count_of(struct run *run, uint32_t node, enum run_kind kind, int64_t end_us)
{
    const struct run_file *files;
    size_t const count = run_files_of(run, node, kind, &files);
    tick_list stamps = {0}, missed = {0};
    int err = 0;
    for (size_t i = 0; i < count && !err; i++)
        err = vec_push(&stamps, files[i].stamp_us) ? 0 : -ENOMEM;
    if (!err)
        err = missed_ticks(run, &stamps, end_us, &missed);
    run->nodes.items[node].gaps += missed.count;
    vec_free(&stamps);
    vec_free(&missed);
    return err;
}

int run_count_gaps(struct run *run)
{
    static const enum run_kind kinds[] = {RUN_HEAP, RUN_METRICS};
    int err = 0;
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        int64_t end_us = 0;
        vec_each (file, &run->files)
            if (file->kind == kinds[k] && file->stamp_us > end_us)
                end_us = file->stamp_us;
        for (uint32_t node = 0; node < run->nodes.count && !err; node++)
            err = count_of(run, node, kinds[k], end_us);
    }
    return err;
}
