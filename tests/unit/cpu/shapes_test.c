/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of every shape: deep, interrupted, with children, with code made at run time. */
#include "cpu/cpu_station.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_subject_run.h"

#include "check.h"

static void run_subject(struct cpu_run *run, struct cpu_station_options options,
                        const char *const *arguments)
{
    options.source = CPU_SOURCE_PERF;
    options.hz = 997;
    cpu_run_begin(run, &options, arguments);
    cpu_run_work(run, 0);
    if (getenv("SHOW"))
        cpu_run_print(run);
}

static uint64_t samples_in(const struct cpu_run *run, const char *function)
{
    return (uint64_t)cpu_run_sum(run, COL_CPU_SAMPLES, function);
}

/* Recursion that fits into the copy is seen to its outer end; it is folded, not left out. */
TEST(recursion_is_walked_to_its_end)
{
    const char *const arguments[] = {"burns_deep", "1", "400", NULL};
    struct cpu_run run;
    run_subject(&run, (struct cpu_station_options){.hz = 0}, arguments);
    if (run.station) {
        CHECK(samples_in(&run, "bottom") > 0);
        CHECK(cpu_run_sum_of_both(&run, COL_CPU_SAMPLES, "bottom", "main") ==
              cpu_run_sum(&run, COL_CPU_SAMPLES, "bottom"));
    }
    cpu_run_end(&run);
}

/* What does not fit is counted. */
TEST(what_is_deeper_than_the_copy_is_told)
{
    const char *const arguments[] = {"burns_deep", "1", "20000", NULL};
    struct cpu_run run;
    run_subject(&run, (struct cpu_station_options){.hz = 0}, arguments);
    if (run.station) {
        CHECK(samples_in(&run, "descend") > 0);
        CHECK(run.state.stack_ends[STACK_END_CUT] * 10 >= run.state.timing.samples * 9);
    }
    cpu_run_end(&run);
}

TEST(handlers_of_signals_stand_on_what_they_interrupt)
{
    const char *const arguments[] = {"burns_in_signals", "2", NULL};
    struct cpu_run run;
    run_subject(&run, (struct cpu_station_options){.hz = 0}, arguments);
    if (run.station) {
        uint64_t const samples = run.state.timing.samples;
        double const expected =
            (double)cpu_run_told(&run, "handler") / (double)cpu_run_told(&run, "all");
        double const error = sqrt(expected * (1 - expected) / (double)samples);
        double const share = (double)samples_in(&run, "handler_works") / (double)samples;
        if (fabs(share - expected) > 4 * error)
            print_message("%f, expected %f +- %f\n", share, expected, error);
        /* The handler's own clocks are in none of both. */
        CHECK(fabs(share - expected) <= 4 * error + 0.05);
        CHECK(cpu_run_sum_of_both(&run, COL_CPU_SAMPLES, "handler_works", "between") * 10 >=
              cpu_run_sum(&run, COL_CPU_SAMPLES, "handler_works") * 9);
    }
    cpu_run_end(&run);
}

static void check_children(const char *how)
{
    const char *const arguments[] = {"burns_in_children", "60", "20", how, NULL};
    struct cpu_run run;
    run_subject(&run, (struct cpu_station_options){.children = true, .together = true}, arguments);
    if (run.station) {
        double const told = (double)cpu_run_told(&run, "children");
        double const found = (double)cpu_run_sum(&run, COL_CPU_NS, "child_works");
        if (fabs(found - told) > 0.05 * told)
            print_message("found %.0f, told %.0f\n", found, told);
        CHECK(fabs(found - told) <= 0.10 * told);
    }
    cpu_run_end(&run);
}

TEST(children_that_live_for_a_moment_are_seen)
{
    check_children(NULL);
}

TEST(children_that_become_another_program_are_seen)
{
    check_children("exec");
}

TEST(code_made_at_run_time_is_left_by_its_frame_pointer)
{
    const char *const arguments[] = {"burns_made_code", "1", NULL};
    struct cpu_run run;
    run_subject(&run, (struct cpu_station_options){.hz = 0}, arguments);
    if (run.station) {
        CHECK(cpu_run_sum_of_both(&run, COL_CPU_SAMPLES, "called_by_made", "calls_made") ==
              cpu_run_sum(&run, COL_CPU_SAMPLES, "called_by_made"));
        CHECK(samples_in(&run, "called_by_made") * 10 >= run.state.timing.samples * 9);
        CHECK(samples_in(&run, "[jit]") > 0);
    }
    cpu_run_end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recursion_is_walked_to_its_end),
        cmocka_unit_test(what_is_deeper_than_the_copy_is_told),
        cmocka_unit_test(handlers_of_signals_stand_on_what_they_interrupt),
        cmocka_unit_test(children_that_live_for_a_moment_are_seen),
        cmocka_unit_test(children_that_become_another_program_are_seen),
        cmocka_unit_test(code_made_at_run_time_is_left_by_its_frame_pointer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
