/* SPDX-License-Identifier: Apache-2.0 */
/* Time on a processor, of subjects that know how much they used where. */
#include "cpu/cpu_station.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpu_subject_run.h"

#include "check.h"

/* Whether a share of `samples` that are what they are by chance may be `expected`. */
static void check_share(uint64_t part, uint64_t samples, double expected)
{
    double const share = (double)part / (double)samples;
    double const error = sqrt(expected * (1 - expected) / (double)samples);
    if (fabs(share - expected) > 4 * error)
        print_message("share %.4f of %lu, expected %.4f +- %.4f\n", share, (unsigned long)samples,
                      expected, error);
    CHECK(fabs(share - expected) <= 4 * error);
}

static void check_burner(const char *threads, uint32_t hz)
{
    static const char *const parts[] = {"seventy", "twenty", "ten"};
    const char *const arguments[] = {"burns_shares", "2", threads, NULL};
    struct cpu_run run;
    cpu_run_begin(&run, &(struct cpu_station_options){.source = CPU_SOURCE_PERF, .hz = hz},
                  arguments);
    cpu_run_work(&run, 0);
    if (getenv("SHOW"))
        cpu_run_print(&run);
    uint64_t told = 0, found = 0;
    for (size_t i = 0; i < 3; i++)
        told += cpu_run_told(&run, parts[i]);
    for (size_t i = 0; i < 3; i++)
        found += (uint64_t)cpu_run_sum(&run, COL_CPU_SAMPLES, parts[i]);
    if (run.station) {
        const struct timing *timing = &run.state.timing;
        for (size_t i = 0; i < 3; i++)
            check_share((uint64_t)cpu_run_sum(&run, COL_CPU_SAMPLES, parts[i]), found,
                        (double)cpu_run_told(&run, parts[i]) / (double)told);
        /* What is in none of the three is asking the time, and the beginning of threads. */
        CHECK(found * 2 >= timing->samples && timing->lost == 0);
        CHECK(timing->samples == (uint64_t)cpu_run_sum(&run, COL_CPU_SAMPLES, NULL));
        CHECK(timing->samples <= run.bucket.moment_count); /* and what ended threads had left */
        uint64_t const expected = timing->cpu_ns * hz / 1000000000u;
        /* The agent's clocks tick for all: who runs then is a matter of chance. */
        uint64_t const chance = run.state.uses_agent ? (uint64_t)(4 * sqrt((double)expected)) : 0;
        int64_t const difference = cpu_run_sum(&run, COL_CPU_NS, NULL) - (int64_t)timing->cpu_ns;
        CHECK(llabs(difference) <=
              (int64_t)(timing->cpu_ns / 20 + (4 + chance) * 1000000000ull / hz));
        /* Each thread has part of a sample left on each processor when it ends. */
        uint64_t const missing =
            (uint64_t)atoi(threads) * (uint64_t)sysconf(_SC_NPROCESSORS_CONF) + chance;
        /* And the kernel's account of a busy virtual machine is not to the tick. */
        CHECK(timing->samples <= expected + missing + expected / 20 &&
              timing->samples + missing + expected / 20 >= expected);
    }
    cpu_run_end(&run);
}

TEST(shares_are_right_in_one_thread)
{
    check_burner("1", 997);
}

TEST(shares_are_right_in_four_threads_at_the_usual_rate)
{
    check_burner("4", 99);
}

TEST(shares_are_right_in_64_threads)
{
    check_burner("64", 997);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_right_in_one_thread),
        cmocka_unit_test(shares_are_right_in_four_threads_at_the_usual_rate),
        cmocka_unit_test(shares_are_right_in_64_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
