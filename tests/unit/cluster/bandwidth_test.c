/* SPDX-License-Identifier: Apache-2.0 */
/* The small parts of the reports about metrics; whole runs are tests/system/cluster/bandwidth.sh
 * and metrics_run.sh. */
#include "cluster/bandwidth/bandwidth_write.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "check.h"
#include "cluster/metrics/metric_curves.h"
#include "cluster/bandwidth/traffic_names.h"

TEST(quantiles_of_histograms)
{
    struct histogram_bucket const buckets[] = {{0.1, 10}, {0.5, 30}, {1, 40}, {INFINITY, 40}};
    CHECK(fabs(histogram_quantile(buckets, 4, 0.5) - 0.3) < 1e-12);
    CHECK(histogram_quantile(buckets, 4, 1) == 1);
    CHECK(fabs(histogram_quantile(buckets, 4, 0.125) - 0.05) < 1e-12); /* from 0 */
    struct histogram_bucket const beyond[] = {{1, 10}, {INFINITY, 40}}, none[] = {{INFINITY, 0}};
    CHECK(histogram_quantile(beyond, 2, 0.9) == 1); /* the last bound is all that is known */
    CHECK(isnan(histogram_quantile(none, 1, 0.5)) && isnan(histogram_quantile(none, 0, 0.5)));
}

static void check_number(double value, const char *wanted)
{
    char text[TRAFFIC_NUMBER_MAX];
    assert_string_equal(traffic_number(value, text), wanted);
}

TEST(numbers_are_those_of_the_scripts)
{
    check_number(0, "0.00");
    check_number(9990, "9.99k");
    check_number(10000, "10.0k");
    check_number(1234567, "1.23M");
    check_number(12345678, "12.3M");
    check_number(1e9, "1.00G");
    check_number(999.99, "1.00k");
    check_number(NAN, "0.00");
}

static void check_role(struct run *run, const char *name, const char *label,
                       const struct traffic_role *wanted)
{
    struct exposition_label const labels[] = {{"To", label ? label : ""}};
    struct exposition_series const series = {
        .name = name, .labels = labels, .label_count = label != NULL};
    struct traffic_role role;
    traffic_role_of(run, 0, &series, &role);
    CHECK(role.way == wanted->way && role.is_total == wanted->is_total);
    CHECK(role.is_part == wanted->is_part && role.is_p2p == wanted->is_p2p);
    assert_string_equal(role.tag, wanted->tag);
}

TEST(which_metrics_are_traffic)
{
    struct run_node node = {.nick = "a", .name = "a", .role = "node", .class_name = "algod"};
    struct run run = {.nodes = {&node, 1, 1}};
    check_role(&run, "algod_network_sent_bytes_total", NULL,
               &(struct traffic_role){.way = TRAFFIC_SENT, .is_total = true});
    check_role(&run, "algod_network_received_bytes_TX", NULL,
               &(struct traffic_role){.way = TRAFFIC_RECEIVED, .is_part = true, .tag = "TX"});
    check_role(
        &run, "algod_network_p2p_sent_bytes_AV", NULL,
        &(struct traffic_role){.way = TRAFFIC_SENT, .is_part = true, .is_p2p = true, .tag = "AV"});
    check_role(&run, "algod_tx_pool_count", NULL, &(struct traffic_role){.way = TRAFFIC_NONE});
    CHECK(traffic_has_p2p(&run, 0));
    assert_string_equal(traffic_pool(&run, 0), "algod_tx_pool_count");
    node.class_name = "etcd";
    check_role(&run, "etcd_network_peer_sent_bytes_total", "8e9e",
               &(struct traffic_role){.way = TRAFFIC_SENT,
                                      .is_total = true,
                                      .is_part = true,
                                      .tag = "etcd_network_peer 8e9e"});
    CHECK(!traffic_has_p2p(&run, 0));
    node.class_name = "unheard-of";
    check_role(&run, "algod_network_sent_bytes_total", NULL, &(struct traffic_role){.tag = ""});
    CHECK(!traffic_pool(&run, 0));
}

TEST(headers_of_blocks)
{
    uint64_t height, transactions;
    CHECK(chain_header_parse(slice_of("{\"cert\":{\"rnd\":9},\"block\":{\"rnd\":100,\"tc\":5}}"),
                             &height, &transactions) == 0);
    CHECK(height == 100 && transactions == 5);
    CHECK(chain_header_parse(slice_of("{\"block\":{\"rnd\":3}}"), &height, &transactions) == 0);
    CHECK(height == 3 && transactions == 0); /* zero is left out */
    CHECK(chain_header_parse(slice_of("{}"), &height, &transactions) == -EINVAL);
    CHECK(chain_header_parse(slice_of("{\"block\":{\"rnd\":"), &height, &transactions) == -EINVAL);
}

TEST(filters_are_or_within_a_label_and_and_between)
{
    struct fault fault;
    struct curve_question question = {.mode = CURVE_USUAL};
    struct exposition_label const labels[] = {{"code", "200"}};
    struct exposition_series const is = {.name = "x", .labels = labels, .label_count = 1};
    struct run_node node = {.nick = "a", .name = "r1", .role = "relay", .class_name = "algod"};
    struct run const run = {.nodes = {&node, 1, 1}};
    struct series_set const set = {.run = &run};
    struct series const series = {.is = &is};
    CHECK(curve_question_fits(&question, &set, &series));
    CHECK(curve_question_filter(&question, "code=500", &fault) == 0);
    CHECK(!curve_question_fits(&question, &set, &series));
    CHECK(curve_question_filter(&question, "code=200", &fault) == 0);
    CHECK(curve_question_fits(&question, &set, &series));
    CHECK(curve_question_filter(&question, "n=r2", &fault) == 0);
    CHECK(!curve_question_fits(&question, &set, &series));
    CHECK(curve_question_filter(&question, "=x", &fault) == -EINVAL && fault.text[0]);
    curve_question_fini(&question);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_of_histograms),
        cmocka_unit_test(numbers_are_those_of_the_scripts),
        cmocka_unit_test(which_metrics_are_traffic),
        cmocka_unit_test(headers_of_blocks),
        cmocka_unit_test(filters_are_or_within_a_label_and_and_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
