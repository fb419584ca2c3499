/* heap_ledger.h - a heap's events of another program's file, added up per call stack: over the open
 * bucket of time, as they are now, and as they were at the peak.
 *
 * A new peak only counts up an epoch; a site saves its numbers the first time it changes after
 * that.  Sums wrap instead of trapping: the numbers come from files.  Not thread-safe. */
#pragma once

#include <stdbool.h>

#include "model/recording.h"

struct heap_account {
    uint64_t live_bytes, live_count;
    uint64_t saved_bytes, saved_count, saved_epoch; /* as of the peak of that epoch */
    uint64_t calls, bytes, frees, freed, temporary; /* in the open bucket */
    bool touched;                                   /* stands in the list of those */
};

struct size_counts {
    uint32_t calls[SIZE_CLASSES];
};

struct heap_ledger {
    VEC(struct heap_account) accounts; /* by site: a stack that allocated */
    VEC(struct size_counts) sizes;     /* by site, since the last histogram */
    VEC(stack_id) stacks;              /* by site */
    VEC(uint32_t) sites;               /* by stack_id: site plus one, 0 for none */
    VEC(uint32_t) touched;             /* with room for all sites */
    uint64_t epoch, live_bytes, live_count;
    int64_t bucket_max, bucket_min;
    struct totals totals;
};

void heap_ledger_fini(struct heap_ledger *ledger);

/* The site of a stack, made when it is new.  0 or -ENOMEM. */
int heap_ledger_site(struct heap_ledger *ledger, stack_id stack, uint32_t *site);

/* What happened since the last call, as the cells and heap gauges of `bucket`; with the sizes since
 * the last such call when `with_sizes`.  0 or -ENOMEM. */
int heap_ledger_close(struct heap_ledger *ledger, bool with_sizes, struct bucket *bucket);

/* Every site as it was at the peak.  0 or -ENOMEM. */
int heap_ledger_pin_peak(const struct heap_ledger *ledger, struct pin *pin);

static inline struct heap_account *heap_ledger_touch(struct heap_ledger *ledger, uint32_t site)
{
    struct heap_account *account = &ledger->accounts.items[site];
    if (account->saved_epoch != ledger->epoch) {
        account->saved_bytes = account->live_bytes;
        account->saved_count = account->live_count;
        account->saved_epoch = ledger->epoch;
    }
    if (!account->touched) {
        account->touched = true;
        ledger->touched.items[ledger->touched.count++] = site;
    }
    return account;
}

static inline void heap_ledger_alloc(struct heap_ledger *ledger, uint32_t site, uint64_t size,
                                     uint64_t time_ns)
{
    struct heap_account *account = heap_ledger_touch(ledger, site);
    account->live_bytes += size;
    account->live_count++;
    account->calls++;
    account->bytes += size;
    ledger->sizes.items[site].calls[size_class(size)]++;
    ledger->totals.calls++;
    ledger->totals.bytes += size;
    ledger->live_bytes += size;
    ledger->live_count++;
    if ((int64_t)ledger->live_bytes > ledger->bucket_max)
        ledger->bucket_max = (int64_t)ledger->live_bytes;
    if ((int64_t)ledger->live_bytes > (int64_t)ledger->totals.peak_bytes) {
        ledger->totals.peak_bytes = ledger->live_bytes;
        ledger->totals.peak_count = ledger->live_count;
        ledger->totals.peak_time_ns = time_ns;
        ledger->epoch++;
    }
}

static inline void heap_ledger_free(struct heap_ledger *ledger, uint32_t site, uint64_t size,
                                    bool temporary)
{
    struct heap_account *account = heap_ledger_touch(ledger, site);
    account->live_bytes -= size;
    account->live_count--;
    account->frees++;
    account->freed += size;
    account->temporary += temporary;
    ledger->totals.frees++;
    ledger->totals.freed_bytes += size;
    ledger->totals.temporary += temporary;
    ledger->live_bytes -= size;
    ledger->live_count--;
    if ((int64_t)ledger->live_bytes < ledger->bucket_min)
        ledger->bucket_min = (int64_t)ledger->live_bytes;
}
