/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/http/request_text.h"

#include <errno.h>

#include "check.h"

static bool parses(const char *host, const char *name)
{
    struct slice found;
    return host_parse(slice_of(host), &found) && slice_equals(found, slice_of(name));
}

static bool is_bad(const char *host)
{
    struct slice found;
    return !host_parse(slice_of(host), &found);
}

TEST(a_host_is_a_name_and_maybe_a_port)
{
    CHECK(parses("localhost", "localhost"));
    CHECK(parses("localhost:17832", "localhost"));
    CHECK(parses("127.0.0.1:1", "127.0.0.1"));
    CHECK(parses("[::1]", "::1"));
    CHECK(parses("[::1]:80", "::1"));
    CHECK(parses("node-1.example_x.org:65535", "node-1.example_x.org"));
}

TEST(anything_else_is_no_host)
{
    static const char *const bad[] = {"",     ":80",    "[::1",     "[]",       "[::1]x",
                                      "a b",  "a:b",    "a:",       "a:123456", "::1",
                                      "a,b",  "a@b",    "a/b",      "a\xff",    "localhost:80:80",
                                      "a\"b", "[::1]:", "[a/b]:80", "%6c",      "a\nb"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        CHECK(is_bad(bad[i]));
    struct slice const nul = {"localhost\0.evil", 15};
    struct slice name;
    CHECK(!host_parse(nul, &name));
}

TEST(loopback_has_these_names_only)
{
    static const char *const yes[] = {"localhost", "LOCALHOST", "127.0.0.1", "127.9.8.7", "::1"};
    static const char *const no[] = {"",
                                     "localhost.evil.org",
                                     "127.0.0.1.evil.org",
                                     "128.0.0.1",
                                     "0.0.0.0",
                                     "::",
                                     "127.1",
                                     "::ffff:10.0.0.1",
                                     "localhos"};
    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
        CHECK(host_is_loopback(slice_of(yes[i])));
    for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
        CHECK(!host_is_loopback(slice_of(no[i])));
    CHECK(!host_is_loopback((struct slice){"::1\0x", 5}));
}

TEST(a_token_is_found_after_bearer)
{
    struct slice token;
    CHECK(bearer_parse(slice_of("Bearer secret"), &token));
    CHECK(slice_equals(token, slice_of("secret")));
    CHECK(bearer_parse(slice_of("bearer   secret"), &token));
    CHECK(slice_equals(token, slice_of("secret")));
    CHECK(!bearer_parse(slice_of("Bearer "), &token));
    CHECK(!bearer_parse(slice_of("Bearersecret"), &token));
    CHECK(!bearer_parse(slice_of("Basic secret"), &token));
    CHECK(!bearer_parse(slice_of(""), &token));
}

TEST(tokens_are_equal_or_not)
{
    CHECK(token_equals(slice_of("abcdef"), slice_of("abcdef")));
    CHECK(!token_equals(slice_of("abcdeg"), slice_of("abcdef")));
    CHECK(!token_equals(slice_of("abcde"), slice_of("abcdef")));
    CHECK(!token_equals(slice_of("abcdefg"), slice_of("abcdef")));
    CHECK(!token_equals(slice_of("abcabc"), slice_of("abc"))); /* not a repetition of it */
    CHECK(!token_equals(slice_of(""), slice_of("")));
    CHECK(!token_equals(slice_of("a"), slice_of("")));
}

TEST(prometheus_gets_what_it_prefers)
{
    CHECK(accepts_openmetrics(slice_of(
        "application/openmetrics-text;version=1.0.0,application/"
        "openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1")));
    CHECK(!accepts_openmetrics(
        slice_of("text/plain;version=0.0.4;q=0.6,application/openmetrics-text;q=0.5")));
    CHECK(!accepts_openmetrics(slice_of("*/*")));
    CHECK(!accepts_openmetrics(slice_of("")));
    CHECK(!accepts_openmetrics(slice_of("application/openmetrics-text;q=0")));
    CHECK(!accepts_openmetrics(slice_of("application/openmetrics-textual")));
    CHECK(accepts_type(slice_of("text/html , application/json ; q=0.2"), "application/json"));
    CHECK(!accepts_type(slice_of("application/json;q=0.000"), "application/json"));
}

TEST(numbers_have_bounds)
{
    uint64_t number = 7;
    CHECK(number_parse("20", 1, 100, &number) == 0 && number == 20);
    CHECK(number_parse("0", 1, 100, &number) == -ERANGE);
    CHECK(number_parse("101", 1, 100, &number) == -ERANGE);
    CHECK(number_parse("-1", 1, 100, &number) < 0);
    CHECK(number_parse("99999999999999999999999", 1, 100, &number) == -ERANGE);
    CHECK(number_parse("1x", 1, 100, &number) == -EINVAL);
    CHECK(number_parse("", 1, 100, &number) == -EINVAL);
    CHECK(number == 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_is_a_name_and_maybe_a_port),
        cmocka_unit_test(anything_else_is_no_host),
        cmocka_unit_test(loopback_has_these_names_only),
        cmocka_unit_test(a_token_is_found_after_bearer),
        cmocka_unit_test(tokens_are_equal_or_not),
        cmocka_unit_test(prometheus_gets_what_it_prefers),
        cmocka_unit_test(numbers_have_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
