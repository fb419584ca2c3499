/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_out.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "check.h"

static char *text;
static size_t size;

static struct json_out begin(bool indented)
{
    struct json_out json;
    json_init(&json, open_memstream(&text, &size), indented);
    return json;
}

static void expect(struct json_out *json, const char *wanted)
{
    CHECK(json_finish(json) == 0);
    fclose(json->file);
    assert_string_equal(text, wanted);
    free(text);
}

TEST(groups_nest_with_commas_between)
{
    struct json_out json = begin(false);
    json_object_begin(&json);
    json_uint_field(&json, "n", UINT64_MAX);
    json_key(&json, "rows");
    json_array_begin(&json);
    json_int(&json, -1);
    json_object_begin(&json);
    json_object_end(&json);
    json_bool(&json, true);
    json_null(&json);
    json_array_end(&json);
    json_real_field(&json, "share", 0.25);
    json_object_end(&json);
    expect(&json, "{\"n\":18446744073709551615,\"rows\":[-1,{},true,null],\"share\":0.25}\n");
}

TEST(indented_output_keeps_inline_groups_on_a_line)
{
    struct json_out json = begin(true);
    json_object_begin(&json);
    json_key(&json, "rows");
    json_array_begin(&json);
    json_object_begin_inline(&json);
    json_int_field(&json, "a", 1);
    json_text_field(&json, "b", NULL);
    json_object_end(&json);
    json_array_end(&json);
    json_key(&json, "none");
    json_array_begin(&json);
    json_array_end(&json);
    json_object_end(&json);
    expect(&json, "{\n  \"rows\": [\n    {\"a\": 1, \"b\": null}\n  ],\n  \"none\": []\n}\n");
}

TEST(text_is_escaped_and_made_utf8)
{
    struct json_out json = begin(false);
    json_text(&json, "q\" b\\ n\n t\t \x01 \xc3\xa9 \xff \xc0\x80 \xed\xa0\x80 cut\xe2\x82");
    expect(&json, "\"q\\\" b\\\\ n\\n t\\t \\u0001 \xc3\xa9 \xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd "
                  "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd cut\xef\xbf\xbd\xef\xbf\xbd\"\n");
}

TEST(text_steers_no_terminal)
{
    struct json_out json = begin(false);
    json_text(&json, "\x7f \xc2\x9b \xd8\x9c \xe2\x80\x8e \xe2\x80\xae \xe2\x81\xa9 \xe2\x82\xac");
    expect(&json, "\"\\u007f \\u009b \\u061c \\u200e \\u202e \\u2069 \xe2\x82\xac\"\n");
}

TEST(numbers_json_cannot_say_become_null)
{
    struct json_out json = begin(false);
    json_array_begin(&json);
    json_real(&json, INFINITY);
    json_real(&json, NAN);
    json_array_end(&json);
    expect(&json, "[null,null]\n");
}

TEST(numbers_that_are_not_known_are_null)
{
    struct json_out json = begin(false);
    json_object_begin(&json);
    json_int_field_if(&json, "a", false, 1);
    json_int_field_if(&json, "b", true, -1);
    json_uint_field_if(&json, "c", false, 1);
    json_uint_field_if(&json, "d", true, UINT64_MAX);
    json_key(&json, "e");
    json_array_begin(&json);
    json_int_if(&json, false, 1);
    json_uint_if(&json, true, 1);
    json_array_end(&json);
    json_object_end(&json);
    expect(&json, "{\"a\":null,\"b\":-1,\"c\":null,\"d\":18446744073709551615,"
                  "\"e\":[null,1]}\n");
}

TEST(a_full_disk_is_reported)
{
    struct json_out json;
    FILE *full = fopen("/dev/full", "w");
    CHECK(full);
    json_init(&json, full, false);
    json_int(&json, 1);
    CHECK(json_finish(&json) == -EIO);
    fclose(full);
}

TEST(utf8_is_told_apart)
{
    CHECK(utf8_length("", 0) == 0);
    CHECK(utf8_length("a", 1) == 1);
    CHECK(utf8_length("\xe2\x82\xac", 3) == 3);
    CHECK(utf8_length("\xe2\x82\xac", 2) == 0);
    CHECK(utf8_length("\xf0\x9f\x98\x80", 4) == 4);
    CHECK(utf8_length("\xf0\x8f\xbf\xbf", 4) == 0);
    CHECK(utf8_length("\xf4\x90\x80\x80", 4) == 0);
    CHECK(utf8_length("\xe0\x9f\xbf", 3) == 0);
    CHECK(utf8_columns("a\xe2\x82\xac\xff", 5) == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_nest_with_commas_between),
        cmocka_unit_test(indented_output_keeps_inline_groups_on_a_line),
        cmocka_unit_test(text_is_escaped_and_made_utf8),
        cmocka_unit_test(text_steers_no_terminal),
        cmocka_unit_test(numbers_json_cannot_say_become_null),
        cmocka_unit_test(numbers_that_are_not_known_are_null),
        cmocka_unit_test(a_full_disk_is_reported),
        cmocka_unit_test(utf8_is_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
