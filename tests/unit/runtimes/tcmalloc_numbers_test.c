/* SPDX-License-Identifier: Apache-2.0 */
#include "runtimes/tcmalloc_numbers.h"

#include <string.h>

#include "check.h"

/* system, free, unmapped, committed, scavenges, commits, committed ever, decommits, decommitted
 * ever, reserves, reserved */
static const uint64_t stats[] = {1048576 * 3, 8192 * 10, 1048576,     1048576 * 2, 5,          9,
                                 1048576 * 7, 4,         1048576 * 5, 3,           1048576 * 3};
#define WORDS (sizeof(stats) / sizeof(stats[0]))

TEST(the_counters_are_found_where_both_books_agree)
{
    uint64_t words[100] = {7, 4096, 4096};
    struct tcmalloc_numbers numbers = {0};
    CHECK(tcmalloc_numbers_search(words, 100, &numbers) == 0);
    memcpy(&words[40], stats, sizeof(stats));
    CHECK(tcmalloc_numbers_search(words, 100, &numbers) == 1);
    CHECK(numbers.system_bytes == stats[0] && numbers.free_bytes == stats[1] &&
          numbers.unmapped_bytes == stats[2] && numbers.committed_bytes == stats[3]);
    memcpy(&words[80], stats, sizeof(stats));
    CHECK(tcmalloc_numbers_search(words, 100, &numbers) == 2);
}

TEST(one_word_that_does_not_fit_is_enough)
{
    static const size_t told[] = {0, 1, 2, 3, 6, 8, 10};
    struct tcmalloc_numbers numbers;
    for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
        uint64_t words[WORDS];
        memcpy(words, stats, sizeof(stats));
        words[told[i]] += 1;
        CHECK(tcmalloc_numbers_search(words, WORDS, &numbers) == 0);
    }
    CHECK(tcmalloc_numbers_search(stats, WORDS - 1, &numbers) == 0);
    CHECK(tcmalloc_numbers_search(stats, 0, &numbers) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_counters_are_found_where_both_books_agree),
        cmocka_unit_test(one_word_that_does_not_fit_is_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
