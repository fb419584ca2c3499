/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/alerts/top_sites.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/sites/site_table.h"

#define STACKS_SEEN 2048u

/* A stack: what it has live, and what that is more than it was. */
struct holding {
    stack_id stack;
    int64_t bytes, grown_bytes;
};
typedef VEC(struct holding) holding_list;

static int64_t magnitude(int64_t value)
{
    return value < 0 ? -value : value;
}

static int bytes_order(const void *left, const void *right)
{
    const struct holding *a = left, *b = right;
    return a->bytes > b->bytes ? -1 : a->bytes < b->bytes;
}

static int change_order(const void *left, const void *right)
{
    int64_t const a = magnitude(((const struct holding *)left)->grown_bytes);
    int64_t const b = magnitude(((const struct holding *)right)->grown_bytes);
    return a > b ? -1 : a < b;
}

/* Leaves the live bytes alone.  How many. */
static size_t keep_live(struct pin *pin)
{
    size_t kept = 0;
    for (size_t i = 0; i < pin->cell_count; i++)
        if (pin->cells[i].column == COL_HEAP_BYTES && pin->cells[i].value > 0)
            pin->cells[kept++] = pin->cells[i];
    return kept;
}

static int key_order(const void *left, const void *right)
{
    const struct cell *a = left, *b = right;
    return (a->key > b->key) - (a->key < b->key);
}

/* Stacks that had something then and have nothing now. */
static int add_gone(const struct live_picture *since, struct cell *cells, size_t count,
                    holding_list *list)
{
    if (count)
        qsort(cells, count, sizeof(*cells), key_order);
    for (size_t i = 0; i < since->count; i++) {
        const struct cell *then = &since->cells[i];
        if (count && bsearch(then, cells, count, sizeof(*cells), key_order))
            continue;
        if (!vec_push(list, (struct holding){then->key, 0, -then->value}))
            return -ENOMEM;
    }
    return 0;
}

static int collect(const struct watch_view *view, const struct live_picture *since,
                   holding_list *list)
{
    struct pin pin;
    int err = watch_view_cells(view, &pin);
    if (err)
        return err;
    size_t const count = keep_live(&pin);
    for (size_t i = 0; i < count && !err; i++) {
        const struct cell *cell = &pin.cells[i];
        struct holding const holding = {
            cell->key, cell->value, since ? cell->value - live_picture_value(since, cell->key) : 0};
        err = vec_push(list, holding) ? 0 : -ENOMEM;
    }
    if (!err && since)
        err = add_gone(since, pin.cells, count, list);
    if (!err && list->count)
        qsort(list->items, list->count, sizeof(list->items[0]), since ? change_order : bytes_order);
    free(pin.cells);
    free(pin.thread_cells);
    return err;
}

/* Sums by function: the area of a site is what it is ranked by, `live` what it has. */
static int add_up(const holding_list *list, bool is_change, struct site_table *table, double *live)
{
    for (size_t i = 0; i < list->count && i < STACKS_SEEN; i++) {
        const struct holding *holding = &list->items[i];
        struct site_entry *site = site_table_find(table, holding->stack);
        if (table->failed)
            return -ENOMEM;
        if (!site)
            continue;
        site->area += (double)(is_change ? holding->grown_bytes : holding->bytes);
        live[site - table->sites.items] += (double)holding->bytes;
    }
    return 0;
}

static int rank(const struct watch_view *view, const holding_list *list, bool is_change,
                unsigned max, struct top_sites *top)
{
    struct site_table table;
    double *live = calloc(STACKS_SEEN + 1u, sizeof(*live)); /* a stack has one site */
    uint32_t *biggest = calloc(max + 1u, sizeof(*biggest));
    int err = site_table_init(&table, view->recording);
    if (!err)
        err = live && biggest ? add_up(list, is_change, &table, live) : -ENOMEM;
    unsigned const found = err ? 0 : site_table_rank(&table, max, biggest);
    for (unsigned i = 0; i < found; i++) {
        const struct site_entry *site = &table.sites.items[biggest[i]];
        struct top_site const row = {site->function, (int64_t)live[biggest[i]],
                                     is_change ? (int64_t)site->area : 0};
        (void)vec_push(&top->sites, row);
    }
    free(biggest);
    free(live);
    site_table_fini(&table);
    return err;
}

int top_sites_make_grown(const struct watch_view *view, const struct live_picture *since,
                         unsigned max, struct top_sites *top)
{
    holding_list list = {0};
    *top = (struct top_sites){0};
    int err = collect(view, since, &list);
    if (!err)
        err = rank(view, &list, since != NULL, max, top);
    vec_free(&list);
    return err;
}

int top_sites_make(const struct watch_view *view, unsigned max, struct top_sites *top)
{
    return top_sites_make_grown(view, NULL, max, top);
}

void top_sites_remember(const struct watch_view *view, struct live_pictures *pictures)
{
    struct pin pin;
    if (!live_pictures_is_due(pictures, view->time_ns) || watch_view_cells(view, &pin) < 0)
        return;
    (void)live_pictures_add(pictures, view->time_ns, pin.cells, keep_live(&pin));
    free(pin.cells);
    free(pin.thread_cells);
}

void top_sites_fini(struct top_sites *top)
{
    vec_free(&top->sites);
}
