/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "procfs/cgroup/memory_limit.h"
#include "procfs/cgroup/pressure.h"

TEST(pressure_is_a_share_of_the_last_ten_seconds)
{
    static const char *const wrong[] = {
        "",
        "some avg10=",
        "some avg10=1234567890123456789012345678901234567890 total=1",
        "full avg10=12.50 total=1",
        "some avg10=1.00\nfull avg10=1.00 total=5",
        "some avg10=1 total="};
    struct pressure pressure = {-1, 7};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        CHECK(pressure_parse(slice_of(wrong[i]), &pressure) == -EINVAL);
    CHECK(pressure.share == -1 && pressure.waited_us == 7);
    CHECK(pressure_parse(
              slice_of("some avg10=12.50 avg60=1.00 avg300=0.10 total=5\nfull avg10=3.00 total=9"),
              &pressure) == 0);
    CHECK(pressure.share == 0.125 && pressure.waited_us == 5);
    if (pressure_read((uint32_t)getpid(), &pressure) == 0)
        CHECK(pressure.share >= 0 && pressure.share <= 1);
}

TEST(the_smaller_of_the_limits_counts)
{
    static const char text[] =
        "Limit                     Soft Limit           Hard Limit           Units     \n"
        "Max data size             1073741824           unlimited            bytes     \n"
        "Max address space         unlimited            unlimited            bytes     \n";
    assert_int_equal(memory_limit_parse(slice_of(text)), 1073741824);
    assert_int_equal(memory_limit_parse(slice_of("Max address space         unlimited")), 0);
    assert_int_equal(memory_limit_parse(slice_of("Max address space")), 0);
    assert_int_equal(memory_limit_parse(slice_of("")), 0);
}

TEST(a_process_with_a_limit_has_it)
{
    pid_t const child = fork();
    if (child == 0) {
        struct rlimit const limit = {UINT64_C(1) << 50, UINT64_C(1) << 50};
        setrlimit(RLIMIT_AS, &limit);
        uint64_t const found = memory_limit_read((uint32_t)getpid());
        _exit(found > 0 && found <= UINT64_C(1) << 50 ? 0 : 1);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pressure_is_a_share_of_the_last_ten_seconds),
        cmocka_unit_test(the_smaller_of_the_limits_counts),
        cmocka_unit_test(a_process_with_a_limit_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
