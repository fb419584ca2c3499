/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/sessions/recorder_cost.h"

#include <sys/resource.h>

#include "base/clock.h"
#include "symbols/namer/name_client.h"

void recorder_cost_measure(struct cost *cost)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) < 0)
        return;
    uint64_t namer_ns, namer_bytes;
    name_client_cost(&namer_ns, &namer_bytes);
    cost->recorder_cpu_ns =
        namer_ns + (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * NS_PER_SECOND +
        (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * NS_PER_US;
    cost->recorder_rss_bytes = (uint64_t)usage.ru_maxrss * 1024u + namer_bytes;
}
