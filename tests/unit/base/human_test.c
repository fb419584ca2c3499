/* SPDX-License-Identifier: Apache-2.0 */
#include "base/human.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>

#include "check.h"

TEST(sizes_keep_three_digits)
{
    char out[HUMAN_MAX];
    assert_string_equal(human_bytes(0, out), "0 B");
    assert_string_equal(human_bytes(1023, out), "1023 B");
    assert_string_equal(human_bytes(1024, out), "1.00 KiB");
    assert_string_equal(human_bytes(1536, out), "1.50 KiB");
    assert_string_equal(human_bytes(1048570, out), "1.00 MiB");
    assert_string_equal(human_bytes(-12 * 1048576, out), "-12.0 MiB");
    assert_string_equal(human_bytes(123ll << 30, out), "123 GiB");
    assert_string_equal(human_bytes(INT64_MAX, out), "8.00 EiB");
    assert_string_equal(human_bytes(INT64_MIN, out), "-8.00 EiB");
}

TEST(counts_have_separators)
{
    char out[HUMAN_MAX];
    assert_string_equal(human_count(0, out), "0");
    assert_string_equal(human_count(999, out), "999");
    assert_string_equal(human_count(1000, out), "1,000");
    assert_string_equal(human_count(-1234567, out), "-1,234,567");
    assert_string_equal(human_count(INT64_MIN, out), "-9,223,372,036,854,775,808");
    assert_string_equal(human_count_short(950, out), "950");
    assert_string_equal(human_count_short(12345, out), "12.3k");
    assert_string_equal(human_count_short(999999, out), "1.00M");
}

TEST(durations_read_as_people_say_them)
{
    char out[HUMAN_MAX];
    assert_string_equal(human_duration(0, out), "0 ns");
    assert_string_equal(human_duration(850, out), "850 ns");
    assert_string_equal(human_duration(1500, out), "1.50 us");
    assert_string_equal(human_duration(1240000000, out), "1.24 s");
    assert_string_equal(human_duration(59990000000, out), "1 min 00 s");
    assert_string_equal(human_duration(185000000000, out), "3 min 05 s");
    assert_string_equal(human_duration(5400000000000, out), "1 h 30 min");
    assert_string_equal(human_duration(187200000000000, out), "2 d 4 h");
    assert_string_equal(human_duration(UINT64_MAX, out), "213503 d 23 h");
}

TEST(shares_never_claim_nothing_or_everything)
{
    char out[HUMAN_MAX];
    assert_string_equal(human_share(1, 0, out), "-");
    assert_string_equal(human_share(0, 100, out), "0.0 %");
    assert_string_equal(human_share(1, 100000, out), "<0.1 %");
    assert_string_equal(human_share(123, 1000, out), "12.3 %");
    assert_string_equal(human_share(99999, 100000, out), "99.9990 %");
    assert_string_equal(human_share(999999999, 1000000000, out), "99.9999 %");
    assert_string_equal(human_share(99950, 100000, out), "99.95 %");
    assert_string_equal(human_share(5, 5, out), "100.0 %");
}

TEST(sizes_are_parsed)
{
    uint64_t bytes = 7;
    CHECK(human_parse_bytes("4096", &bytes) == 0 && bytes == 4096);
    CHECK(human_parse_bytes("64K", &bytes) == 0 && bytes == 65536);
    CHECK(human_parse_bytes("256M", &bytes) == 0 && bytes == 256u << 20);
    CHECK(human_parse_bytes("1.5g", &bytes) == 0 && bytes == 3ull << 29);
    CHECK(human_parse_bytes("2 MiB", &bytes) == 0 && bytes == 2u << 20);
    CHECK(human_parse_bytes("18446744073709549568", &bytes) == 0 && bytes == 18446744073709549568u);
    bytes = 7;
    CHECK(human_parse_bytes("", &bytes) == -EINVAL);
    CHECK(human_parse_bytes("-1", &bytes) == -EINVAL);
    CHECK(human_parse_bytes("1x", &bytes) == -EINVAL);
    CHECK(human_parse_bytes("1.M", &bytes) == -EINVAL);
    CHECK(human_parse_bytes("1e3", &bytes) == -EINVAL);
    CHECK(human_parse_bytes("16E", &bytes) == -ERANGE);
    CHECK(human_parse_bytes("99999999999999999999999999", &bytes) == -ERANGE);
    CHECK(bytes == 7);
}

TEST(durations_are_parsed)
{
    uint64_t ns = 7;
    CHECK(human_parse_duration("90", &ns) == 0 && ns == 90000000000);
    CHECK(human_parse_duration("1.5", &ns) == 0 && ns == 1500000000);
    CHECK(human_parse_duration("10s", &ns) == 0 && ns == 10000000000);
    CHECK(human_parse_duration("1h30m", &ns) == 0 && ns == 5400000000000);
    CHECK(human_parse_duration("1h30min5s", &ns) == 0 && ns == 5405000000000);
    CHECK(human_parse_duration("250ms", &ns) == 0 && ns == 250000000);
    CHECK(human_parse_duration("1.5us", &ns) == 0 && ns == 1500);
    CHECK(human_parse_duration("2d", &ns) == 0 && ns == 172800000000000);
    ns = 7;
    CHECK(human_parse_duration("", &ns) == -EINVAL);
    CHECK(human_parse_duration("s", &ns) == -EINVAL);
    CHECK(human_parse_duration("10 s", &ns) == -EINVAL);
    CHECK(human_parse_duration("30m1h", &ns) == -EINVAL);
    CHECK(human_parse_duration("1s1s", &ns) == -EINVAL);
    CHECK(human_parse_duration("1h30", &ns) == -EINVAL);
    CHECK(human_parse_duration("5x", &ns) == -EINVAL);
    CHECK(human_parse_duration("999999999d", &ns) == -ERANGE);
    CHECK(human_parse_duration("99999999999999", &ns) == -ERANGE);
    CHECK(ns == 7);
}

TEST(shares_and_counts_are_parsed)
{
    double share = 7;
    uint64_t count = 7;
    CHECK(human_parse_share("1%", &share) == 0 && share == 0.01);
    CHECK(human_parse_share("0.5 %", &share) == 0 && share == 0.005);
    CHECK(human_parse_share("1", &share) == -EINVAL);
    CHECK(human_parse_count("20", &count) == 0 && count == 20);
    CHECK(human_parse_count("20x", &count) == -EINVAL);
    CHECK(human_parse_count("99999999999999999999", &count) == -ERANGE && count == 20);
}

TEST(signals_have_names)
{
    char out[HUMAN_MAX];
    assert_string_equal(human_signal(SIGKILL, out), "SIGKILL");
    assert_string_equal(human_signal(SIGRTMIN, out), "SIGRTMIN");
    assert_string_equal(human_signal(SIGRTMIN + 3, out), "SIGRTMIN+3");
    assert_string_equal(human_signal(SIGRTMAX, out), "SIGRTMIN+30");
    assert_string_equal(human_signal(33, out), "signal 33");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_keep_three_digits),
        cmocka_unit_test(counts_have_separators),
        cmocka_unit_test(durations_read_as_people_say_them),
        cmocka_unit_test(shares_never_claim_nothing_or_everything),
        cmocka_unit_test(sizes_are_parsed),
        cmocka_unit_test(durations_are_parsed),
        cmocka_unit_test(shares_and_counts_are_parsed),
        cmocka_unit_test(signals_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
