/* SPDX-License-Identifier: Apache-2.0 */
#include "base/csv_out.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"

static char *text;
static size_t size;

static struct csv_out begin(void)
{
    struct csv_out csv;
    csv_init(&csv, open_memstream(&text, &size));
    return csv;
}

static void expect(struct csv_out *csv, const char *wanted)
{
    fclose(csv->file);
    assert_string_equal(text, wanted);
    free(text);
}

TEST(cells_have_separators_between_and_rows_end)
{
    struct csv_out csv = begin();
    csv_text(&csv, "node");
    csv_head(&csv, "low,high");
    csv_text(&csv, "r1");
    csv_int(&csv, INT64_MIN);
    csv_uint(&csv, UINT64_MAX);
    csv_end_row(&csv);
    csv_empty(&csv);
    csv_format(&csv, "%.3f", 0.5);
    csv_real(&csv, 1.0 / 3, 6);
    csv_end_row(&csv);
    expect(&csv, "node,low,high\nr1,-9223372036854775808,18446744073709551615\n,0.500,0.333333\n");
}

TEST(what_is_not_known_is_an_empty_cell)
{
    struct csv_out csv = begin();
    csv_text(&csv, NULL);
    csv_text(&csv, "");
    csv_real(&csv, NAN, 6);
    csv_int_if(&csv, false, 7);
    csv_int_if(&csv, true, 7);
    csv_end_row(&csv);
    expect(&csv, ",,,,7\n");
}

TEST(texts_have_quotes_where_they_need_them)
{
    struct csv_out csv = begin();
    csv_text(&csv, "operator new[]");
    csv_text(&csv, "map<int, int>");
    csv_text(&csv, "say \"it\"");
    csv_text(&csv, "a\tb");
    csv_text(&csv, "two\nlines\033[31m");
    csv_end_row(&csv);
    expect(&csv, "operator new[],\"map<int, int>\",\"say \"\"it\"\"\",a b,\"two lines [31m\"\n");
}

TEST(a_quoted_cell_is_made_of_pieces)
{
    struct csv_out csv = begin();
    csv_int(&csv, 1);
    csv_quoted_begin(&csv);
    csv_quoted_add(&csv, "main");
    csv_quoted_add(&csv, ";");
    csv_quoted_add(&csv, "f\"\n");
    csv_quoted_end(&csv);
    csv_quoted_begin(&csv);
    csv_quoted_end(&csv);
    csv_end_row(&csv);
    expect(&csv, "1,\"main;f\"\" \",\"\"\n");
}

TEST(no_text_is_a_formula)
{
    struct csv_out csv = begin();
    csv_text(&csv, "=1+cmd");
    csv_text(&csv, "@SUM(A1)");
    csv_text(&csv, "-[NSString x]");
    csv_text(&csv, "+1|x");
    csv_text(&csv, "\t=HYPERLINK(\"u\",\"v\")");
    csv_text(&csv, "\r-x");
    csv_text(&csv, "a=b");
    csv_end_row(&csv);
    expect(&csv,
           "'=1+cmd,'@SUM(A1),'-[NSString x],'+1|x,\"' =HYPERLINK(\"\"u\"\",\"\"v\"\")\",\"' -x\","
           "a=b\n");
}

/* As wide as the signs of a Chinese text, which some spreadsheets take for the narrow ones. */
TEST(no_text_is_a_wide_formula)
{
    struct csv_out csv = begin();
    csv_text(&csv, "\uff1d1+cmd");
    csv_text(&csv, "\uff0b1");
    csv_text(&csv, " \uff0dx");
    csv_text(&csv, "\uff20SUM(A1)");
    csv_text(&csv, "\uff1c"); /* less than: beside the equals sign */
    csv_text(&csv, "a\uff1db");
    csv_end_row(&csv);
    expect(&csv, "'\uff1d1+cmd,'\uff0b1,' \uff0dx,'\uff20SUM(A1),\uff1c,a\uff1db\n");
}

TEST(numbers_stay_numbers)
{
    struct csv_out csv = begin();
    csv_text(&csv, "-12.5");
    csv_text(&csv, "+1e9");
    csv_text(&csv, "-1-1");
    csv_text(&csv, "-");
    csv_int(&csv, -3);
    csv_real(&csv, -0.5, 3);
    csv_end_row(&csv);
    expect(&csv, "-12.5,+1e9,'-1-1,'-,-3,-0.5\n");
}

TEST(only_the_beginning_of_a_quoted_cell_can_be_a_formula)
{
    struct csv_out csv = begin();
    csv_quoted_begin(&csv);
    csv_quoted_add(&csv, "");
    csv_quoted_add(&csv, "=x");
    csv_quoted_add(&csv, ";");
    csv_quoted_add(&csv, "=y");
    csv_quoted_end(&csv);
    csv_quoted_begin(&csv);
    csv_quoted_add(&csv, "main");
    csv_quoted_add(&csv, "-x");
    csv_quoted_end(&csv);
    csv_end_row(&csv);
    expect(&csv, "\"'=x;=y\",\"main-x\"\n");
}

TEST(nothing_in_a_text_steers)
{
    struct csv_out csv = begin();
    csv_text(&csv, "a\x7f\xc2\x9b\xe2\x80\xae"
                   "b\xff\xc3\xbc");
    csv_end_row(&csv);
    expect(&csv, "a   b?\xc3\xbc\n");
}

TEST(the_separator_can_be_another)
{
    struct csv_out csv = begin();
    csv.separator = '\t';
    csv_text(&csv, "a\tb");
    csv_text(&csv, "c,d");
    csv_end_row(&csv);
    expect(&csv, "a b\t\"c,d\"\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_have_separators_between_and_rows_end),
        cmocka_unit_test(what_is_not_known_is_an_empty_cell),
        cmocka_unit_test(texts_have_quotes_where_they_need_them),
        cmocka_unit_test(a_quoted_cell_is_made_of_pieces),
        cmocka_unit_test(no_text_is_a_formula),
        cmocka_unit_test(no_text_is_a_wide_formula),
        cmocka_unit_test(numbers_stay_numbers),
        cmocka_unit_test(only_the_beginning_of_a_quoted_cell_can_be_a_formula),
        cmocka_unit_test(nothing_in_a_text_steers),
        cmocka_unit_test(the_separator_can_be_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
