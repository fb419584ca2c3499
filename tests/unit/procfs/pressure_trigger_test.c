/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/cgroup/pressure_trigger.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

#define SECOND UINT64_C(1000000000)

static struct pressure_trigger made(void)
{
    return (struct pressure_trigger){.fd = -1, .window_us = 2000000, .asked_us = 300000};
}

static bool told_at(struct pressure_trigger *trigger, uint64_t second, uint64_t waited_us)
{
    struct pressure const pressure = {0.5, waited_us};
    trigger->is_told = true;
    return pressure_trigger_confirm(trigger, &pressure, second * SECOND);
}

static bool seen_at(struct pressure_trigger *trigger, uint64_t second, uint64_t waited_us)
{
    struct pressure const pressure = {0.5, waited_us};
    return pressure_trigger_confirm(trigger, &pressure, second * SECOND);
}

TEST(word_that_the_counted_time_bears_out_is_believed)
{
    struct pressure_trigger trigger = made();
    CHECK(!seen_at(&trigger, 0, 5000000));
    CHECK(!seen_at(&trigger, 1, 5000000));
    CHECK(told_at(&trigger, 2, 5300000));
    CHECK(!seen_at(&trigger, 3, 5400000)); /* without word, whatever was counted */
}

TEST(word_of_time_that_passed_before_is_not_believed)
{
    struct pressure_trigger trigger = made();
    CHECK(!told_at(&trigger, 0, 5000000)); /* nothing to compare with */
    CHECK(!told_at(&trigger, 1, 5200000));
    CHECK(!told_at(&trigger, 2, 5299999));
    for (uint64_t second = 3; second < 9; second++)
        CHECK(!seen_at(&trigger, second, 9000000));
    CHECK(!told_at(&trigger, 9, 9100000)); /* the jump is older than any window that may be meant */
}

TEST(a_file_that_is_no_trigger_is_refused)
{
    struct pressure_trigger trigger;
    CHECK(pressure_trigger_open(&trigger, "/nonexistent/memory.pressure", 0.1) == -ENOENT);
    CHECK(trigger.fd == -1 && !pressure_trigger_poll(&trigger));
    CHECK(pressure_trigger_open(&trigger, "/proc/self/comm", 0.1) <= 0);
    pressure_trigger_close(&trigger);
    pressure_trigger_close(&trigger);
}

TEST(the_kernel_takes_what_we_ask_for)
{
    struct pressure_trigger trigger;
    if (access("/proc/pressure/memory", W_OK) < 0)
        skip();
    CHECK(pressure_trigger_open(&trigger, "/proc/pressure/memory", 0.999) == 0);
    CHECK(trigger.window_us == 1000000 || trigger.window_us == 2000000);
    CHECK(pressure_trigger_share(&trigger) > 0.999 && pressure_trigger_share(&trigger) <= 1);
    pressure_trigger_close(&trigger);
    CHECK(pressure_trigger_open(&trigger, "/proc/pressure/memory", 1) == 0);
    CHECK(pressure_trigger_share(&trigger) == 1);
    pressure_trigger_close(&trigger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(word_that_the_counted_time_bears_out_is_believed),
        cmocka_unit_test(word_of_time_that_passed_before_is_not_believed),
        cmocka_unit_test(a_file_that_is_no_trigger_is_refused),
        cmocka_unit_test(the_kernel_takes_what_we_ask_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
