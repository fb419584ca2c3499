/* SPDX-License-Identifier: Apache-2.0 */
#include "report/pictures/svg_out.h"

#include <string.h>

#include "check.h"

static void check_out(struct svg_out *out, const char *expected)
{
    assert_int_equal(out->size, strlen(expected));
    assert_memory_equal(out->data, expected, out->size);
    svg_out_fini(out);
}

TEST(markup_becomes_text)
{
    struct svg_out out = {0};
    svg_text(&out, "<a href='x' id=\"y\">&</a>");
    check_out(&out, "&lt;a href=&#39;x&#39; id=&quot;y&quot;&gt;&amp;&lt;/a&gt;");
}

TEST(what_cannot_be_shown_is_replaced)
{
    struct svg_out out = {0};
    svg_text(
        &out,
        "a\x01\x7f|\xff|\xc0\xaf|\xed\xa0\x80|\xf4\x90\x80\x80|\xe2\x80\xae|\xef\xbf\xbe|\xc3");
    check_out(&out, "a\uFFFD\uFFFD|\uFFFD|\uFFFD|\uFFFD|\uFFFD|\uFFFD|\uFFFD|\uFFFD");
    svg_text(&out, "é…𝄞");
    check_out(&out, "é…𝄞");
}

TEST(json_is_safe_inside_markup)
{
    struct svg_out out = {0};
    svg_json(&out, "</script>]]>\"\\&\n");
    check_out(&out, "\"\\u003c/script\\u003e]]\\u003e\\u0022\\u005c\\u0026\uFFFD\"");
}

TEST(text_is_cut_by_columns)
{
    struct svg_out out = {0};
    svg_text_cut(&out, "abcdef", 6);
    check_out(&out, "abcdef");
    svg_text_cut(&out, "abcdef", 5);
    check_out(&out, "abcd…");
    svg_text_cut(&out, "宽宽宽", 4);
    check_out(&out, "宽…");
    svg_text_cut(&out, "<<<<", 3);
    check_out(&out, "&lt;&lt;…");
    svg_text_cut(&out, "abc", 0);
    assert_int_equal(out.size, 0);
    svg_out_fini(&out);
    assert_int_equal(text_cells("a宽…"), 4);
}

TEST(pieces_of_pictures_have_their_places)
{
    struct svg_out out = {0};
    svg_label(&out, "m e", 12, 3.25, "a<b");
    check_out(&out, "<text class=\"m e\" x=\"12\" y=\"3.3\">a&lt;b</text>\n");
    svg_label_cut(&out, "h", (double[]){-1.5, 0}, "abcdef", 3);
    check_out(&out, "<text class=\"h\" x=\"-1.5\" y=\"0\">ab…</text>\n");
    svg_stroke(&out, "axis", (double[]){1, 2, 3, 4.04});
    check_out(&out, "<path class=\"axis\" d=\"M1 2L3 4\"/>\n");
    svg_attribute(&out, "width", 7.5);
    check_out(&out, " width=\"7.5\"");
}

TEST(pixels_have_no_tail)
{
    static const struct {
        double value;
        unsigned decimals;
        const char *text;
    } cases[] = {{0, 2, "0"},         {1.5, 2, "1.5"},        {1.005, 1, "1"},
                 {-0.25, 2, "-0.25"}, {12.345, 2, "12.35"},   {0.05, 2, "0.05"},
                 {-0.001, 1, "0"},    {1e300 * 1e300, 1, "0"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct svg_out out = {0};
        svg_px(&out, cases[i].value, cases[i].decimals);
        check_out(&out, cases[i].text);
    }
}

TEST(much_text_fits)
{
    struct svg_out out = {0};
    for (int i = 0; i < 100000; i++)
        svg_format(&out, "%d,", i % 10);
    assert_int_equal(out.size, 200000);
    CHECK(!out.failed);
    svg_out_fini(&out);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(markup_becomes_text),
        cmocka_unit_test(what_cannot_be_shown_is_replaced),
        cmocka_unit_test(json_is_safe_inside_markup),
        cmocka_unit_test(text_is_cut_by_columns),
        cmocka_unit_test(pieces_of_pictures_have_their_places),
        cmocka_unit_test(pixels_have_no_tail),
        cmocka_unit_test(much_text_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
