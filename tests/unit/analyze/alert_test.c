/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/alerts/alert.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "analyze/growth/growth_watch.h"
#include "check.h"

#define SEC UINT64_C(1000000000)
#define GIB (1024.0 * 1024 * 1024)

static struct alert_rule rule;
static struct fault fault;

static int parse(const char *text)
{
    memset(&fault, 0, sizeof(fault));
    return alert_rule_parse(text, &rule, &fault);
}

TEST(conditions_are_read_as_people_write_them)
{
    CHECK(parse("rss>2G") == 0);
    CHECK(rule.kind == ALERT_LEVEL && rule.level == LEVEL_RSS && !rule.is_share);
    CHECK(rule.threshold == 2 * GIB && rule.for_ns == 0 && rule.site[0] == '\0');
    CHECK(parse("  heap.live{ site =~ \"cache|map\" } > 1.5G for 30s ") == 0);
    CHECK(rule.level == LEVEL_HEAP && rule.threshold == 1.5 * GIB && rule.for_ns == 30 * SEC);
    assert_string_equal(rule.site, "cache|map");
    assert_string_equal(rule.text, "heap.live{ site =~ \"cache|map\" } > 1.5G for 30s");
    CHECK(parse("growth>5%/h") == 0);
    CHECK(rule.kind == ALERT_GROWTH && rule.level == LEVEL_RSS && rule.is_share);
    CHECK(fabs(rule.threshold - 0.05 / 3600) < 1e-12);
    CHECK(parse("growth{of=\"heap.live\"}>86400K/day") == 0);
    CHECK(rule.level == LEVEL_HEAP && !rule.is_share && rule.threshold == 1024);
    CHECK(parse("psi>10%") == 0 && rule.kind == ALERT_PRESSURE);
    CHECK(parse("psi>100%") == 0 && parse("rss>100%") == 0); /* all of it is a share, too */
    CHECK(parse("rss > 90 %") == 0 && rule.is_share && fabs(rule.threshold - 0.9) < 1e-9);
    CHECK(parse("heap.blocks>1000") == 0 && rule.threshold == 1000);
    CHECK(parse("heap.live{site=~\"a\\\"b\\.c\"}>1") == 0);
    assert_string_equal(rule.site, "a\"b\\.c");
}

TEST(mistakes_are_told_in_a_sentence)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "needs a condition"},
        {"memory>2G", "does not begin with a metric"},
        {"rss", "needs a >"},
        {"rss<2G", "needs a >"},
        {"rss>", "needs a number"},
        {"rss>much", "needs a number"},
        {"rss>0", "always true"},
        {"rss>2G for", "needs a time behind for"},
        {"rss>2G for ever", "needs a time behind for"},
        {"rss>2G please", "has unknown words"},
        {"rss>120%", "up to 100%"},
        {"growth>5%", "needs a time"},
        {"psi>2G", "share of the time"},
        {"psi>101%", "share of the time"},
        {"rss>101%", "up to 100%"},
        {"rss{site=~\"x\"}>1G", "only heap.live"},
        {"heap.live{site=\"x\"}>1G", "needs =~"},
        {"heap.live{site=~x}>1G", "quotes"},
        {"heap.live{site=~\"x}>1G", "does not end"},
        {"heap.live{site=~\"\"}>1G", "nothing between"},
        {"heap.live{site=~\"x\">1G", "closing brace"},
        {"heap.live{thread=~\"x\"}>1G", "may choose"},
        {"heap.live{site=~\"x\"}>10%", "whole process"},
        {"growth{of=\"rust\"}>1%/h", "unknown level"},
        {"rss{of=\"rss\"}>1%/h", "belongs to growth"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(parse(cases[i].text), -EINVAL);
        if (!strstr(fault.text, cases[i].says))
            fail_msg("%s: %s", cases[i].text, fault.text);
    }
    char longest[400];
    memset(longest, 'x', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    CHECK(parse(longest) == -EINVAL && strstr(fault.text, "at most 255"));
}

static bool look(struct alert *alert, double value, uint64_t second)
{
    struct alert_reading const reading = {true, value, alert->rule->threshold};
    return alert_look(alert, &reading, second * SEC);
}

TEST(an_alert_fires_once_until_the_value_has_gone_back)
{
    CHECK(parse("rss>100") == 0);
    struct alert alert = {.rule = &rule};
    CHECK(!look(&alert, 99, 1) && !look(&alert, 100, 2));
    CHECK(look(&alert, 101, 3) && !look(&alert, 500, 4));
    CHECK(!look(&alert, 96, 5) && !look(&alert, 200, 6)); /* not far enough back */
    CHECK(!look(&alert, 95, 7) && look(&alert, 101, 8));
    assert_int_equal(alert.fired, 2);
}

TEST(a_condition_must_hold_as_long_as_it_says)
{
    CHECK(parse("rss>100 for 10s") == 0);
    struct alert alert = {.rule = &rule};
    CHECK(!look(&alert, 150, 1) && !look(&alert, 150, 10) && !look(&alert, 90, 11));
    CHECK(!look(&alert, 150, 12) && !look(&alert, 150, 21) && look(&alert, 150, 22));
}

TEST(what_is_not_known_changes_nothing)
{
    CHECK(parse("rss>100") == 0);
    struct alert alert = {.rule = &rule};
    struct alert_reading const unknown = {false, 1e9, 1};
    CHECK(!alert_look(&alert, &unknown, SEC) && look(&alert, 101, 2));
    CHECK(!alert_look(&alert, &unknown, 3 * SEC) && !look(&alert, 101, 4));
}

TEST(growth_is_confirmed_by_a_second_look_and_old_points_are_merged)
{
    static struct growth_watch watch;
    bool confirmed = false;
    for (uint64_t i = 0; i < 10000; i++) {
        growth_watch_add(&watch, i * SEC, (int64_t)(100 + i % 7) * 1048576);
        confirmed |= growth_watch_judge(&watch, 0);
    }
    CHECK(!confirmed && watch.count <= GROWTH_WATCH_POINTS);
    CHECK(watch.points[0].time_ns < 20 * SEC); /* nothing was forgotten */
    CHECK(watch.points[watch.count - 1].time_ns == 9999 * SEC);
    for (uint64_t i = 10000; i < 20000; i++) {
        growth_watch_add(&watch, i * SEC, (int64_t)(100 + i % 7 + (i - 10000) / 50) * 1048576);
        confirmed |= growth_watch_judge(&watch, 0);
    }
    CHECK(confirmed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions_are_read_as_people_write_them),
        cmocka_unit_test(mistakes_are_told_in_a_sentence),
        cmocka_unit_test(an_alert_fires_once_until_the_value_has_gone_back),
        cmocka_unit_test(a_condition_must_hold_as_long_as_it_says),
        cmocka_unit_test(what_is_not_known_changes_nothing),
        cmocka_unit_test(growth_is_confirmed_by_a_second_look_and_old_points_are_merged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
