/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/diff/diff_gate.h"

#include <errno.h>
#include <string.h>

#include "check.h"

static bool holds(const char *text, int64_t before, int64_t after)
{
    struct diff_gates gates = {0};
    struct fault fault = {.text = ""};
    if (diff_gates_parse(&gates, text, &fault) < 0)
        fail_msg("%s: %s", text, fault.text);
    assert_int_equal(gates.count, 1);
    return diff_gate_holds(&gates.gates[0], before, after);
}

static void shares_are_of_the_older_total(void **state)
{
    (void)state;
    CHECK(!holds("heap.peak>+5%", 1000, 1050));
    CHECK(holds("heap.peak>+5%", 1000, 1051));
    CHECK(holds("heap.peak>=+5%", 1000, 1050));
    CHECK(holds("heap.peak > 5 %", 1000, 1051)); /* the sign may be left out */
    CHECK(!holds("heap.peak>+5%", 1000, 10));
    CHECK(holds("heap.peak>-10%", 1000, 950)); /* was to shrink by a tenth */
    CHECK(!holds("heap.peak>-10%", 1000, 900));
    CHECK(holds("heap.peak>+5%", 0, 1)); /* from nothing */
    CHECK(!holds("heap.peak>+5%", 0, 0));
}

static void signed_amounts_are_of_the_change(void **state)
{
    (void)state;
    CHECK(!holds("heap.peak>+1K", 5000, 6024));
    CHECK(holds("heap.peak>+1K", 5000, 6025));
    CHECK(holds("heap.peak>=+1K", 5000, 6024));
    CHECK(holds("heap.calls>+10", 5, 16));
    CHECK(!holds("heap.calls>+10", 5, 15));
    CHECK(holds("heap.peak>-1K", 5000, 4000));
    CHECK(!holds("heap.peak>-1K", 5000, 3976));
    CHECK(holds("cpu.on>+10ms", 0, 10000001));
}

static void plain_amounts_are_of_the_newer_total(void **state)
{
    (void)state;
    CHECK(holds("heap.leaked>0", 50, 1));
    CHECK(!holds("heap.leaked>0", 50, 0));
    CHECK(holds("heap.peak>=1.5M", 0, 1572864));
    CHECK(!holds("heap.peak>1.5M", 0, 1572864));
}

static void several_are_split_at_commas_and_appended(void **state)
{
    (void)state;
    struct diff_gates gates = {0};
    assert_int_equal(diff_gates_parse(&gates, "heap.peak>+5%, heap.leaked>0", NULL), 0);
    assert_int_equal(diff_gates_parse(&gates, "heap.calls>=+1", NULL), 0);
    assert_int_equal(gates.count, 3);
    assert_string_equal(gates.gates[1].text, "heap.leaked>0");
    assert_string_equal(gates.gates[2].metric->name, "heap.calls");
}

static void check_refused(const char *text, const char *because)
{
    struct diff_gates gates = {0};
    struct fault fault = {.text = ""};
    assert_int_equal(diff_gates_parse(&gates, text, &fault), -EINVAL);
    if (!strstr(fault.text, because))
        fail_msg("%s: %s", text, fault.text);
    assert_int_equal(gates.count, 0);
}

static void wrong_conditions_are_explained(void **state)
{
    (void)state;
    check_refused("", "needs > or >=");
    check_refused("heap.peak", "needs > or >=");
    check_refused("heap.peak<5%", "needs > or >=");
    check_refused("heap.peek>5%", "no metric \"heap.peek\"");
    check_refused("heap.peak>", "no limit");
    check_refused("heap.peak>+", "no limit");
    check_refused("heap.peak>five", "\"five\" is no limit for heap.peak");
    check_refused("heap.peak>+-5M", "no limit");
    check_refused("heap.peak>5%%", "no limit");
    check_refused("heap.calls>+10M", "+1000");
    check_refused("heap.peak>+5%,", "needs > or >=");
    check_refused("heap.peak>99999999999999999999999999999999999999999999999999999999999999",
                  "at most");
    check_refused("heap.peak>+8589934592G", "no limit");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_of_the_older_total),
        cmocka_unit_test(signed_amounts_are_of_the_change),
        cmocka_unit_test(plain_amounts_are_of_the_newer_total),
        cmocka_unit_test(several_are_split_at_commas_and_appended),
        cmocka_unit_test(wrong_conditions_are_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
