/* SPDX-License-Identifier: Apache-2.0 */
/* Waits, of a subject that knows how long it waited where. */
#include "cpu/cpu_station.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_subject_run.h"

#include "check.h"

/* Within 5 % (2 % where nobody disturbs); and on a busy machine, where others run first while
 * the subject reads its clocks, within what it waited so. */
static void check_near(const struct cpu_run *run, int64_t found, uint64_t told)
{
    double const difference = fabs((double)found - (double)told);
    double const most =
        0.05 * (double)told + (double)cpu_run_sum(run, COL_OFFCPU_NS, "[waits: processor]");
    if (difference > most)
        print_message("found %lld, told %llu\n", (long long)found, (unsigned long long)told);
    CHECK(difference <= most);
}

/* By function and by kind. */
static void check_waits(unsigned every_ms)
{
    static const char *const ways[][2] = {
        {"sleeps", "[waits: sleep]"},    {"polls", "[waits: poll]"},
        {"reads_pipe", "[waits: pipe]"}, {"reads_socket", "[waits: network]"},
        {"locks", "[waits: lock]"},      {"waits_for_child", "[waits: child]"},
    };
    const char *const arguments[] = {"waits_known", "40", NULL};
    struct cpu_run run;
    cpu_run_begin(
        &run, &(struct cpu_station_options){.source = CPU_SOURCE_PERF, .hz = 99, .off_cpu = true},
        arguments);
    cpu_run_work(&run, every_ms);
    if (getenv("SHOW"))
        cpu_run_print(&run);
    for (size_t i = 0; run.station && run.state.sees_kernel && i < 6; i++) {
        uint64_t const told = cpu_run_told(&run, ways[i][0]);
        check_near(&run, cpu_run_sum(&run, COL_OFFCPU_NS, ways[i][0]), told);
        check_near(&run, cpu_run_sum_of_both(&run, COL_OFFCPU_NS, ways[i][0], ways[i][1]), told);
        CHECK(cpu_run_sum_of_both(&run, COL_OFFCPU_NS, ways[i][0], ways[i][1]) > 0);
    }
    cpu_run_end(&run);
}

TEST(waits_are_as_long_as_the_program_says)
{
    check_waits(0);
}

/* Waits that go on when a part is taken are told in parts. */
TEST(waits_are_as_long_when_taken_in_parts)
{
    check_waits(3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_are_as_long_as_the_program_says),
        cmocka_unit_test(waits_are_as_long_when_taken_in_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
