/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/http/listen_address.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

static void is_address(const char *given, const char *rendered, bool is_loopback)
{
    struct listen_address address;
    char text[LISTEN_TEXT_MOST];
    CHECK(listen_address_parse(given, &address, NULL) == 0);
    listen_address_render(&address, text);
    assert_string_equal(text, rendered);
    CHECK(address.is_loopback == is_loopback);
}

TEST(a_port_an_address_or_both)
{
    is_address("8080", "127.0.0.1:8080", true);
    is_address("127.0.0.1", "127.0.0.1:17832", true);
    is_address("localhost:1", "127.0.0.1:1", true);
    is_address("[::1]:80", "[::1]:80", true);
    is_address("[::1]", "[::1]:17832", true);
    is_address("0.0.0.0:17832", "0.0.0.0:17832", false);
    is_address("[::]:17832", "[::]:17832", false);
    is_address("10.1.2.3", "10.1.2.3:17832", false);
}

TEST(the_rest_is_refused)
{
    static const char *const bad[] = {"",          "x",        "host:80", "1.2.3.4:99999",
                                      "1.2.3.4:x", "70000",    "[::1",    "127.0.0.1:-1",
                                      "1.2.3.4.5", "[1:2]:80", ":80",     "127.0.0.1:80 "};
    struct listen_address address;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct fault fault = {.text = ""};
        CHECK(listen_address_parse(bad[i], &address, &fault) == -EINVAL && fault.text[0]);
    }
}

TEST(a_port_that_is_taken_is_told)
{
    struct listen_address address, again;
    struct fault fault = {.text = ""};
    CHECK(listen_address_parse("0", &address, NULL) == 0);
    int const fd = listen_address_open(&address, &fault);
    CHECK(fd >= 0 && address.socket.v4.sin_port != 0);
    again = address;
    CHECK(listen_address_open(&again, &fault) == -EADDRINUSE);
    CHECK(strstr(fault.text, "--listen"));
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_port_an_address_or_both),
        cmocka_unit_test(the_rest_is_refused),
        cmocka_unit_test(a_port_that_is_taken_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
