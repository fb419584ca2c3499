/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/ram/ram_files.h"

#include <errno.h>

#include "check.h"

TEST(lines_of_sizes)
{
    struct size_line line;
    CHECK(size_line_parse(slice_of("20260528_000000,2026-05-28 00:00:00,1000,5000\n"), &line) == 0);
    CHECK(line.stamp_us == INT64_C(1779926400000000));
    CHECK(line.rss_bytes == 1024000 && line.vsz_bytes == 5120000 && line.pss_bytes == INT64_MIN);
    CHECK(size_line_parse(
              slice_of("20260528_000000.250000,2026-05-28 00:00:00.250000,7,,4242,3,0,more\r\n"),
              &line) == 0);
    CHECK(line.stamp_us == INT64_C(1779926400250000));
    CHECK(line.rss_bytes == 7168 && line.vsz_bytes == INT64_MIN && line.pss_bytes == 3072 &&
          line.swap_bytes == 0);
    static const char *const wrong[] = {"",
                                        "stamp,when,rss,vsz",
                                        "20260528_000000",
                                        "20260528_000000,x,,",
                                        "20260528_000000,x,-1,-1",
                                        "20261328_000000,x,1,1",
                                        "a.20260528_000000,x,1,1"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        CHECK(size_line_parse(slice_of(wrong[i]), &line) == -EINVAL);
}

TEST(heights_of_several_chains)
{
    CHECK(blockinfo_height(slice_of("{\"block\":{\"ts\":1,\"rnd\":77},\"cert\":{\"rnd\":3}}")) ==
          77);
    CHECK(blockinfo_height(slice_of("{\"rnd\":5}")) == 5);
    CHECK(blockinfo_height(slice_of("{\"result\":{\"block_header\":{\"height\":9}}}")) == 9);
    CHECK(blockinfo_height(slice_of("{\"result\":{\"number\":\"0x1f\"}}")) == 31);
    static const char *const none[] = {"",
                                       "[]",
                                       "{}",
                                       "{\"block\":3}",
                                       "{\"rnd\":\"x\"}",
                                       "{\"rnd\":-1}",
                                       "{\"block\":{\"rnd\":7"};
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        CHECK(blockinfo_height(slice_of(none[i])) == INT64_MIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_sizes),
        cmocka_unit_test(heights_of_several_chains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
