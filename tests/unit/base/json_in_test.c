/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_in.h"

#include <string.h>

#include "check.h"

TEST(what_is_asked_for_is_taken_and_the_rest_skipped)
{
    static const char text[] =
        " { \"pid\" : 42, \"skip\": {\"a\":[1,2.5e3,{\"b\":null}],\"c\":\"}\"}, \"list\":[7 , 8],"
        "\"none\":null, \"less\":-5, \"name\":\"a\\\"\\u00e4\\n\\ud800\", \"empty\":[], \"o\":{}} ";
    struct json_in json = {.text = slice_of(text)};
    uint64_t pid = 0, item = 0, sum = 0;
    int64_t none = 0, less = 0;
    char key[16], name[32] = "";
    CHECK(json_in_object(&json));
    while (json_in_key(&json, key, sizeof(key))) {
        if (strcmp(key, "pid") == 0)
            CHECK(json_in_uint(&json, &pid));
        else if (strcmp(key, "list") == 0)
            for (json_in_array(&json); json_in_item(&json); sum = sum * 10 + item)
                CHECK(json_in_uint(&json, &item));
        else if (strcmp(key, "none") == 0)
            CHECK(json_in_int(&json, &none));
        else if (strcmp(key, "less") == 0)
            CHECK(json_in_int(&json, &less));
        else if (strcmp(key, "name") == 0)
            CHECK(json_in_text(&json, name, sizeof(name)));
        else
            CHECK(json_in_skip(&json));
    }
    CHECK(!json.failed && json_in_ended(&json));
    CHECK(pid == 42 && sum == 78 && none == -1 && less == -5);
    assert_string_equal(name, "a\"\xc3\xa4\n\xef\xbf\xbd");
}

TEST(long_texts_are_cut)
{
    char text[4] = "";
    struct json_in json = {.text = slice_of("\"abcdef\" 1")};
    CHECK(json_in_text(&json, text, sizeof(text)) && strcmp(text, "abc") == 0);
    uint64_t one = 0;
    CHECK(json_in_uint(&json, &one) && one == 1);
}

TEST(what_is_no_json_fails_for_good)
{
    static const char *const wrong[] = {"",        "{",        "[1,",     "{\"a\" 1}", "{a:1}",
                                        "[1 2]",   "\"open",   "\"\\x\"", "\"\\u12\"", "tru",
                                        "[\"a\"}", "{\"a\":}", "nul",     "\"\\"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct json_in json = {.text = slice_of(wrong[i])};
        CHECK(!json_in_skip(&json) && json.failed);
        uint64_t value;
        CHECK(!json_in_uint(&json, &value) && !json_in_item(&json) && !json_in_ended(&json));
    }
    uint64_t value;
    struct json_in json = {.text = slice_of("99999999999999999999")};
    CHECK(!json_in_uint(&json, &value));
    json = (struct json_in){.text = slice_of("1.5")};
    CHECK(!json_in_uint(&json, &value));
}

TEST(depth_has_a_bound)
{
    char text[2 * JSON_IN_DEPTH_MAX + 3];
    memset(text, '[', sizeof(text));
    struct json_in json = {.text = {text, JSON_IN_DEPTH_MAX + 1}};
    CHECK(!json_in_skip(&json));
    memset(text + JSON_IN_DEPTH_MAX, ']', JSON_IN_DEPTH_MAX);
    json = (struct json_in){.text = {text, 2 * JSON_IN_DEPTH_MAX}};
    CHECK(json_in_skip(&json) && json_in_ended(&json));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_asked_for_is_taken_and_the_rest_skipped),
        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(what_is_no_json_fails_for_good),
        cmocka_unit_test(depth_has_a_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
