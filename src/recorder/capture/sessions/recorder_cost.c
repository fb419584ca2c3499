/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/sessions/recorder_cost.h"

#include <sys/resource.h>

#define NS_PER_SECOND      1000000000u
#define NS_PER_MICROSECOND 1000u

void recorder_cost_measure(struct cost *cost)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) < 0)
        return;
    cost->recorder_cpu_ns =
        (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * NS_PER_SECOND +
        (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * NS_PER_MICROSECOND;
    cost->recorder_rss_bytes = (uint64_t)usage.ru_maxrss * 1024u;
}
