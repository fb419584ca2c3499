/* SPDX-License-Identifier: Apache-2.0 */
#include "report/plot/plot_sites.h"

#include <string.h>

#include "report/plot/plot_columns.h"

static bool is_left_out(const struct site_maker *maker, stack_id stack)
{
    return maker->is_kept && (stack > maker->sites.stack_count || !maker->is_kept[stack]);
}

static void note_change(struct site_maker *maker, uint32_t site, int64_t change)
{
    while (maker->changes.count <= site)
        if (!vec_push(&maker->changes, 0)) {
            maker->failed = true;
            return;
        }
    int64_t *sum = &maker->changes.items[site];
    if (*sum == 0 && !vec_push(&maker->changed, site))
        maker->failed = true;
    *sum += change;
}

/* The notes of the slot at hand, behind those there are. */
static void close_slot(struct site_maker *maker, uint64_t end_ns)
{
    vec_each (site, &maker->changed) {
        int64_t *change = &maker->changes.items[*site];
        if (*change && !vec_push(&maker->notes, (struct site_note){*site, *change}))
            maker->failed = true;
        *change = 0;
    }
    maker->changed.count = 0;
    if (!vec_push(&maker->slots, (struct site_slot){end_ns, maker->notes.count}))
        maker->failed = true;
}

/* Each two slots become one, but for the first; an odd one goes on as the slot at hand. */
static void halve_slots(struct site_maker *maker)
{
    size_t const slots = maker->slots.count;
    size_t at = maker->slots.items[0].notes_end;
    maker->slots.count = 1;
    maker->notes.count = at;
    for (size_t i = 1; i < slots; i++) {
        struct site_slot const slot = maker->slots.items[i];
        for (; at < slot.notes_end; at++)
            note_change(maker, maker->notes.items[at].site, maker->notes.items[at].change);
        if (i % 2 == 0)
            close_slot(maker, slot.end_ns);
    }
}

/* The area under a site's curve is the sum of its changes, each times what is left. */
static double time_left(const struct site_maker *maker, const struct bucket *bucket)
{
    uint64_t const since = bucket->end_ns > maker->from_ns ? bucket->end_ns : maker->from_ns;
    if (maker->data->is_rate)
        return bucket->end_ns > maker->from_ns ? 1 : 0;
    return maker->to_ns > since ? (double)(maker->to_ns - since) : 0;
}

static void add_cells(struct site_maker *maker, const struct bucket *bucket)
{
    double const left = time_left(maker, bucket);
    for (size_t i = 0; i < bucket->cell_count; i++) {
        const struct cell *cell = &bucket->cells[i];
        int64_t const change =
            is_left_out(maker, cell->key) ? 0 : plot_change(maker->data->metric, cell);
        struct site_entry *site = change ? site_table_find(&maker->sites, cell->key) : NULL;
        if (!site)
            continue;
        site->area += (double)change * (left + 1); /* so that what came last is above nothing */
        note_change(maker, (uint32_t)(site - maker->sites.sites.items), change);
    }
}

/* Whether another column has begun. */
static bool enter_column(struct site_maker *maker, const struct bucket *bucket)
{
    size_t const before = maker->column;
    while (maker->column + 1 < maker->data->columns.count &&
           maker->data->columns.items[maker->column].end_ns < bucket->end_ns)
        maker->column++;
    return maker->column != before;
}

void site_maker_add(void *into, const struct bucket *bucket)
{
    struct site_maker *maker = into;
    bool const is_before = bucket->end_ns <= maker->from_ns && maker->from_ns > 0;
    if (is_before && maker->data->is_rate)
        return;
    if (!is_before && maker->slots.count == 0) {
        maker->begin_ns = bucket->begin_ns;
        close_slot(maker, bucket->begin_ns); /* what the range begins with */
        enter_column(maker, bucket);
    } else if (!is_before && enter_column(maker, bucket)) {
        close_slot(maker, maker->end_ns);
        if (maker->notes.count > maker->notes_most && maker->slots.count > 2)
            halve_slots(maker);
    }
    add_cells(maker, bucket);
    maker->end_ns = bucket->end_ns;
}

static void choose(struct site_maker *maker, unsigned top)
{
    uint32_t biggest[PLOT_SITES_MAX];
    unsigned const wanted = top < PLOT_SITES_MAX ? top : PLOT_SITES_MAX;
    struct plot_data *data = maker->data;
    data->site_count = site_table_rank(&maker->sites, wanted, biggest);
    for (unsigned i = 0; i < data->site_count; i++) {
        const struct site_entry *site = &maker->sites.sites.items[biggest[i]];
        data->sites[i] = (struct plot_site){site->function, site->area};
    }
}

static unsigned place_of(const struct site_maker *maker, const struct site_entry *site)
{
    return site && site->place != SITE_OTHER ? site->place : maker->data->site_count;
}

static void put_instant(struct site_maker *maker, const int64_t *levels, uint64_t begin_ns,
                        uint64_t end_ns)
{
    struct plot_instant instant = {.time_ns = end_ns};
    memcpy(instant.values, levels, sizeof(instant.values));
    double const seconds = (double)(end_ns - begin_ns) / 1e9;
    for (size_t i = 0; maker->data->is_rate && seconds > 0 && i <= PLOT_SITES_MAX; i++)
        instant.values[i] = (int64_t)((double)instant.values[i] / seconds);
    maker->failed |= !vec_push(&maker->data->instants, instant);
}

static void make_instants(struct site_maker *maker)
{
    int64_t levels[PLOT_SITES_MAX + 1] = {0};
    uint64_t begin_ns = maker->begin_ns;
    size_t at = 0;
    vec_each (slot, &maker->slots) {
        for (; at < slot->notes_end; at++) {
            const struct site_note *note = &maker->notes.items[at];
            levels[place_of(maker, &maker->sites.sites.items[note->site])] += note->change;
        }
        put_instant(maker, levels, begin_ns, slot->end_ns);
        begin_ns = slot->end_ns;
        if (maker->data->is_rate)
            memset(levels, 0, sizeof(levels));
    }
}

static bool insert_instant(struct plot_data *data, const struct plot_instant *instant)
{
    if (!vec_push(&data->instants, *instant))
        return false;
    size_t at = data->instants.count - 1;
    for (; at > 0 && data->instants.items[at - 1].time_ns > instant->time_ns; at--)
        data->instants.items[at] = data->instants.items[at - 1];
    data->instants.items[at] = *instant;
    return true;
}

void site_maker_add_pins(struct site_maker *maker, const struct recording *recording)
{
    struct plot_data *data = maker->data;
    if (data->is_rate || data->columns.count == 0)
        return;
    vec_each (pin, &recording->pins) {
        struct plot_instant instant = {.time_ns = pin->time_ns};
        bool has_metric = false;
        if (pin->time_ns <= data->range.from_ns || pin->time_ns >= data->range.to_ns)
            continue;
        for (size_t i = 0; i < pin->cell_count; i++) {
            const struct cell *cell = &pin->cells[i];
            if (cell->column != data->metric->plus || is_left_out(maker, cell->key))
                continue;
            has_metric = true;
            instant.values[place_of(maker, site_table_find(&maker->sites, cell->key))] +=
                cell->value;
        }
        if (has_metric && !insert_instant(data, &instant))
            maker->failed = true;
    }
}

void site_maker_finish(struct site_maker *maker, unsigned top)
{
    if (maker->slots.count)
        close_slot(maker, maker->end_ns);
    choose(maker, top);
    if (!maker->failed)
        make_instants(maker);
}

void site_maker_fini(struct site_maker *maker)
{
    site_table_fini(&maker->sites);
    vec_free(&maker->changes);
    vec_free(&maker->changed);
    vec_free(&maker->notes);
    vec_free(&maker->slots);
    free(maker->is_kept);
}
