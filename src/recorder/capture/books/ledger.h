/* ledger.h - accounts of owners of memory: call sites, or threads.
 *
 * An event changes only one cache line of its account.  What is live is the difference between what
 * was ever allocated and ever freed; what happened since the last bucket is the difference from
 * what was reported then. */
#pragma once

#include <stdint.h>

#include "base/invariant.h"
#include "base/vec.h"
#include "model/metric.h"
#include "model/recording.h"

/* Adds up numbers that the program says, which may be anything: the sums wrap around instead of
 * overflowing. */
static inline void sum_add(int64_t *sum, uint64_t more)
{
    *sum = (int64_t)((uint64_t)*sum + more);
}

static inline void sum_add_short(int32_t *sum, uint64_t more)
{
    *sum = (int32_t)((uint32_t)*sum + (uint32_t)more);
}

struct account {
    /* Since the beginning. */
    _Alignas(64) uint64_t bytes;
    uint64_t freed, slack, slack_freed;
    uint64_t epoch; /* The epoch of `peak`. */
    /* Since the last bucket; may go below zero when a free is undone. */
    int32_t calls, frees, temporary;
    /* Events of one class in a row that are not in the histogram yet. */
    uint16_t size_run, lifetime_run;
    uint8_t size_class, lifetime_class;
    uint8_t touched; /* The account is in the list of touched ones. */
    /* Seldom used. */
    _Alignas(64) struct level {
        int64_t bytes, count, slack;
    } peak;
    int64_t count; /* Live as of the last bucket. */
    uint64_t told_bytes, told_freed, told_slack, told_slack_freed;
};

struct ledger_classes {
    uint32_t sizes[SIZE_CLASSES];
    int32_t lifetimes[LIFETIME_CLASSES]; /* May go below zero when a free is undone. */
};

/* For accounts with samples: how uncertain their bytes are, see model/sampling.h. */
struct spread {
    uint64_t made, gone;
    uint64_t told_made, told_gone;
    int64_t peak;
};

struct ledger {
    struct account *accounts;
    struct ledger_classes *histograms;
    struct spread *spreads; /* NULL while nothing is sampled. */
    bool is_sampled;
    uint32_t count;
    VEC(uint32_t) touched; /* Accounts that changed since the last bucket; has room for all. */
};

void ledger_fini(struct ledger *ledger);
/* Makes room for accounts below `count`.  Returns 0 or -ENOMEM. */
int ledger_grow(struct ledger *ledger, uint32_t count);
static inline int ledger_reserve(struct ledger *ledger, uint32_t count)
{
    return count <= ledger->count ? 0 : ledger_grow(ledger, count);
}

/* The ledger has samples from now on: makes room for the spread of each account.  Returns 0 or
 * -ENOMEM. */
int ledger_spread(struct ledger *ledger);

struct ledger_cells {
    VEC(struct cell) cells;
    bool of_pools; /* Use the columns of pools, not of the heap. */
    bool failed;
};
/* Adds what changed since the last call to the list. */
void ledger_close_bucket(struct ledger *ledger, struct ledger_cells *list);
/* Adds the histograms since the last call to the list. */
void ledger_close_histograms(struct ledger *ledger, struct ledger_cells *list);
/* Adds what each account has live now, or had at the peak of `epoch`, to the list. */
void ledger_pin(const struct ledger *ledger, bool at_peak, uint64_t epoch,
                struct ledger_cells *list);

static inline int64_t spread_level(const struct spread *spread)
{
    return (int64_t)(spread->made - spread->gone);
}

static inline struct level account_level(const struct account *account)
{
    return (struct level){(int64_t)(account->bytes - account->freed),
                          account->count + account->calls - account->frees,
                          (int64_t)(account->slack - account->slack_freed)};
}

/* Returns whether nothing has changed since the last bucket. */
bool ledger_is_told(const struct ledger *ledger);
/* Returns what all accounts have live. */
struct level ledger_sum(const struct ledger *ledger);

void ledger_note_change(struct ledger *ledger, uint32_t index, uint64_t epoch);

/* Returns the account, ready to be changed: its value at the peak is saved, and the next bucket
 * will look at it. */
static inline struct account *ledger_touch(struct ledger *ledger, uint32_t index, uint64_t epoch)
{
    INVARIANT(index < ledger->count);
    struct account *account = &ledger->accounts[index];
    if (account->epoch != epoch || !account->touched)
        ledger_note_change(ledger, index, epoch);
    return account;
}

void ledger_flush_run(struct ledger *ledger, uint32_t index);

static inline void ledger_count_size(struct ledger *ledger, uint32_t index, unsigned class,
                                     uint64_t calls)
{
    INVARIANT(index < ledger->count && class < SIZE_CLASSES);
    struct account *account = &ledger->accounts[index];
    if (account->size_class != class || account->size_run + calls > UINT16_MAX) {
        ledger_flush_run(ledger, index);
        account->size_class = (uint8_t) class;
    }
    if (calls > UINT16_MAX) /* A sample may stand for many. */
        ledger->histograms[index].sizes[class] += (uint32_t)calls;
    else
        account->size_run = (uint16_t)(account->size_run + calls);
}

static inline void ledger_count_lifetime(struct ledger *ledger, uint32_t index, unsigned class,
                                         uint64_t calls)
{
    INVARIANT(index < ledger->count && class < LIFETIME_CLASSES);
    struct account *account = &ledger->accounts[index];
    if (account->lifetime_class != class || account->lifetime_run + calls > UINT16_MAX) {
        ledger_flush_run(ledger, index);
        account->lifetime_class = (uint8_t) class;
    }
    if (calls > UINT16_MAX)
        sum_add_short(&ledger->histograms[index].lifetimes[class], calls);
    else
        account->lifetime_run = (uint16_t)(account->lifetime_run + calls);
}

static inline void account_alloc(struct account *account, uint64_t size, uint64_t slack,
                                 uint64_t calls)
{
    account->bytes += size;
    account->slack += slack;
    sum_add_short(&account->calls, calls);
}

static inline void account_free(struct account *account, uint64_t size, uint64_t slack,
                                uint64_t calls)
{
    account->freed += size;
    account->slack_freed += slack;
    sum_add_short(&account->frees, calls);
}

static inline void account_unfree(struct account *account, uint64_t size, uint64_t slack,
                                  uint64_t calls)
{
    account->freed -= size;
    account->slack_freed -= slack;
    sum_add_short(&account->frees, -calls);
}

_Static_assert(sizeof(struct account) == 128, "two lines");
