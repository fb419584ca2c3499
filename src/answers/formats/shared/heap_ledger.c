/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/shared/heap_ledger.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ACCOUNT_COLUMNS 5

void heap_ledger_fini(struct heap_ledger *ledger)
{
    vec_free(&ledger->accounts);
    vec_free(&ledger->sites);
    vec_free(&ledger->site_of_stack);
    vec_free(&ledger->touched);
}

static int add_site(struct heap_ledger *ledger, stack_id stack)
{
    size_t const more = ledger->sites.count + 1 - ledger->touched.count;
    if (!vec_reserve(&ledger->touched, more) || !vec_reserve(&ledger->accounts, 1) ||
        !vec_push(&ledger->sites, (struct heap_site){.stack = stack}))
        return -ENOMEM;
    ledger->accounts.items[ledger->accounts.count++] =
        (struct heap_account){.saved_epoch = ledger->epoch};
    return 0;
}

int heap_ledger_site(struct heap_ledger *ledger, stack_id stack, uint32_t *site)
{
    size_t const known = ledger->site_of_stack.count;
    if (stack >= known) {
        size_t const more = (size_t)stack + 1 - known;
        if (!vec_reserve(&ledger->site_of_stack, more))
            return -ENOMEM;
        memset(ledger->site_of_stack.items + known, 0, more * sizeof(uint32_t));
        ledger->site_of_stack.count += more;
    }
    uint32_t *number = &ledger->site_of_stack.items[stack];
    if (*number == 0) {
        if (add_site(ledger, stack) < 0)
            return -ENOMEM;
        *number = (uint32_t)ledger->sites.count;
    }
    *site = *number - 1;
    return 0;
}

struct cell_writer {
    struct cell *next;
    stack_id stack;
};

static void put(struct cell_writer *writer, unsigned column, uint64_t value)
{
    if (value)
        *writer->next++ = (struct cell){writer->stack, (uint16_t)column, (int64_t)value};
}

/* Gives back what a list does not need.  NULL when it is empty. */
static struct cell *trim_cells(struct cell *cells, size_t count)
{
    if (count == 0) {
        free(cells);
        return NULL;
    }
    struct cell *trimmed = realloc(cells, count * sizeof(*cells));
    return trimmed ? trimmed : cells;
}

static void drain_account(struct heap_account *account, struct heap_site *site,
                          struct cell_writer *writer)
{
    const struct heap_sums_so_far *now = &account->now, *then = &site->closed;
    writer->stack = site->stack;
    put(writer, COL_HEAP_CALLS, now->calls - then->calls);
    put(writer, COL_HEAP_BYTES, now->bytes - then->bytes);
    put(writer, COL_HEAP_FREES, now->frees - then->frees);
    put(writer, COL_HEAP_FREED, now->freed - then->freed);
    put(writer, COL_HEAP_TEMPORARY, account->temporary - site->closed_temporary);
    site->closed = *now;
    site->closed_temporary = account->temporary;
    account->touched = false;
}

static size_t count_sizes(const struct heap_ledger *ledger)
{
    size_t count = 0;
    vec_each (site, &ledger->sites)
        for (unsigned k = 0; k < SIZE_CLASSES; k++)
            count += site->sizes[k] != 0;
    return count;
}

static void drain_sizes(struct heap_ledger *ledger, struct cell_writer *writer)
{
    vec_each (site, &ledger->sites) {
        writer->stack = site->stack;
        for (unsigned k = 0; k < SIZE_CLASSES; k++)
            put(writer, COL_SIZE_0 + k, site->sizes[k]);
        memset(site->sizes, 0, sizeof(site->sizes));
    }
}

int heap_ledger_close(struct heap_ledger *ledger, bool with_sizes, struct bucket *bucket)
{
    size_t room = ledger->touched.count * ACCOUNT_COLUMNS + (with_sizes ? count_sizes(ledger) : 0);
    struct cell *cells = malloc((room + 1) * sizeof(*cells));
    if (!cells)
        return -ENOMEM;
    struct cell_writer writer = {.next = cells};
    vec_each (site, &ledger->touched)
        drain_account(&ledger->accounts.items[*site], &ledger->sites.items[*site], &writer);
    ledger->touched.count = 0;
    if (with_sizes)
        drain_sizes(ledger, &writer);
    bucket->cell_count = (size_t)(writer.next - cells);
    bucket->cells = trim_cells(cells, bucket->cell_count);
    bucket->gauges.heap_live_end = ledger->live_bytes;
    bucket->gauges.heap_live_max = ledger->bucket_max;
    bucket->gauges.heap_live_min = ledger->bucket_min;
    ledger->bucket_max = ledger->bucket_min = ledger->live_bytes;
    return 0;
}

struct totals heap_ledger_totals(const struct heap_ledger *ledger)
{
    struct totals totals = {.peak_bytes = (uint64_t)ledger->peak_bytes,
                            .peak_count = (uint64_t)ledger->peak_count,
                            .peak_time_ns = ledger->peak_time_ns};
    vec_each (account, &ledger->accounts) {
        totals.calls += account->now.calls;
        totals.bytes += account->now.bytes;
        totals.frees += account->now.frees;
        totals.freed_bytes += account->now.freed;
        totals.temporary += account->temporary;
    }
    return totals;
}

int heap_ledger_pin_peak(const struct heap_ledger *ledger, struct pin *pin)
{
    struct cell *cells = malloc((2 * ledger->accounts.count + 1) * sizeof(*cells));
    if (!cells)
        return -ENOMEM;
    struct cell_writer writer = {.next = cells};
    for (size_t site = 0; site < ledger->accounts.count; site++) {
        const struct heap_account *account = &ledger->accounts.items[site];
        bool saved = account->saved_epoch == ledger->epoch;
        writer.stack = ledger->sites.items[site].stack;
        const struct heap_sums_so_far *now = &account->now;
        put(&writer, COL_HEAP_BYTES, saved ? account->saved_bytes : now->bytes - now->freed);
        put(&writer, COL_HEAP_CALLS, saved ? account->saved_count : now->calls - now->frees);
    }
    *pin = (struct pin){.kind = PIN_PEAK, .time_ns = ledger->peak_time_ns};
    pin->cell_count = (size_t)(writer.next - cells);
    pin->cells = trim_cells(cells, pin->cell_count);
    return 0;
}
