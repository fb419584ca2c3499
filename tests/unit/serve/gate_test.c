/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/http/gate.h"

#include <string.h>

#include "check.h"

static struct server_options options;
static struct visitor visitor;

static int begin(void **state)
{
    (void)state;
    options = (struct server_options){.address = {.is_loopback = true}, .trusts_own_user = true};
    visitor = (struct visitor){.method = "GET",
                               .path = "/metrics",
                               .host = "localhost:17832",
                               .owner = {.is_local = true, .is_own = true}};
    return 0;
}

/* As --token-file does: then everybody must send the token. */
static void use_token(void)
{
    options.token = "0123456789abcdef";
    options.trusts_own_user = false;
}

static unsigned status(void)
{
    struct gate_verdict const verdict = gate_judge(&options, &visitor);
    CHECK(!verdict.status == !verdict.sentence);
    return verdict.status;
}

TEST(a_plain_request_comes_in)
{
    CHECK(status() == 0);
    visitor.method = "HEAD";
    CHECK(status() == 0);
}

TEST(a_stranger_s_name_does_not)
{
    visitor.host = "evil.example";
    CHECK(status() == 421);
    visitor.host = "127.0.0.1.evil.example:17832";
    CHECK(status() == 421);
    visitor.host = "";
    CHECK(status() == 421);
    visitor.host = NULL;
    CHECK(status() == 421);
    visitor.host = "proxy.example";
    options.hosts[options.host_count++] = "Proxy.Example";
    CHECK(status() == 0);
    visitor.host = "proxy.example.evil";
    CHECK(status() == 421);
}

TEST(the_page_asks_for_the_token_and_needs_none)
{
    static const char *const data[] = {"/api/targets", "/routes", "/page.js.map", "/page", "//"};
    use_token();
    visitor.accept = "text/html,application/xhtml+xml";
    visitor.path = "/";
    CHECK(status() == 0);
    visitor.path = "/page.js";
    CHECK(status() == 0);
    visitor.path = "/page.css";
    CHECK(status() == 0);
    visitor.method = "POST";
    CHECK(status() == 405);
    visitor.method = "GET";
    visitor.host = "evil.example";
    CHECK(status() == 421);
    visitor.host = "localhost";
    for (size_t i = 0; i < sizeof(data) / sizeof(data[0]); i++) {
        visitor.path = data[i];
        CHECK(status() == 401);
    }
    visitor.path = "/";
    visitor.accept = "*/*";
    CHECK(status() == 401);
}

TEST(where_a_token_is_needed_the_name_may_be_any)
{
    options.address.is_loopback = false;
    use_token();
    visitor.host = "node1:17832";
    visitor.authorization = "Bearer 0123456789abcdef";
    CHECK(status() == 0);
    visitor.host = "a b";
    CHECK(status() == 421);
}

TEST(without_the_token_nothing_is_served)
{
    use_token();
    CHECK(status() == 401);
    visitor.authorization = "Bearer 0123456789abcdeg";
    CHECK(status() == 401);
    visitor.authorization = "Basic 0123456789abcdef";
    CHECK(status() == 401);
    visitor.method = "POST"; /* and nothing is told */
    CHECK(status() == 401);
    visitor.authorization = "Bearer 0123456789abcdef";
    CHECK(status() == 405);
    visitor.method = "GET";
    CHECK(status() == 0);
}

TEST(other_users_need_the_token_of_the_link)
{
    static const char *const paths[] = {"/metrics", "/api/events", "/api/export", "/", "/nowhere"};
    options.token = "0123456789abcdef";
    CHECK(status() == 0);
    visitor.owner.is_own = false;
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        visitor.path = paths[i];
        CHECK(status() == 401);
    }
    visitor.authorization = "Bearer 0123456789abcdef";
    CHECK(status() == 0);
    visitor.authorization = NULL;
    visitor.path = "/"; /* the page that the link opens, which has nothing in it */
    visitor.accept = "text/html";
    CHECK(status() == 0);
}

TEST(without_a_link_other_users_get_nothing)
{
    static const char *const paths[] = {"/metrics", "/api/events", "/", "/page.js", "/nowhere"};
    static const char *const methods[] = {"GET", "HEAD", "POST", "OPTIONS", "get"};
    visitor.owner.is_own = false;
    visitor.accept = "text/html";
    visitor.authorization = "Bearer 0123456789abcdef";
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
        for (size_t k = 0; k < sizeof(methods) / sizeof(methods[0]); k++) {
            visitor.path = paths[i];
            visitor.method = methods[k];
            CHECK(status() == 403);
        }
    options.trusts_own_user = false; /* the kernel did not tell */
    visitor.owner.is_own = true;
    CHECK(status() == 403);
}

TEST(nothing_can_be_changed)
{
    static const char *const methods[] = {"POST", "PUT",     "DELETE", "PATCH",
                                          "get",  "CONNECT", "TRACE",  "OPTIONS"};
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        visitor.method = methods[i];
        CHECK(status() == 405);
    }
}

TEST(one_origin_may_read_the_answers_when_told_so)
{
    visitor.origin = "https://a.example";
    CHECK(!gate_judge(&options, &visitor).shares && status() == 403);
    options.allow_origin = "https://a.example";
    CHECK(gate_judge(&options, &visitor).shares);
    visitor.origin = "https://a.example.evil";
    CHECK(!gate_judge(&options, &visitor).shares);
    visitor.origin = "https://a.example";
    visitor.method = "OPTIONS";
    use_token();
    CHECK(gate_judge(&options, &visitor).preflight && status() == 204);
    visitor.host = "evil.example";
    CHECK(status() == 421);
}

TEST(pages_of_others_may_not_ask)
{
    static const char *const sites[] = {"cross-site", "same-site", "Same-Origin", "", "other"};
    static const char *const paths[] = {
        "/", "/metrics", "/api/events", "/debug/pprof/heap", "/page.js", "/api/report", "/nowhere"};
    for (size_t i = 0; i < sizeof(sites) / sizeof(sites[0]); i++)
        for (size_t k = 0; k < sizeof(paths) / sizeof(paths[0]); k++) {
            visitor.fetch_site = sites[i];
            visitor.path = paths[k];
            CHECK(status() == 403);
            visitor.method = "POST";
            CHECK(status() == 403);
            visitor.method = "GET";
        }
    visitor.path = "/metrics";
    visitor.fetch_site = "same-origin";
    CHECK(status() == 0);
    visitor.fetch_site = "none"; /* typed, or from a program that is no browser */
    CHECK(status() == 0);
    visitor.host = "evil.example";
    CHECK(status() == 421);
}

TEST(a_link_opens_the_page_and_nothing_else)
{
    visitor.fetch_site = "cross-site";
    visitor.fetch_mode = "navigate";
    visitor.fetch_dest = "document";
    visitor.accept = "text/html,application/xhtml+xml";
    visitor.path = "/";
    CHECK(status() == 0);
    visitor.fetch_site = "same-site";
    CHECK(status() == 0);
    visitor.method = "POST";
    CHECK(status() == 403);
    visitor.method = "GET";
    visitor.fetch_dest = "iframe";
    CHECK(status() == 403);
    visitor.fetch_dest = NULL;
    CHECK(status() == 403);
    visitor.fetch_dest = "document";
    visitor.fetch_mode = "no-cors";
    CHECK(status() == 403);
    visitor.fetch_mode = "navigate";
    visitor.accept = "*/*"; /* the list, which no browser asks for */
    CHECK(status() == 403);
    visitor.accept = "text/html";
    visitor.origin = "https://a.example"; /* browsers send none with it */
    CHECK(status() == 403);
    visitor.origin = NULL;
    visitor.path = "/api/report";
    CHECK(status() == 403);
    visitor.path = "/page.js";
    CHECK(status() == 403);
    use_token();
    visitor.path = "/";
    CHECK(status() == 0);
}

TEST(an_origin_must_be_ours_or_allowed)
{
    static const char *const others[] = {"https://a.example",
                                         "null",
                                         "",
                                         "http://localhost:17833",
                                         "http://localhost",
                                         "http://127.0.0.1:17832",
                                         "http://localhost:17832.evil",
                                         "http://localhost:17832/",
                                         "ftp://localhost:17832",
                                         "localhost:17832",
                                         "http://"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        visitor.origin = others[i];
        CHECK(status() == 403);
    }
    visitor.origin = "http://localhost:17832";
    CHECK(status() == 0);
    visitor.origin = "https://LocalHost:17832"; /* a proxy with TLS in front */
    CHECK(status() == 0);
    visitor.fetch_site = "cross-site";
    CHECK(status() == 403);
    options.allow_origin = "https://a.example";
    visitor.origin = "https://a.example";
    CHECK(status() == 0);
    visitor.fetch_site = "same-site";
    CHECK(status() == 0);
    visitor.origin = NULL;
    CHECK(status() == 403);
    visitor.origin = "https://b.example";
    CHECK(status() == 403);
    visitor.method = "OPTIONS";
    CHECK(status() == 403);
}

TEST(addresses_are_for_this_machine)
{
    CHECK(gate_shows_addresses(&options, &visitor));
    visitor.forwarded = "10.0.0.7"; /* through a proxy that runs here */
    CHECK(!gate_shows_addresses(&options, &visitor));
    visitor.forwarded = NULL;
    visitor.owner.is_local = false;
    CHECK(!gate_shows_addresses(&options, &visitor));
    options.show_addresses = true;
    CHECK(gate_shows_addresses(&options, &visitor));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_plain_request_comes_in, begin),
        cmocka_unit_test_setup(a_stranger_s_name_does_not, begin),
        cmocka_unit_test_setup(the_page_asks_for_the_token_and_needs_none, begin),
        cmocka_unit_test_setup(where_a_token_is_needed_the_name_may_be_any, begin),
        cmocka_unit_test_setup(without_the_token_nothing_is_served, begin),
        cmocka_unit_test_setup(other_users_need_the_token_of_the_link, begin),
        cmocka_unit_test_setup(without_a_link_other_users_get_nothing, begin),
        cmocka_unit_test_setup(nothing_can_be_changed, begin),
        cmocka_unit_test_setup(one_origin_may_read_the_answers_when_told_so, begin),
        cmocka_unit_test_setup(pages_of_others_may_not_ask, begin),
        cmocka_unit_test_setup(a_link_opens_the_page_and_nothing_else, begin),
        cmocka_unit_test_setup(an_origin_must_be_ours_or_allowed, begin),
        cmocka_unit_test_setup(addresses_are_for_this_machine, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
