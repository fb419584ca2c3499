/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/http/token_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static char token[TOKEN_MOST + 1];
static bool others_may_read;
static struct fault fault;

static int read_token(const char *text, size_t size, mode_t mode)
{
    char path[] = "/tmp/memoir-token-XXXXXX";
    int const fd = mkstemp(path);
    CHECK(fd >= 0 && write(fd, text, size) == (ssize_t)size && fchmod(fd, mode) == 0);
    close(fd);
    fault = (struct fault){.text = ""};
    int const err = token_file_read(path, token, &others_may_read, &fault);
    unlink(path);
    CHECK(!err == !fault.text[0]);
    return err;
}

static int read_text(const char *text)
{
    return read_token(text, strlen(text), 0600);
}

TEST(the_first_line_is_the_token)
{
    CHECK(read_text("0123456789abcdef\n") == 0);
    assert_string_equal(token, "0123456789abcdef");
    CHECK(!others_may_read);
    CHECK(read_text(" 0123456789abcdef \t\r\nmore\n") == 0);
    assert_string_equal(token, "0123456789abcdef");
    CHECK(read_text("0123456789abcdef") == 0);
}

TEST(what_everybody_may_read_is_told)
{
    CHECK(read_token("0123456789abcdef", 16, 0644) == 0 && others_may_read);
}

TEST(bad_ones_are_refused)
{
    char large[2000];
    memset(large, 'a', sizeof(large));
    CHECK(read_text("") < 0);
    CHECK(read_text("\n0123456789abcdef\n") < 0);
    CHECK(read_text("0123456789abcde\n") < 0);
    CHECK(read_text("0123456789 abcdef\n") < 0);
    CHECK(read_text("0123456789abcde\xc3\xa9\n") < 0);
    CHECK(read_token("0123456789abcdef\0ghijk", 22, 0600) == 0); /* up to the NUL */
    CHECK(read_token(large, sizeof(large), 0600) < 0);
    CHECK(read_token(large, TOKEN_MOST, 0600) == 0 && strlen(token) == TOKEN_MOST);
    CHECK(token_file_read("/nowhere/token", token, &others_may_read, &fault) < 0);
    CHECK(token_file_read("/", token, &others_may_read, &fault) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_line_is_the_token),
        cmocka_unit_test(what_everybody_may_read_is_told),
        cmocka_unit_test(bad_ones_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
