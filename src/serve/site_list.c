/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/site_list.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyze/live_rank.h"
#include "base/hash.h"
#include "base/utf8.h"

void site_list_init(struct site_list *list, size_t largest)
{
    *list = (struct site_list){.largest = largest};
}

void site_list_fini(struct site_list *list)
{
    vec_free(&list->sites);
    number_map_fini(&list->by_key);
}

/* Into `room` bytes; what is cut ends in a number made of the whole, so that two long names stay two. */
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

static struct site name_site(const struct recording *recording, const struct rank_row *row)
{
    struct site site = {0};
    const char *function = recording_text(recording, row->function);
    const char *module = recording_text(recording, row->module);
    const char *slash = strrchr(module, '/');
    if (!function[0])
        function = "[no stack]";
    else if (!module[0] && strncmp(function, "0x", 2) == 0)
        function = "[code in no file]"; /* made at run time: an address says nothing later */
    copy_name(function, site.function, sizeof(site.function));
    copy_name(slash ? slash + 1 : module, site.module, sizeof(site.module));
    site.key = hash_bytes(site.function, strlen(site.function)) ^
               hash_mix(hash_bytes(site.module, strlen(site.module)));
    site.key += site.key == 0;
    return site;
}

static struct site *find_site(struct site_list *list, uint64_t key)
{
    uint32_t const at = number_map_get(&list->by_key, key);
    return at ? &list->sites.items[at - 1] : NULL;
}

/* The place of a new one: behind the others, or of the one that was least lately among the largest. */
static struct site *make_place(struct site_list *list)
{
    struct site *oldest = list->sites.items;
    if (list->sites.count < SITE_ROOM_FACTOR * list->largest)
        return vec_push(&list->sites, (struct site){0}) ? &list->sites.items[list->sites.count - 1]
                                                        : NULL;
    vec_each (site, &list->sites)
        if (site->last_turn < oldest->last_turn)
            oldest = site;
    number_map_take(&list->by_key, oldest->key);
    return oldest;
}

static struct site *take_in(struct site_list *list, struct site site)
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

static int64_t add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t subtract(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

/* The rows come largest first. */
static int add_live(struct site_list *list, struct recording *recording,
                    const struct live_rank *live)
{
    for (size_t i = 0; i < live->rows.count; i++) {
        const struct live_row *row = &live->rows.items[i];
        struct site const named = name_site(recording, row->site);
        struct site *site = find_site(list, named.key);
        if (!site && i < list->largest && !(site = take_in(list, named)))
            return -ENOMEM;
        if (!site)
            continue;
        if (i < list->largest)
            site->last_turn = list->turn;
        site->live_bytes = add(site->live_bytes, row->value);
        site->live_blocks = add(site->live_blocks, row->count);
        list->other_bytes = subtract(list->other_bytes, row->value);
        list->other_blocks = subtract(list->other_blocks, row->count);
    }
    return 0;
}

static void add_allocated(struct site_list *list, struct recording *recording,
                          const struct live_rank *allocated)
{
    vec_each (row, &allocated->rows) {
        struct site *site = find_site(list, name_site(recording, row->site).key);
        if (!site)
            continue;
        site->allocated_bytes = add(site->allocated_bytes, row->value);
        site->allocations = add(site->allocations, row->count);
    }
}

static int build_rank(struct recording *recording, const struct running *running,
                      const char *metric, struct live_rank *rank)
{
    struct live_question const question = {metric_find(metric), BY_FUNCTION, LIVE_BY_VALUE, NULL};
    return live_rank_build(recording, running, &question, rank);
}

int site_list_update(struct site_list *list, struct recording *recording,
                     const struct running *running)
{
    struct live_rank rank;
    int err = build_rank(recording, running, "heap.live", &rank);
    if (err)
        return err;
    vec_each (site, &list->sites)
        site->live_bytes = site->live_blocks = site->allocated_bytes = site->allocations = 0;
    list->turn++;
    list->other_bytes = rank.value;
    list->other_blocks = rank.count;
    err = add_live(list, recording, &rank);
    live_rank_fini(&rank);
    if (err || (err = build_rank(recording, running, "heap.allocated", &rank)))
        return err;
    add_allocated(list, recording, &rank);
    live_rank_fini(&rank);
    return 0;
}
