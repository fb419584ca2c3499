/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/runs/host_port.h"

#include <errno.h>
#include <string.h>

#include "check.h"

static struct host_port parsed(const char *text)
{
    struct host_port host;
    assert_int_equal(host_port_parse(slice_of(text), &host), 0);
    return host;
}

static void check_round(const char *text, const char *host, unsigned port, const char *rendered)
{
    char out[HOST_PORT_TEXT_MAX];
    struct host_port const got = parsed(text);
    assert_string_equal(got.host, host);
    assert_int_equal(got.port, port);
    assert_string_equal(host_port_render(&got, out), rendered);
}

TEST(addresses_are_taken_apart_and_put_together)
{
    check_round("203.0.113.11", "203.0.113.11", 0, "203.0.113.11");
    check_round("203.0.113.11:8580", "203.0.113.11", 8580, "203.0.113.11:8580");
    check_round("R1.Example.org", "R1.Example.org", 0, "R1.Example.org");
    check_round("2001:db8::1", "2001:db8::1", 0, "[2001:db8::1]");
    check_round("[2001:db8::1]", "2001:db8::1", 0, "[2001:db8::1]");
    check_round("[2001:db8::1]:8580", "2001:db8::1", 8580, "[2001:db8::1]:8580");
    check_round("fe80::1%eth0", "fe80::1%eth0", 0, "[fe80::1%eth0]");
    check_round("::1", "::1", 0, "[::1]");
}

TEST(what_cannot_be_a_host_is_refused)
{
    static const char *const bad[] = {
        "",           ":8580",    "a:",     "a:b",   "a:0", "a:65536",   "a:1:2",
        "[::1",       "[::1]x",   "[::1]:", "a b",   "a/b", "a=b",       "[all]",
        "[all:vars]", "fe80::1%", "[a]:1",  "a:+80", "u@h", "a:00000080"};
    struct host_port host;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(host_port_parse(slice_of(bad[i]), &host), -EINVAL);
    char long_name[400];
    memset(long_name, 'a', sizeof(long_name));
    CHECK(host_port_parse((struct slice){long_name, sizeof(long_name)}, &host) == -EINVAL);
    CHECK(host_port_parse((struct slice){"a\0b", 3}, &host) == -EINVAL);
}

TEST(hosts_are_compared_whole)
{
    struct host_port const one = parsed("10.0.0.1"), other = parsed("10.0.0.11:1");
    struct host_port const upper = parsed("NODE.example"), lower = parsed("node.EXAMPLE:9");
    struct host_port const v6 = parsed("2001:DB8:0:0::1"), same = parsed("[2001:db8::1]:7");
    struct host_port const zone = parsed("fe80::1%a"), zone_b = parsed("fe80::1%b");
    CHECK(!host_equals(&one, &other) && !host_equals(&other, &one));
    CHECK(host_equals(&upper, &lower));
    CHECK(host_equals(&v6, &same));
    CHECK(!host_equals(&zone, &zone_b) && host_equals(&zone, &zone));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_taken_apart_and_put_together),
        cmocka_unit_test(what_cannot_be_a_host_is_refused),
        cmocka_unit_test(hosts_are_compared_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
