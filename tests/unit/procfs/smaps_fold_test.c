/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/memory/smaps_fold.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

#define HIGH  UINT64_C(0x7f0000000000)
#define PAGE  UINT64_C(4096)
#define PAIRS 5000u

static struct smaps smaps;

static int begin(void **state)
{
    (void)state;
    smaps = (struct smaps){.fold_top = 20};
    return 0;
}

static int end(void **state)
{
    (void)state;
    smaps_fini(&smaps);
    return 0;
}

static void tell(uint64_t start, uint64_t pages, const char *rights, uint64_t rss, const char *name)
{
    char text[256];
    snprintf(text, sizeof(text),
             "%llx-%llx %s 0 00:00 0 %s\nRss: %llu kB\nPrivate_Dirty: %llu kB\n",
             (unsigned long long)start, (unsigned long long)(start + pages * PAGE), rights, name,
             (unsigned long long)rss, (unsigned long long)rss);
    CHECK(smaps_parse(&smaps, slice_of(text)) == (ssize_t)strlen(text));
}

static struct memory_bytes sum(size_t *count)
{
    struct memory_bytes bytes = {0};
    *count = smaps.regions.count;
    vec_each (region, &smaps.regions)
        memory_bytes_add(&bytes, &region->bytes);
    vec_each (folded, &smaps.folded) {
        memory_bytes_add(&bytes, &folded->sum.bytes);
        *count += folded->count;
    }
    return bytes;
}

/* A page with something in it, and one without rights: as the kernel shows many guarded blocks. */
static void tell_pairs(unsigned pairs, uint64_t from)
{
    for (unsigned i = 0; i < pairs; i++) {
        tell(from + 2 * i * PAGE, 1, "rw-p", 4, "");
        tell(from + (2 * i + 1) * PAGE, 1, "---p", 0, "");
    }
}

TEST(many_alike_become_sums_and_nothing_is_lost)
{
    size_t count;
    tell_pairs(PAIRS, HIGH + PAGE);
    struct memory_bytes const bytes = sum(&count);
    CHECK(count == 2 * PAIRS && bytes.rss == PAIRS * PAGE && bytes.private_dirty == PAIRS * PAGE);
    CHECK(bytes.size == 2 * PAIRS * PAGE);
    CHECK(smaps.regions.count <= SMAPS_FOLD_AT + 1 && smaps.folded.count < 100 && !smaps.is_torn);
}

TEST(the_largest_are_listed_and_the_first_of_equals)
{
    uint64_t const big = HIGH + 3 * 7000 * PAGE;
    tell_pairs(PAIRS, HIGH + PAGE);
    for (unsigned i = 0; i < 30; i++)
        tell(big + 2 * i * PAGE, 1, "rw-p", i < 10 ? 5 : 4, "");
    tell_pairs(PAIRS, big + 100 * PAGE);
    size_t large = 0, equal = 0;
    for (size_t i = 0; i < smaps.regions.count; i++) {
        const struct memory_region *region = &smaps.regions.items[i];
        large += region->bytes.rss == 5 * 1024;
        equal += region->bytes.rss == 4 * 1024 && region->start < HIGH + 41 * PAGE;
    }
    CHECK(large == 10 && equal == 20);
}

TEST(what_matters_by_its_address_is_not_folded)
{
    tell_pairs(PAIRS, HIGH + PAGE);
    uint64_t const stack = HIGH + 30000 * PAGE;
    tell(stack, 1, "---p", 0, "");           /* a guard */
    tell(stack + PAGE, 2048, "rw-p", 0, ""); /* and its stack */
    tell(stack + 4000 * PAGE, 1, "rw-p", 0, "[anon:cache]");
    tell(stack + 4002 * PAGE, 1, "r-xp", 0, "");
    tell_pairs(PAIRS, stack + 5000 * PAGE);
    CHECK(smaps_find(&smaps, stack) && smaps_find(&smaps, stack + PAGE));
    CHECK(smaps_find(&smaps, stack + 4000 * PAGE) && smaps_find(&smaps, stack + 4002 * PAGE));
    vec_each (folded, &smaps.folded)
        CHECK(folded->sum.end <= stack || folded->sum.start >= stack + 5000 * PAGE);
}

TEST(low_addresses_are_the_runtimes)
{
    tell_pairs(PAIRS, UINT64_C(0xc000000000));
    CHECK(smaps.folded.count == 0 && smaps.regions.count == 2 * PAIRS);
}

TEST(one_that_is_told_again_is_noticed)
{
    tell_pairs(PAIRS, HIGH + PAGE);
    tell(HIGH + PAGE, 1, "rw-p", 4, "");
    CHECK(smaps.is_torn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(many_alike_become_sums_and_nothing_is_lost, begin, end),
        cmocka_unit_test_setup_teardown(the_largest_are_listed_and_the_first_of_equals, begin, end),
        cmocka_unit_test_setup_teardown(what_matters_by_its_address_is_not_folded, begin, end),
        cmocka_unit_test_setup_teardown(low_addresses_are_the_runtimes, begin, end),
        cmocka_unit_test_setup_teardown(one_that_is_told_again_is_noticed, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
