/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/top_sites.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/site_table.h"

#define STACKS_SEEN 2048u

static int compare_cells(const void *left, const void *right)
{
    const struct cell *a = left, *b = right;
    return a->value > b->value ? -1 : a->value < b->value;
}

/* Leaves the live bytes alone, largest first.  How many. */
static size_t keep_live(struct pin *pin)
{
    size_t kept = 0;
    for (size_t i = 0; i < pin->cell_count; i++)
        if (pin->cells[i].column == COL_HEAP_BYTES && pin->cells[i].value > 0)
            pin->cells[kept++] = pin->cells[i];
    if (kept > 0)
        qsort(pin->cells, kept, sizeof(*pin->cells), compare_cells);
    return kept < STACKS_SEEN ? kept : STACKS_SEEN;
}

int top_sites_make(const struct watch_view *view, unsigned max, struct top_sites *top)
{
    struct pin pin;
    struct site_table table;
    *top = (struct top_sites){0};
    int err = watch_view_cells(view, &pin);
    if (err)
        return err;
    err = site_table_init(&table, view->recording);
    size_t const count = keep_live(&pin);
    for (size_t i = 0; i < count && !err; i++) {
        struct site_entry *site = site_table_find(&table, pin.cells[i].key);
        if (site)
            site->area += (double)pin.cells[i].value;
        err = table.failed ? -ENOMEM : 0;
    }
    uint32_t *biggest = err ? NULL : calloc(max + 1u, sizeof(*biggest));
    unsigned const found = biggest ? site_table_rank(&table, max, biggest) : 0;
    for (unsigned i = 0; i < found; i++) {
        const struct site_entry *site = &table.sites.items[biggest[i]];
        struct top_site const row = {site->function, (int64_t)site->area};
        (void)vec_push(&top->sites, row);
    }
    free(biggest);
    site_table_fini(&table);
    free(pin.cells);
    free(pin.thread_cells);
    return err;
}

void top_sites_fini(struct top_sites *top)
{
    vec_free(&top->sites);
}
