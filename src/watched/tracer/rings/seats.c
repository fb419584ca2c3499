/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/rings/seats.h"

#include <linux/membarrier.h>
#include <stddef.h>
#include <time.h>

#include "tracer/process/raw_syscall.h"
#include "wire/invariant.h"
#include "wire/time_units.h"

/* Twice as many as slots in the arena; threads beyond go unrecorded, and uncounted but for their
 * number of events. */
#define SEATS 8192u

/* Store buffers empty themselves within microseconds. */
#define SETTLE_NS 1000000ull

struct seat seat_of_nobody;

static struct seat seats[SEATS];
static _Atomic uint32_t seats_high; /* seats ever taken are below this */
static _Atomic uint32_t newcomers;

static bool is_gone(uint32_t pid, uint32_t tid)
{
    return raw_syscall3(SYS_tgkill, pid, tid, 0) == -3; /* ESRCH */
}

static struct seat *sit_down(struct seat *seat, uint32_t pid, uint32_t tid)
{
    INVARIANT(seat != &seat_of_nobody && pid != 0 && tid != 0);
    atomic_store(&seat->inside, 0);
    atomic_store(&seat->dying, 0);
    atomic_store(&seat->pid, pid);
    atomic_store(&seat->tid, tid);
    return seat;
}

/* One whose thread is gone: known to have ended, or, when room is scarce, found to have. */
static struct seat *claim_left(uint32_t pid, uint32_t tid, bool scarce)
{
    uint32_t high = atomic_load(&seats_high);
    for (uint32_t i = 0; i < high && i < SEATS; i++) {
        struct seat *seat = &seats[i];
        uint32_t owner = atomic_load(&seat->tid);
        /* After a fork the parent's seats stay as they were: one of them is this process's first
         * thread's. */
        if (owner == 0 || atomic_load(&seat->pid) != pid ||
            !(scarce || owner == tid || atomic_load(&seat->dying)) ||
            !(owner == tid || is_gone(pid, owner)))
            continue;
        if (atomic_compare_exchange_strong(&seat->tid, &owner, tid))
            return sit_down(seat, pid, tid);
    }
    return NULL;
}

struct seat *seat_claim(struct seat *had, uint32_t pid, uint32_t tid)
{
    if (had != &seat_of_nobody)
        return sit_down(had, pid, tid);
    struct seat *seat = claim_left(pid, tid, false);
    if (seat)
        return seat;
    uint32_t next = atomic_load(&seats_high);
    while (next < SEATS && !atomic_compare_exchange_weak(&seats_high, &next, next + 1))
        ;
    return next < SEATS ? sit_down(&seats[next], pid, tid) : claim_left(pid, tid, true);
}

void seats_come(void)
{
    atomic_fetch_add(&newcomers, 1);
}

void seats_came(void)
{
    atomic_fetch_sub(&newcomers, 1);
}

void seats_forked(void)
{
    atomic_store(&newcomers, 0);
}

static bool is_empty(struct seat *seat, uint32_t pid)
{
    uint32_t owner = atomic_load(&seat->tid);
    return atomic_load(&seat->inside) == 0 || owner == 0 || atomic_load(&seat->pid) != pid ||
           is_gone(pid, owner); /* it was ended in there, by cancellation */
}

static uint64_t monotonic_ns(void)
{
    struct timespec now = {0, 0};
    raw_syscall3(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0);
    return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

/* Every store that a thread made before this is seen afterwards, and every load it makes
 * afterwards sees ours. */
static void put_in_order(bool may_barrier)
{
    if (may_barrier &&
        raw_syscall3(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0 &&
        raw_syscall3(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0)
        return;
    raw_nap(SETTLE_NS);
}

bool seats_wait_until_empty(uint32_t pid, uint64_t limit_ns, bool may_barrier)
{
    uint64_t start = monotonic_ns();
    uint32_t next = 0; /* seats below were seen empty since the arena is gone: nobody comes back */
    put_in_order(may_barrier);
    for (;; raw_nap(SETTLE_NS)) {
        bool const nobody_comes = atomic_load(&newcomers) == 0;
        uint32_t high = atomic_load(&seats_high);
        INVARIANT(next <= high && high <= SEATS);
        while (nobody_comes && next < high && next < SEATS && is_empty(&seats[next], pid))
            next++;
        if (nobody_comes && next == high && atomic_load(&newcomers) == 0)
            return true;
        if (monotonic_ns() - start >= limit_ns)
            return false;
    }
}
