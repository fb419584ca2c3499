/* local_sample.h - what the kernel measures for a process of this machine, read without starting
 * another program. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A value is -1 if it is not known, or if we may not read it. */
struct local_sample {
    uint32_t pid;
    int64_t rss_bytes, vsz_bytes;
    /* only for processes below LOCAL_SAMPLE_PSS_MAX, because the kernel walks every page to compute
     * it */
    int64_t pss_bytes;
    int64_t swap_bytes;
    int64_t threads, fds;
    int64_t cpu_ms;                    /* user and system time since the process began */
    int64_t read_bytes, written_bytes; /* from and to disks */
};
#define LOCAL_SAMPLE_PSS_MAX (INT64_C(1) << 30)

/* Returns 0; or -ESRCH if there is no such process, or it is a zombie. */
int local_sample_read(uint32_t pid, struct local_sample *sample);

/* Renders a line of <nick>.heap.csv from its third column on, without a newline; an unknown value
 * is an empty column:
 *     rss_kib,vsz_kib,pid,pss_kib,swap_kib,threads,fds,cpu_ms,read_bytes,written_bytes
 * The original tool has the first two.  Returns `out`. */
#define LOCAL_SAMPLE_TEXT_MAX 256
const char *local_sample_render(const struct local_sample *sample, char out[LOCAL_SAMPLE_TEXT_MAX]);
