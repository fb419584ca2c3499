/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/growth/growth_sites.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/sums/bucket_walk.h"
#include "analyze/sites/site_table.h"
#include "analyze/growth/trend.h"

#define SLOTS       GROWTH_SITE_SLOTS
#define LEAST_SHARE 0.02 /* of the heap's slope: smaller ones explain nothing */
#define ENOUGH      0.95 /* of it explained: the rest is not listed */

/* The live bytes of one function against the beginning of the stretch: now, and the least in
 * each slot of time. */
struct growth_account {
    double live;
    double floors[SLOTS];
};

struct growth_ledger {
    struct site_table sites;
    VEC(struct growth_account) accounts; /* by site */
    uint64_t from_ns, to_ns;
    size_t slot;
    bool failed;
};

static size_t slot_of(const struct growth_ledger *ledger, uint64_t time_ns)
{
    double const share =
        (double)(time_ns - ledger->from_ns) / (double)(ledger->to_ns - ledger->from_ns);
    size_t const slot = (size_t)(share * SLOTS);
    return slot < SLOTS ? slot : SLOTS - 1;
}

/* The account of a site; one that is new had nothing before. */
static struct growth_account *account_of(struct growth_ledger *ledger, stack_id stack)
{
    struct site_entry *site = site_table_find(&ledger->sites, stack);
    if (!site)
        return NULL;
    size_t const index = (size_t)(site - ledger->sites.sites.items);
    while (ledger->accounts.count <= index)
        if (!vec_push(&ledger->accounts, (struct growth_account){.live = 0}))
            return NULL;
    return &ledger->accounts.items[index];
}

static void close_slot(struct growth_ledger *ledger, size_t slot)
{
    vec_each (account, &ledger->accounts) {
        for (size_t i = ledger->slot + 1; i <= slot; i++)
            account->floors[i] = account->live;
        if (account->live < account->floors[slot])
            account->floors[slot] = account->live;
    }
    ledger->slot = slot;
}

static void add_bucket(void *into, const struct bucket *bucket)
{
    struct growth_ledger *ledger = into;
    if (bucket->begin_ns < ledger->from_ns)
        return;
    for (size_t i = 0; i < bucket->cell_count && !ledger->failed; i++) {
        const struct cell *cell = &bucket->cells[i];
        if (cell->column != COL_HEAP_BYTES && cell->column != COL_HEAP_FREED)
            continue;
        struct growth_account *account = account_of(ledger, cell->key);
        if (account)
            account->live +=
                cell->column == COL_HEAP_BYTES ? (double)cell->value : -(double)cell->value;
        ledger->failed |= !account;
    }
    close_slot(ledger,
               slot_of(ledger, bucket->end_ns > ledger->to_ns ? ledger->to_ns : bucket->end_ns));
}

static double slope_of(const struct growth_ledger *ledger, const struct growth_account *account)
{
    struct trend_series series = {.count = SLOTS};
    double const width = (double)(ledger->to_ns - ledger->from_ns) / 1e9 / SLOTS;
    for (size_t i = 0; i < SLOTS; i++) {
        series.times[i] = ((double)i + 0.5) * width;
        series.values[i] = account->floors[i];
    }
    return trend_slope(&series, 0, SLOTS);
}

/* Puts the site where it belongs among the largest. */
static void insert(struct recording_growth *growth, struct growth_site site)
{
    unsigned at = growth->site_count;
    while (at > 0 && growth->sites[at - 1].slope < site.slope)
        at--;
    if (at == GROWTH_SITES_MAX)
        return;
    growth->site_count += growth->site_count < GROWTH_SITES_MAX;
    for (unsigned i = growth->site_count - 1; i > at; i--)
        growth->sites[i] = growth->sites[i - 1];
    growth->sites[at] = site;
}

static void rank(const struct growth_ledger *ledger, struct recording_growth *growth)
{
    for (size_t i = 0; i < ledger->accounts.count; i++) {
        const struct growth_account *account = &ledger->accounts.items[i];
        struct growth_site site = {.function = ledger->sites.sites.items[i].function,
                                   .stack = STACK_EMPTY,
                                   .slope = slope_of(ledger, account)};
        site.share = site.slope / growth->heap.slope;
        memcpy(site.floors, account->floors, sizeof(site.floors));
        if (site.share >= LEAST_SHARE)
            insert(growth, site);
    }
    unsigned kept = 0;
    while (kept < growth->site_count && growth->explained_share < ENOUGH)
        growth->explained_share += growth->sites[kept++].share;
    growth->site_count = kept;
}

/* Gives each site the stack that has grown most under its name. */
static int choose_stacks(struct growth_ledger *ledger, struct recording_growth *growth,
                         struct fault *fault)
{
    struct weights weights = {0};
    /* The very end is left out: a program that tidies up before it exits has freed it all by
     * then. */
    uint64_t const span = ledger->to_ns - ledger->from_ns;
    struct time_range const range = {ledger->from_ns, ledger->to_ns - span / SLOTS};
    int64_t most[GROWTH_SITES_MAX] = {0};
    int const err =
        weigh_stacks(ledger->sites.recording, metric_find("heap.live"), range, &weights, fault);
    for (size_t i = 0; i < weights.rows.count && !err; i++) {
        const struct weight *row = &weights.rows.items[i];
        const struct site_entry *entry = site_table_find(&ledger->sites, row->key);
        for (unsigned s = 0; entry && s < growth->site_count; s++) {
            if (growth->sites[s].function != entry->function || row->value <= most[s])
                continue;
            most[s] = row->value;
            growth->sites[s].stack = row->key;
        }
    }
    weights_fini(&weights);
    return err;
}

int growth_sites_find(struct recording *recording, struct recording_growth *growth,
                      struct fault *fault)
{
    struct growth_ledger ledger = {.from_ns = growth->heap.from_ns, .to_ns = growth->heap.to_ns};
    struct time_range range = {ledger.from_ns, ledger.to_ns};
    if (ledger.to_ns <= ledger.from_ns)
        return 0;
    int err = site_table_init(&ledger.sites, recording);
    if (!err)
        err = bucket_walk(recording, &range, (struct bucket_visitor){add_bucket, &ledger}, fault);
    if (!err && ledger.failed)
        err = -ENOMEM;
    if (!err) {
        rank(&ledger, growth);
        err = choose_stacks(&ledger, growth, fault);
    }
    vec_free(&ledger.accounts);
    site_table_fini(&ledger.sites);
    return err;
}
