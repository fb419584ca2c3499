/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/content/site_list.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/utf8.h"

void site_list_init(struct site_list *list, size_t largest)
{
    *list = (struct site_list){.largest = largest};
}

static void forget_table(struct site_list *list)
{
    site_table_fini(&list->table);
    list->table = (struct site_table){0};
}

void site_list_fini(struct site_list *list)
{
    forget_table(list);
    vec_free(&list->sites);
    number_map_fini(&list->by_key);
}

/* Names are found late: with every new one the sites of all stacks are asked for again. */
static int prepare_table(struct site_list *list, struct recording *recording)
{
    if (list->table.recording == recording && list->locations == recording->locations.count &&
        !list->table.failed)
        return site_table_extend(&list->table);
    forget_table(list);
    list->locations = recording->locations.count;
    return site_table_init(&list->table, recording);
}

/* Into `room` bytes; what is cut ends in a number made of the whole, so that two long names stay
 * two. */
static void copy_name(const char *text, char *name, size_t room)
{
    size_t const size = strlen(text), tail = 10;
    size_t kept = 0;
    if (size < room) {
        memcpy(name, text, size + 1);
        return;
    }
    for (size_t length; kept < room - tail - 1; kept += length ? length : 1) {
        length = utf8_length(text + kept, size - kept);
        if (kept + length > room - tail - 1)
            break;
    }
    memcpy(name, text, kept);
    snprintf(name + kept, room - kept, "~%08" PRIx32, (uint32_t)hash_bytes(text, size));
}

static struct site name_site(const struct recording *recording, string_id name)
{
    struct site site = {0};
    const char *function = recording_text(recording, name);
    if (strncmp(function, "0x", 2) == 0)
        function = "[code in no file]"; /* made at run time: an address says nothing later */
    copy_name(function, site.function, sizeof(site.function));
    site.key = hash_bytes(site.function, strlen(site.function));
    site.key += site.key == 0;
    return site;
}

static struct site *find_site(struct site_list *list, uint64_t key)
{
    uint32_t const at = number_map_get(&list->by_key, key);
    return at && at <= list->sites.count ? &list->sites.items[at - 1] : NULL;
}

/* The place of a new one: behind the others, or of the one that was least lately among the
 * largest. */
static struct site *make_place(struct site_list *list)
{
    struct site *oldest = NULL;
    if (list->sites.count < SITE_ROOM_FACTOR * list->largest) {
        if (!vec_push(&list->sites, (struct site){0})) /* NOLINT: items with room are never NULL */
            return NULL;
        return &list->sites.items[list->sites.count - 1];
    }
    vec_each (site, &list->sites)
        if (!oldest || site->last_turn < oldest->last_turn)
            oldest = site;
    if (oldest)
        number_map_remove(&list->by_key, oldest->key);
    return oldest;
}

static struct site *add_site(struct site_list *list, struct site site)
{
    struct site *place = make_place(list);
    if (!place)
        return NULL;
    *place = site;
    uint32_t *index = number_map_at(&list->by_key, site.key);
    if (!index) {
        place->key = 0;
        return NULL;
    }
    *index = (uint32_t)(place - list->sites.items) + 1;
    return place;
}

static void add(int64_t *sum, int64_t value)
{
    *sum = (int64_t)((uint64_t)*sum + (uint64_t)value);
}

static void add_sums(struct site_sums *to, const struct site_sums *from)
{
    add(&to->live_bytes, from->live_bytes);
    add(&to->live_blocks, from->live_blocks);
    add(&to->allocated_bytes, from->allocated_bytes);
    add(&to->allocations, from->allocations);
}

/* What all sites have, by their number in the table. */
struct all_sums {
    VEC(struct site_sums) items;
};

static struct site_sums *sums_of(struct site_list *list, struct all_sums *all, stack_id stack)
{
    const struct site_entry *entry = site_table_find(&list->table, stack);
    if (!entry)
        return NULL;
    size_t const at = (size_t)(entry - list->table.sites.items);
    while (all->items.count <= at)
        if (!vec_push(&all->items, (struct site_sums){0}))
            return NULL;
    return &all->items.items[at];
}

static int sum_up(struct site_list *list, const struct running *running, bool is_live,
                  struct all_sums *all)
{
    struct running_rows rows;
    int err =
        running_weigh(running, metric_find(is_live ? "heap.live" : "heap.allocated"), NULL, &rows);
    if (err)
        return err;
    if (is_live)
        list->other = (struct site_sums){.live_bytes = rows.value, .live_blocks = rows.count};
    for (size_t i = 0; i < rows.rows.count && !err; i++) {
        const struct running_row *row = &rows.rows.items[i];
        struct site_sums *sums = sums_of(list, all, row->stack);
        if (!sums) {
            err = -ENOMEM;
            break;
        }
        add(is_live ? &sums->live_bytes : &sums->allocated_bytes, row->value);
        add(is_live ? &sums->live_blocks : &sums->allocations, row->count);
    }
    running_rows_fini(&rows);
    return err;
}

static int compare_falling(const void *left, const void *right, void *all)
{
    const struct site_sums *sums = ((const struct all_sums *)all)->items.items;
    uint32_t const a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    if (sums[a].live_bytes != sums[b].live_bytes)
        return sums[a].live_bytes > sums[b].live_bytes ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* Largest first, so that what is taken in is; then the others find out whether they are in the
 * list. */
static int give_numbers(struct site_list *list, struct all_sums *all)
{
    size_t const count = all->items.count;
    uint32_t *order = calloc(count + 1, sizeof(*order));
    int err = order ? 0 : -ENOMEM;
    for (uint32_t i = 0; i < count && !err; i++)
        order[i] = i;
    if (!err)
        qsort_r(order, count, sizeof(*order), compare_falling, all);
    for (size_t i = 0; i < count && !err; i++) {
        const struct site_sums *sums = &all->items.items[order[i]];
        struct site const named =
            name_site(list->table.recording, list->table.sites.items[order[i]].function);
        struct site *site = find_site(list, named.key);
        bool const is_large = i < list->largest && sums->live_bytes > 0;
        if (!site && is_large && !(site = add_site(list, named)))
            err = -ENOMEM;
        if (!site)
            continue;
        if (is_large)
            site->last_turn = list->turn;
        add_sums(&site->sums, sums);
        add(&list->other.live_bytes, -sums->live_bytes);
        add(&list->other.live_blocks, -sums->live_blocks);
    }
    free(order);
    return err;
}

int site_list_update(struct site_list *list, struct recording *recording,
                     const struct running *running)
{
    struct all_sums all = {0};
    int err = prepare_table(list, recording);
    if (!err)
        err = sum_up(list, running, true, &all);
    if (!err)
        err = sum_up(list, running, false, &all);
    if (!err) {
        vec_each (site, &list->sites)
            site->sums = (struct site_sums){0};
        list->turn++;
        err = give_numbers(list, &all);
    }
    vec_free(&all.items);
    return err;
}
