/* local_sample.h - what the kernel says about a process of this machine, at one moment, without
 * starting another program. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* -1: not known, or not ours to know. */
struct local_sample {
    uint32_t pid;
    int64_t rss_bytes, vsz_bytes;
    /* only of processes below LOCAL_SAMPLE_PSS_MAX: the kernel walks every page for it */
    int64_t pss_bytes;
    int64_t swap_bytes;
    int64_t threads, fds;
    int64_t cpu_ms;                    /* user and system time since it began */
    int64_t read_bytes, written_bytes; /* from and to disks */
};
#define LOCAL_SAMPLE_PSS_MAX (INT64_C(1) << 30)

/* 0; -ESRCH when there is no such process, or only its end is left. */
int local_sample_read(uint32_t pid, struct local_sample *sample);

/* A line of <nick>.heap.csv from its third column on, without a newline; a column that is not
 * known is empty:
 *     rss_kib,vsz_kib,pid,pss_kib,swap_kib,threads,fds,cpu_ms,read_bytes,written_bytes
 * The first two are the original's.  The text is `out`. */
#define LOCAL_SAMPLE_TEXT_MAX 256
const char *local_sample_render(const struct local_sample *sample, char out[LOCAL_SAMPLE_TEXT_MAX]);
