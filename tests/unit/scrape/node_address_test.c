/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/nodes/node_address.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static void check_address(const char *text, const char *base, const char *nick)
{
    struct node_address address;
    struct fault fault = {.text = ""};
    if (node_address_parse(text, 2379, &address, &fault) != 0)
        fail_msg("%s: %s", text, fault.text);
    assert_string_equal(address.base, base);
    assert_string_equal(address.nick, nick);
    node_address_fini(&address);
}

TEST(addresses_become_a_base_for_paths)
{
    check_address("10.0.0.1", "http://10.0.0.1:2379", "10.0.0.1:2379");
    check_address("10.0.0.1:8080", "http://10.0.0.1:8080", "10.0.0.1:8080");
    check_address("2001:db8::1", "http://[2001:db8::1]:2379", "[2001:db8::1]:2379");
    check_address("http://a.example", "http://a.example", "a.example");
    check_address("HTTP://a.example:1//", "http://a.example:1", "a.example:1");
    check_address("https://a.example/node/1/", "https://a.example/node/1", "a.example");
    check_address("unix:/run/node.sock", "unix:/run/node.sock:", "node");
    check_address("unix:/run/x/api:/v1/", "unix:/run/x/api:/v1", "api");
}

TEST(a_password_becomes_a_header)
{
    struct node_address address;
    struct fault fault = {.text = ""};
    CHECK(node_address_parse("http://me:se%63ret@h:1/x", 0, &address, &fault) == 0);
    assert_string_equal(address.base, "http://h:1/x");
    assert_string_equal(address.nick, "h:1");
    assert_string_equal(address.authorization, "Authorization: Basic bWU6c2VjcmV0");
    node_address_fini(&address);
    CHECK(node_address_parse("http://me:secret@bad host", 0, &address, &fault) == -EINVAL);
    assert_null(strstr(fault.text, "secret"));
    char *shown = node_address_shown("http://me:secret@h:1/x");
    assert_string_equal(shown, "http://h:1/x");
    free(shown);
}

TEST(what_is_no_address_is_refused)
{
    static const char *const bad[] = {
        "",      "http://",        "ftp://a", "http://a?b=c", "http://a b",   "unix:run",  "unix:/",
        "unix:", "http://a:99999", "a:b:c:d", "http://a\nb",  "unix:/run/x/", "http://:80"};
    struct node_address address;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct fault fault = {.text = ""};
        CHECK(node_address_parse(bad[i], 1, &address, &fault) == -EINVAL && fault.text[0]);
    }
    CHECK(node_address_parse("10.0.0.1", 0, &address, NULL) == -EINVAL);
}

static void check_joined(const char *base, const char *path, const char *url)
{
    char *joined = node_address_join(base, path);
    assert_string_equal(joined ? joined : "none", url);
    free(joined);
}

TEST(paths_go_behind_or_to_another_port)
{
    check_joined("http://h:1", "/metrics", "http://h:1/metrics");
    check_joined("http://h:1/rpc", ":6060/debug/pprof/", "http://h:6060/debug/pprof/");
    check_joined("https://[::1]:1", ":6060/m", "https://[::1]:6060/m");
    check_joined("unix:/s:", "/metrics", "unix:/s:/metrics");
    check_joined("unix:/s:", ":1/metrics", "none");
    check_joined("http://h:1", ":70000/m", "none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_become_a_base_for_paths),
        cmocka_unit_test(a_password_becomes_a_header),
        cmocka_unit_test(what_is_no_address_is_refused),
        cmocka_unit_test(paths_go_behind_or_to_another_port),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
