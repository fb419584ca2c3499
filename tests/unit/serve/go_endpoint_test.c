/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/targets/go_endpoint.h"

#include <errno.h>
#include <string.h>

#include "check.h"

static char base[GO_URL_MOST];
static struct request request;
static struct go_request wanted;

static void ask(const char *name, const char *text)
{
    struct parameter *parameter = &request.parameters[request.parameter_count++];
    snprintf(parameter->name, sizeof(parameter->name), "%s", name);
    snprintf(parameter->text, sizeof(parameter->text), "%s", text);
}

static int begin(void **state)
{
    (void)state;
    request = (struct request){0};
    return 0;
}

TEST(the_folder_is_added_once)
{
    static const char *const urls[] = {"http://127.0.0.1:6060", "http://127.0.0.1:6060/",
                                       "http://127.0.0.1:6060/debug/pprof",
                                       "http://127.0.0.1:6060/debug/pprof//"};
    for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
        CHECK(go_endpoint_parse(urls[i], base, NULL) == 0);
        assert_string_equal(base, "http://127.0.0.1:6060/debug/pprof");
    }
    CHECK(go_endpoint_parse("https://node/inside", base, NULL) == 0);
    assert_string_equal(base, "https://node/inside/debug/pprof");
}

TEST(what_is_no_such_address_is_refused)
{
    static const char *const urls[] = {"",           "127.0.0.1:6060",      "ftp://a",
                                       "http://",    "http:///debug/pprof", "file:///etc/passwd",
                                       "http://a?b", "http://user@a",       "http://a#b",
                                       "http://a b", "http://a\n"};
    struct fault fault;
    for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++)
        CHECK(go_endpoint_parse(urls[i], base, &fault) == -EINVAL && fault.text[0]);
    char long_one[2 * GO_URL_MOST] = "http://";
    memset(long_one + 7, 'a', sizeof(long_one) - 8);
    CHECK(go_endpoint_parse(long_one, base, NULL) == -EINVAL);
}

TEST(only_numbers_go_on)
{
    go_endpoint_parse("http://a", base, NULL);
    ask("seconds", "5");
    ask("debug", "1");
    ask("token", "secret");
    CHECK(go_request_make(base, "heap", &request, &wanted, NULL) == 0);
    assert_string_equal(wanted.url, "http://a/debug/pprof/heap?seconds=5&debug=1");
    assert_string_equal(wanted.patience, "35");
    CHECK(wanted.is_text && wanted.seconds == 5);
}

TEST(what_is_no_number_does_not)
{
    struct fault fault;
    go_endpoint_parse("http://a", base, NULL);
    ask("debug", "1&gc=1");
    CHECK(go_request_make(base, "heap", &request, &wanted, &fault) == -EINVAL && fault.text[0]);
    request.parameter_count = 0;
    ask("seconds", "3601");
    CHECK(go_request_make(base, "profile", &request, &wanted, &fault) == -EINVAL);
}

TEST(a_profile_takes_half_a_minute)
{
    go_endpoint_parse("http://a", base, NULL);
    CHECK(go_request_make(base, "profile", &request, &wanted, NULL) == 0);
    CHECK(wanted.seconds == 30 && !wanted.is_text);
    assert_string_equal(wanted.patience, "60");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_folder_is_added_once, begin),
        cmocka_unit_test_setup(what_is_no_such_address_is_refused, begin),
        cmocka_unit_test_setup(only_numbers_go_on, begin),
        cmocka_unit_test_setup(what_is_no_number_does_not, begin),
        cmocka_unit_test_setup(a_profile_takes_half_a_minute, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
