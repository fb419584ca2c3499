/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/blocks/node_log.h"

#include <errno.h>
#include <string.h>

#include "check.h"
#include "cluster/blocks/agreement.h"

TEST(times_with_zones_and_fractions)
{
    int64_t time_us;
    CHECK(log_time_parse("2026-05-28T00:00:00.000000Z", &time_us) == 0);
    CHECK(time_us == INT64_C(1779926400000000));
    CHECK(log_time_parse("2026-05-27T19:00:00.25-05:00", &time_us) == 0);
    CHECK(time_us == INT64_C(1779926400250000));
    CHECK(log_time_parse("2026-05-28T05:30:00.123456789+0530", &time_us) == 0);
    CHECK(time_us == INT64_C(1779926400123456));
    static const char *const wrong[] = {"", "2026-05-28", "2026-05-28T00:00:00+5",
                                        "2026-05-28T00:00:00Q", "yesterday"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        CHECK(log_time_parse(wrong[i], &time_us) == -EINVAL);
}

TEST(a_line_may_have_words_before_and_odd_values_within)
{
    struct log_event event;
    CHECK(log_line_parse(slice_of("  node.go:12: {\"Context\":\"Agreement\",\"Round\":7,"
                                  "\"Weight\":1.5,\"Type\":3,\"x\":[{}],\"msg\":\"a\\nb\"}\n"),
                         &event) == 0);
    assert_string_equal(event.context, "Agreement");
    assert_string_equal(event.message, "a\nb");
    CHECK(event.at.round == 7 && event.weight == 0 && event.type[0] == '\0');
    CHECK(event.time_us == INT64_MIN);
    CHECK(log_line_parse(slice_of("plain words"), &event) == -EINVAL);
    CHECK(log_line_parse(slice_of("{\"Round\":7"), &event) == -EINVAL);
}

TEST(headings_name_nodes)
{
    const char *name;
    CHECK(log_heading_parse(slice_of("    fixture.go:3: Relay1/node.log:\n"), &name) == 6);
    CHECK(memcmp(name, "Relay1", 6) == 0);
    CHECK(log_heading_parse(slice_of("/tmp/x/Node/node.log:"), &name) == 4);
    CHECK(log_heading_parse(slice_of("/node.log:"), &name) == 0);
    CHECK(log_heading_parse(slice_of("Node/node.log"), &name) == 0);
}

#define EVENT(type, time, round)                                                                   \
    "{\"Context\":\"Agreement\",\"Type\":\"" type "\",\"Round\":" round                            \
    ",\"time\":\"2026-05-28T00:00:" time "Z\"}\n"

TEST(events_of_all_nodes_come_in_order_of_time)
{
    struct agreement agreement;
    struct log_reading reading = {.handle = agreement_handle, .context = &agreement};
    assert_int_equal(agreement_init(&agreement, 5), 0);
    CHECK(node_log_read_bytes(
              &reading,
              slice_of(EVENT(
                  "RoundStart", "01.000000",
                  "4") "no JSON\n{\"Context\":\"Network\",\"Type\":\"x\"}\n" EVENT("Persisted",
                                                                                   "01.5", "4")
                           EVENT("RoundConcluded", "04.250000", "4")
                               EVENT("RoundStart", "04.3", "6") EVENT("RoundConcluded", "05", "5")),
              "a") == 0);
    CHECK(node_log_read_bytes(
              &reading,
              slice_of(EVENT("RoundConcluded", "00.5", "4") EVENT("VoteAccepted", "02", "4")),
              "b") == 0);
    agreement_sort(&agreement);
    static const char *const types[] = {"RoundConcluded", "RoundStart", "VoteAccepted",
                                        "RoundConcluded"};
    assert_int_equal(agreement.events.count, 4); /* a's log ended where round 6 began */
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(string_table_text(agreement.texts, agreement.events.items[i].type),
                            types[i]);
    CHECK(agreement.events.items[0].round_us == AGREEMENT_NO_TIME);
    CHECK(agreement.events.items[3].round_us == 3250000);
    CHECK(reading.odd_lines == 1 && agreement.others == 2);
    CHECK(agreement_has_weight("VoteAccepted") && !agreement_has_weight("ProposalAccepted") &&
          !agreement_has_weight("StepTimeout"));
    agreement_fini(&agreement);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_with_zones_and_fractions),
        cmocka_unit_test(a_line_may_have_words_before_and_odd_values_within),
        cmocka_unit_test(headings_name_nodes),
        cmocka_unit_test(events_of_all_nodes_come_in_order_of_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
