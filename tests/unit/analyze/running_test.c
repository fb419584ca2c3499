/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/sums/running.h"

#include <stdlib.h>

#include "check.h"
#include "model/memory/page_kind.h"

#define CAME(kind) (COL_PAGES_0 + 2 * (kind))
#define WENT(kind) (COL_PAGES_0 + 2 * (kind) + 1)

static void add_bucket(struct recording *recording, const struct cell *cells, size_t count)
{
    uint64_t const at = recording->buckets.count * 10;
    struct bucket bucket = {.begin_ns = at, .end_ns = at + 10, .cell_count = count};
    bucket.cells = calloc(count, sizeof(*cells));
    for (size_t i = 0; i < count; i++)
        bucket.cells[i] = cells[i];
    CHECK(vec_push(&recording->buckets, bucket));
}

static struct recording *two_stacks(void)
{
    struct recording *recording = recording_create();
    stack_id id;
    CHECK(recording_name_stack(recording, recording_intern(recording, "one"), &id) == 0 && id == 1);
    CHECK(recording_name_stack(recording, recording_intern(recording, "two"), &id) == 0 && id == 2);
    return recording;
}

static int64_t weighed(const struct running *running, const char *name, bool growth)
{
    struct running_rows rows;
    CHECK(running_weigh(running, metric_find(name), NULL, &rows) == 0);
    int64_t const value = growth ? rows.growth : rows.value;
    running_rows_fini(&rows);
    return value;
}

TEST(pages_that_came_and_went_are_one_level_and_resident_is_three_kinds)
{
    struct recording *recording = two_stacks();
    struct running *running = running_create();
    const struct cell first[] = {{1, CAME(PAGE_ANON), 8192},
                                 {1, CAME(PAGE_FILE), 4096},
                                 {2, CAME(PAGE_SHMEM), 12288},
                                 {2, CAME(PAGE_CACHE), 40960}};
    const struct cell second[] = {{1, WENT(PAGE_ANON), 4096}, {2, WENT(PAGE_CACHE), 8192}};

    CHECK(!running_has(running, metric_find("pages.resident")));
    add_bucket(recording, first, 4);
    CHECK(running_advance(running, recording, UINT64_MAX, NULL) == 0);
    CHECK(running_has(running, metric_find("pages.resident")));
    CHECK(!running_has(running, metric_find("pages.kernel")));
    CHECK(weighed(running, "pages.resident", false) == 24576);
    CHECK(running_mark(running) == 0);

    add_bucket(recording, second, 2);
    CHECK(running_advance(running, recording, UINT64_MAX, NULL) == 0);
    CHECK(weighed(running, "pages.resident", false) == 20480);
    CHECK(weighed(running, "pages.resident", true) == -4096);
    CHECK(weighed(running, "pages.cache", false) == 32768);
    CHECK(running_stacks(running) == 3);
    CHECK(running_pages(running, 1, PAGE_ANON) == 4096);
    CHECK(running_pages(running, 2, PAGE_CACHE) == 32768);
    CHECK(running_pages(running, 2, PAGE_KERNEL) == 0 && running_pages(running, 9, PAGE_ANON) == 0);
    running_destroy(running);
    recording_destroy(recording);
}

TEST(without_a_mark_all_is_growth_and_less_than_nothing_is_nothing)
{
    struct recording *recording = two_stacks();
    struct running *running = running_create();
    const struct cell cells[] = {{1, COL_HEAP_BYTES, 100}, {2, WENT(PAGE_ANON), 4096}};

    add_bucket(recording, cells, 2);
    CHECK(running_advance(running, recording, UINT64_MAX, NULL) == 0);
    CHECK(weighed(running, "heap.live", true) == 100);
    CHECK(weighed(running, "pages.anon", false) == -4096);
    CHECK(running_pages(running, 2, PAGE_ANON) == 0);
    running_destroy(running);
    recording_destroy(recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_that_came_and_went_are_one_level_and_resident_is_three_kinds),
        cmocka_unit_test(without_a_mark_all_is_growth_and_less_than_nothing_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
