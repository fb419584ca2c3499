/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/sessions/memory_bound.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/sessions/recorder.h"

#define LOOK_NS    (NS_PER_SECOND / 20)
#define FIRST_RATE (512ull << 10) /* bytes a sample: the default of --heap sample */
#define LAST_RATE  (1ull << 32)
#define RATE_STEP  4u

/* What it has alone, not the memory that it shares with the program. */
static uint64_t own_bytes(void)
{
    unsigned long long size, resident = 0, shared = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file)
        return 0;
    /* NOLINTNEXTLINE(cert-err34-c): the kernel's numbers */
    if (fscanf(file, "%llu %llu %llu", &size, &resident, &shared) != 3 || shared > resident)
        resident = shared = 0;
    fclose(file);
    return (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE);
}

void memory_bound_init(struct memory_bound *bound, uint64_t wished_bytes)
{
    *bound = (struct memory_bound){.wished_bytes = wished_bytes};
}

uint64_t memory_bound_bytes(const struct memory_bound *bound)
{
    if (bound->wished_bytes)
        return bound->wished_bytes;
    return bound->program_bytes > MEMORY_BOUND_DEFAULT ? bound->program_bytes
                                                       : MEMORY_BOUND_DEFAULT;
}

/* The allocator may keep what was freed: only what grows again calls for another step. */
bool memory_bound_step(struct memory_bound *bound, uint64_t used_bytes, uint64_t *rate)
{
    uint64_t const most = memory_bound_bytes(bound);
    if (used_bytes < most / 8 * 5 || used_bytes < bound->stepped_bytes + most / 16)
        return false;
    bound->stepped_bytes = used_bytes;
    uint64_t const last = *rate > bound->rate ? *rate : bound->rate;
    uint64_t next = last < FIRST_RATE ? FIRST_RATE : last * RATE_STEP;
    if (*rate == HEAP_OFF || last >= LAST_RATE)
        return false;
    next = next < LAST_RATE ? next : LAST_RATE;
    *rate = bound->rate = next;
    return true;
}

bool memory_bound_look(struct memory_bound *bound, uint64_t now_ns, uint64_t *rate)
{
    if (now_ns < bound->next_ns)
        return false;
    bound->next_ns = now_ns + LOOK_NS;
    return memory_bound_step(bound, own_bytes(), rate);
}

uint64_t memory_bound_left(const struct memory_bound *bound)
{
    uint64_t const most = memory_bound_bytes(bound) / 16 * 15, used = own_bytes();
    return used < most ? most - used : 0;
}
