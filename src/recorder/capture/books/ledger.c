/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/books/ledger.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cold.h"
#include "base/invariant.h"

#define FIRST_ROOM 64u

void ledger_fini(struct ledger *ledger)
{
    free(ledger->accounts);
    free(ledger->histograms);
    free(ledger->spreads);
    vec_free(&ledger->touched);
}

/* A larger array of lines, with the old one in it.  The old one is still there on failure. */
static int grow_lines(void *items, uint32_t old, uint32_t room, size_t size)
{
    INVARIANT(old < room && room * size % 64 == 0);
    void **array = items;
    char *grown = aligned_alloc(64, room * size);
    if (!grown)
        return -ENOMEM;
    if (old)
        memcpy(grown, *array, old * size);
    memset(grown + old * size, 0, (room - old) * size);
    free(*array);
    *array = grown;
    return 0;
}

int ledger_grow(struct ledger *ledger, uint32_t count)
{
    INVARIANT(count > ledger->count);
    uint32_t room = ledger->count ? ledger->count : FIRST_ROOM, old = ledger->count;
    while (room < count)
        room *= 2;
    /* Touching must not fail in the middle of an event, so the list has room for all. */
    if (!vec_reserve(&ledger->touched, room - ledger->touched.count) ||
        grow_lines(&ledger->accounts, old, room, sizeof(struct account)) < 0 ||
        grow_lines(&ledger->histograms, old, room, sizeof(struct ledger_classes)) < 0 ||
        (ledger->is_sampled && grow_lines(&ledger->spreads, old, room, sizeof(struct spread)) < 0))
        return -ENOMEM;
    ledger->count = room;
    INVARIANT(ledger->touched.room >= ledger->count);
    return 0;
}

int ledger_spread(struct ledger *ledger)
{
    ledger->is_sampled = true;
    return ledger->spreads || ledger->count == 0
               ? 0
               : grow_lines(&ledger->spreads, 0, ledger->count, sizeof(struct spread));
}

void ledger_note_change(struct ledger *ledger, uint32_t index, uint64_t epoch)
{
    struct account *account = &ledger->accounts[index];
    INVARIANT(account->epoch <= epoch); /* peaks are counted up */
    if (account->epoch != epoch) {
        account->peak = account_level(account);
        if (unlikely(ledger->spreads))
            ledger->spreads[index].peak = spread_level(&ledger->spreads[index]);
        account->epoch = epoch;
    }
    if (!account->touched) {
        account->touched = 1;
        INVARIANT(ledger->touched.count < ledger->count);
        ledger->touched.items[ledger->touched.count++] = index;
    }
}

void ledger_flush_run(struct ledger *ledger, uint32_t index)
{
    INVARIANT(index < ledger->count);
    struct account *account = &ledger->accounts[index];
    struct ledger_classes *histogram = &ledger->histograms[index];
    histogram->sizes[account->size_class] += account->size_run;
    histogram->lifetimes[account->lifetime_class] += account->lifetime_run;
    account->size_run = account->lifetime_run = 0;
}

static void put_cell(struct ledger_cells *list, uint32_t key, unsigned column, int64_t value)
{
    INVARIANT(column > COL_NONE && column < COLUMN_LIMIT);
    if (value != 0 && !vec_push(&list->cells, (struct cell){key, (uint16_t)column, value}))
        list->failed = true;
}

static void add_cell(struct ledger_cells *list, uint32_t key, enum column column, int64_t value)
{
    INVARIANT(column >= COL_HEAP_CALLS && column <= COL_HEAP_SLACK_FREED);
    put_cell(list, key, list->of_pools ? column - COL_HEAP_CALLS + COL_POOL_CALLS : column, value);
}

static void close_account(struct account *account, uint32_t key, struct ledger_cells *list)
{
    INVARIANT(account->touched);
    add_cell(list, key, COL_HEAP_CALLS, account->calls);
    add_cell(list, key, COL_HEAP_BYTES, (int64_t)(account->bytes - account->told_bytes));
    add_cell(list, key, COL_HEAP_FREES, account->frees);
    add_cell(list, key, COL_HEAP_FREED, (int64_t)(account->freed - account->told_freed));
    add_cell(list, key, COL_HEAP_TEMPORARY, account->temporary);
    add_cell(list, key, COL_HEAP_SLACK, (int64_t)(account->slack - account->told_slack));
    add_cell(list, key, COL_HEAP_SLACK_FREED,
             (int64_t)(account->slack_freed - account->told_slack_freed));
    account->told_bytes = account->bytes;
    account->told_freed = account->freed;
    account->told_slack = account->slack;
    account->told_slack_freed = account->slack_freed;
    account->count += (int64_t)account->calls - account->frees;
    account->calls = account->frees = account->temporary = 0;
    account->touched = 0;
}

static bool is_told(const struct account *account)
{
    return !account->touched && account->calls == 0 && account->frees == 0 &&
           account->temporary == 0 && account->told_bytes == account->bytes &&
           account->told_freed == account->freed && account->told_slack == account->slack &&
           account->told_slack_freed == account->slack_freed;
}

bool ledger_is_told(const struct ledger *ledger)
{
    bool told = ledger->touched.count == 0;
    for (uint32_t i = 0; i < ledger->count; i++)
        told = told && is_told(&ledger->accounts[i]);
    return told;
}

struct level ledger_sum(const struct ledger *ledger)
{
    struct level sum = {0};
    for (uint32_t i = 0; i < ledger->count; i++) {
        struct level const level = account_level(&ledger->accounts[i]);
        sum_add(&sum.bytes, (uint64_t)level.bytes);
        sum_add(&sum.count, (uint64_t)level.count);
        sum_add(&sum.slack, (uint64_t)level.slack);
    }
    return sum;
}

static void close_spread(struct spread *spread, uint32_t key, struct ledger_cells *list)
{
    put_cell(list, key, COL_HEAP_SPREAD, (int64_t)(spread->made - spread->told_made));
    put_cell(list, key, COL_HEAP_SPREAD_FREED, (int64_t)(spread->gone - spread->told_gone));
    spread->told_made = spread->made;
    spread->told_gone = spread->gone;
}

void ledger_close_bucket(struct ledger *ledger, struct ledger_cells *list)
{
    vec_each (index, &ledger->touched) {
        close_account(&ledger->accounts[*index], *index, list);
        if (ledger->spreads)
            close_spread(&ledger->spreads[*index], *index, list);
    }
    ledger->touched.count = 0;
    INVARIANT(ledger_is_told(ledger));
}

void ledger_close_histograms(struct ledger *ledger, struct ledger_cells *list)
{
    unsigned sizes = list->of_pools ? COL_POOL_SIZE_0 : COL_SIZE_0;
    unsigned lifetimes = list->of_pools ? COL_POOL_LIFETIME_0 : COL_LIFETIME_0;
    for (uint32_t key = 0; key < ledger->count; key++) {
        struct ledger_classes *histogram = &ledger->histograms[key];
        ledger_flush_run(ledger, key);
        for (unsigned k = 0; k < SIZE_CLASSES; k++)
            put_cell(list, key, sizes + k, histogram->sizes[k]);
        for (unsigned k = 0; k < LIFETIME_CLASSES; k++)
            put_cell(list, key, lifetimes + k, histogram->lifetimes[k]);
    }
    if (ledger->histograms)
        memset(ledger->histograms, 0, ledger->count * sizeof(struct ledger_classes));
}

void ledger_pin(const struct ledger *ledger, bool at_peak, uint64_t epoch,
                struct ledger_cells *list)
{
    for (uint32_t key = 0; key < ledger->count; key++) {
        const struct account *account = &ledger->accounts[key];
        INVARIANT(account->epoch <= epoch);
        bool saved = at_peak && account->epoch == epoch;
        struct level level = saved ? account->peak : account_level(account);
        add_cell(list, key, COL_HEAP_BYTES, level.bytes);
        add_cell(list, key, COL_HEAP_CALLS, level.count);
        add_cell(list, key, COL_HEAP_SLACK, level.slack);
        if (ledger->spreads)
            put_cell(list, key, COL_HEAP_SPREAD,
                     saved ? ledger->spreads[key].peak : spread_level(&ledger->spreads[key]));
    }
}
