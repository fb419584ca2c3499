/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/content/site_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "sample_recording.h"

#define SEC UINT64_C(1000000000)

static struct sample sample;
static struct running *running;

static int begin(void **state)
{
    (void)state;
    sample = sample_create();
    running = running_create();
    return 0;
}

static int end(void **state)
{
    (void)state;
    running_destroy(running);
    sample_destroy(&sample);
    return 0;
}

static const struct site *find(const struct site_list *list, const char *function)
{
    vec_each (site, &list->sites)
        if (strcmp(site->function, function) == 0)
            return site;
    return NULL;
}

static void advance(struct site_list *list, uint64_t until_ns)
{
    CHECK(running_advance(running, sample.recording, until_ns, NULL) == 0);
    CHECK(site_list_update(list, sample.recording, running) == 0);
}

TEST(the_largest_have_numbers_and_the_sum_is_the_whole)
{
    struct site_list list;
    site_list_init(&list, 1);
    advance(&list, UINT64_MAX);
    const struct site *cache = find(&list, "cache_insert");
    CHECK(list.sites.count == 1 && cache);
    CHECK(cache->sums.live_bytes == 2 << 20 && cache->sums.live_blocks == 2);
    CHECK(cache->sums.allocated_bytes == 10 << 20 && cache->sums.allocations == 10);
    CHECK(list.other.live_bytes == (512 << 10) + 4000 + 100 && list.other.live_blocks == 3);
    site_list_fini(&list);
}

TEST(one_that_is_no_longer_large_stays)
{
    struct site_list list;
    site_list_init(&list, 2);
    advance(&list, 10 * SEC); /* CACHE and PLUGIN */
    CHECK(list.sites.count == 2 && !find(&list, "walk"));
    advance(&list, UINT64_MAX); /* TREE is second now */
    CHECK(list.sites.count == 3 && find(&list, "walk"));
    CHECK(list.other.live_bytes == 100 && list.other.live_blocks == 1);
    site_list_fini(&list);
}

/* Many functions that are the largest one after the other: the list must not grow with them. */
TEST(the_list_is_bounded)
{
    struct recording *recording = sample.recording;
    struct site_list list;
    site_list_init(&list, 1);
    advance(&list, UINT64_MAX);
    for (int i = 0; i < 50; i++) {
        char name[400];
        snprintf(name, sizeof(name), "big%d_%0300d", i, 0);
        struct location const location = {.function = recording_intern(recording, name)};
        struct frame const frame = {.module = MODULE_NONE,
                                    .first_location = (uint32_t)recording->locations.count,
                                    .location_count = 1};
        uint32_t const number = (uint32_t)recording->frames.count;
        stack_id stack;
        CHECK(vec_push(&recording->locations, location) && vec_push(&recording->frames, frame));
        CHECK(stack_table_push(recording->stacks, STACK_EMPTY, number, &stack) == 0);
        struct cell *cells = calloc(2, sizeof(*cells));
        cells[0] = (struct cell){stack, COL_HEAP_BYTES, (int64_t)(i + 1) << 30};
        cells[1] = (struct cell){stack, COL_HEAP_CALLS, 1};
        uint64_t const at = recording->buckets.items[recording->buckets.count - 1].end_ns;
        CHECK(vec_push(
            &recording->buckets,
            (struct bucket){.begin_ns = at, .end_ns = at + SEC, .cells = cells, .cell_count = 2}));
        advance(&list, UINT64_MAX);
    }
    CHECK(list.sites.count == SITE_ROOM_FACTOR);
    int64_t sum = list.other.live_bytes;
    vec_each (site, &list.sites) {
        sum += site->sums.live_bytes;
        CHECK(strlen(site->function) < SITE_NAME_MOST && strchr(site->function, '~'));
    }
    CHECK(sum == (INT64_C(50 * 51 / 2) << 30) + (2 << 20) + (512 << 10) + 4000 + 100);
    site_list_fini(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_largest_have_numbers_and_the_sum_is_the_whole, begin,
                                        end),
        cmocka_unit_test_setup_teardown(one_that_is_no_longer_large_stays, begin, end),
        cmocka_unit_test_setup_teardown(the_list_is_bounded, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
