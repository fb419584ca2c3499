/* heap_ledger.h - sums the heap events of a foreign file by call stack: for the open bucket, for
 * now, and for the peak.
 *
 * A new peak only increments the epoch; a site saves its numbers when it first changes after that.
 * Sums wrap around instead of trapping, because the numbers come from files.  Not thread-safe. */
#pragma once

#include <stdbool.h>

#include "model/recording.h"

struct heap_sums_so_far {
    /* ordered so that the compiler does not load them in pairs */
    uint64_t bytes, freed, calls, frees;
};

struct heap_account { /* the size of a cache line */
    struct heap_sums_so_far now;
    uint64_t temporary;
    uint64_t saved_bytes, saved_count; /* live at the peak of saved_epoch */
    uint32_t saved_epoch;
    bool touched; /* changed in the open bucket */
};

/* The less used numbers of a site. */
struct heap_site {
    stack_id stack;
    struct heap_sums_so_far closed; /* at the end of the last bucket */
    uint64_t closed_temporary;
    uint32_t sizes[SIZE_CLASSES]; /* calls since sizes were last written */
};

struct heap_ledger {
    VEC(struct heap_account) accounts; /* By site (a stack that allocated). */
    VEC(struct heap_site) sites;       /* By site. */
    VEC(uint32_t) site_of_stack;       /* Site plus one, by stack; 0: none. */
    VEC(uint32_t) touched;             /* Has room for all sites. */
    int64_t live_bytes, live_count;
    int64_t bucket_max, bucket_min;
    int64_t peak_bytes, peak_count;
    uint64_t peak_time_ns;
    uint32_t epoch; /* number of peaks so far */
};

void heap_ledger_fini(struct heap_ledger *ledger);

/* Finds the site of a stack, which is added if it is new.  Returns 0 or -ENOMEM. */
int heap_ledger_site(struct heap_ledger *ledger, stack_id stack, uint32_t *site);

/* Sets the cells and heap gauges of `bucket` to what happened since the last call; with
 * `with_sizes` also the sizes since the last such call.  Returns 0 or -ENOMEM. */
int heap_ledger_close(struct heap_ledger *ledger, bool with_sizes, struct bucket *bucket);

/* Returns the sums of all sites. */
struct totals heap_ledger_totals(const struct heap_ledger *ledger);

/* Makes a pin of all sites at the peak.  Returns 0 or -ENOMEM. */
int heap_ledger_pin_peak(const struct heap_ledger *ledger, struct pin *pin);

static inline struct heap_account *heap_ledger_touch(struct heap_ledger *ledger, uint32_t site)
{
    struct heap_account *account = &ledger->accounts.items[site];
    if (account->saved_epoch != ledger->epoch) {
        account->saved_bytes = account->now.bytes - account->now.freed;
        account->saved_count = account->now.calls - account->now.frees;
        account->saved_epoch = ledger->epoch;
    }
    if (!account->touched) {
        account->touched = true;
        ledger->touched.items[ledger->touched.count++] = site;
    }
    return account;
}

static inline int64_t heap_ledger_add(int64_t sum, uint64_t size)
{
    return (int64_t)((uint64_t)sum + size);
}

static inline void heap_ledger_alloc(struct heap_ledger *ledger, uint32_t site, uint64_t size,
                                     uint64_t time_ns)
{
    struct heap_account *account = heap_ledger_touch(ledger, site);
    account->now.calls++;
    account->now.bytes += size;
    ledger->sites.items[site].sizes[size_class(size)]++;
    ledger->live_count++;
    ledger->live_bytes = heap_ledger_add(ledger->live_bytes, size);
    if (ledger->live_bytes <= ledger->bucket_max)
        return;
    ledger->bucket_max = ledger->live_bytes;
    if (ledger->live_bytes <= ledger->peak_bytes)
        return;
    ledger->peak_bytes = ledger->live_bytes;
    ledger->peak_count = ledger->live_count;
    ledger->peak_time_ns = time_ns;
    ledger->epoch++;
}

static inline void heap_ledger_free(struct heap_ledger *ledger, uint32_t site, uint64_t size,
                                    bool temporary)
{
    struct heap_account *account = heap_ledger_touch(ledger, site);
    account->now.frees++;
    account->now.freed += size;
    account->temporary += temporary;
    ledger->live_count--;
    ledger->live_bytes = heap_ledger_add(ledger->live_bytes, 0 - size);
    if (ledger->live_bytes < ledger->bucket_min)
        ledger->bucket_min = ledger->live_bytes;
}
