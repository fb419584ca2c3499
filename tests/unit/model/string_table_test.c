/* SPDX-License-Identifier: Apache-2.0 */
#include "model/string_table.h"

#include <stdio.h>
#include <stdlib.h>

#include "check.h"

static void equal_texts_share_an_id_and_ids_are_dense(void **state)
{
    (void)state;
    struct string_table *table = string_table_create();
    string_id main_id, again, empty, other;

    CHECK(string_table_intern(table, slice_of("main"), &main_id) == 0 && main_id == 1);
    CHECK(string_table_intern(table, (struct slice){"main()", 4}, &again) == 0 && again == 1);
    CHECK(string_table_intern(table, slice_of("malloc"), &other) == 0 && other == 2);
    CHECK(string_table_intern(table, slice_of(""), &empty) == 0 && empty == STRING_EMPTY);
    CHECK(string_table_count(table) == 2);
    assert_string_equal(string_table_text(table, 1), "main");
    assert_string_equal(string_table_text(table, STRING_EMPTY), "");
    assert_string_equal(string_table_text(table, 3), "");
    string_table_destroy(table);
}

static void texts_stay_where_they_are_while_the_table_grows(void **state)
{
    (void)state;
    struct string_table *table = string_table_create();
    char name[32];
    string_id id;
    CHECK(string_table_intern(table, slice_of("first"), &id) == 0);
    const char *first = string_table_text(table, id);
    for (unsigned i = 0; i < 100000; i++) {
        snprintf(name, sizeof(name), "function_%u", i);
        CHECK(string_table_intern(table, slice_of(name), &id) == 0 && id == i + 2);
    }
    CHECK(first == string_table_text(table, 1));
    for (unsigned i = 0; i < 100000; i += 777) {
        snprintf(name, sizeof(name), "function_%u", i);
        CHECK(string_table_intern(table, slice_of(name), &id) == 0 && id == i + 2);
        assert_string_equal(string_table_text(table, id), name);
    }
    string_table_destroy(table);
}

static void a_long_text_does_not_waste_the_block_of_the_short_ones(void **state)
{
    (void)state;
    struct string_table *table = string_table_create();
    string_id id;
    char *text = malloc(1000001);
    memset(text, 'x', 1000000);
    text[1000000] = '\0';
    CHECK(string_table_intern(table, slice_of("a"), &id) == 0);
    CHECK(string_table_intern(table, slice_of(text), &id) == 0 && id == 2);
    CHECK(string_table_intern(table, slice_of("b"), &id) == 0 && id == 3);
    CHECK(string_table_text(table, 3) == string_table_text(table, 1) + 2);
    assert_string_equal(string_table_text(table, 2), text);
    free(text);
    string_table_destroy(table);
}

static void appended_texts_keep_their_place_even_when_known(void **state)
{
    (void)state;
    struct string_table *table = string_table_create();
    string_id id;
    CHECK(string_table_append(table, slice_of("a")) == 0);
    CHECK(string_table_append(table, slice_of("")) == 0); /* a text lost with its chunk */
    CHECK(string_table_append(table, slice_of("a")) == 0);
    CHECK(string_table_append(table, slice_of("b")) == 0);
    CHECK(string_table_count(table) == 4);
    CHECK(string_table_intern(table, slice_of("b"), &id) == 0 && id == 4);
    CHECK(string_table_intern(table, slice_of("a"), &id) == 0 && id == 1);
    CHECK(string_table_intern(table, slice_of(""), &id) == 0 && id == STRING_EMPTY);
    string_table_destroy(table);
}

TEST(texts_apart_leave_the_ids_of_a_growing_file_alone)
{
    struct string_table *table = string_table_create();
    string_id first, apart, again;
    CHECK(string_table_append(table, slice_of("from the file")) == 0);
    string_table_set_apart(table);
    CHECK(string_table_intern(table, slice_of("from the file"), &first) == 0 && first == 1);
    for (int i = 0; i < 1000; i++) {
        char text[16];
        snprintf(text, sizeof(text), "made up %d", i);
        CHECK(string_table_intern(table, slice_of(text), &apart) == 0 && apart > 1000000);
        assert_string_equal(string_table_text(table, apart), text);
    }
    CHECK(string_table_count(table) == 1);
    CHECK(string_table_append(table, slice_of("made up 7")) == 0);
    CHECK(string_table_count(table) == 2);
    assert_string_equal(string_table_text(table, 2), "made up 7");
    CHECK(string_table_intern(table, slice_of("made up 7"), &again) == 0 && again == 2);
    assert_string_equal(string_table_text(table, 0x80000000u), ""); /* none of these is there */
    assert_string_equal(string_table_text(table, 0x80000000u + 1001), "");
    assert_string_equal(string_table_text(table, 0xffffffffu), "");
    string_table_destroy(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_texts_share_an_id_and_ids_are_dense),
        cmocka_unit_test(texts_stay_where_they_are_while_the_table_grows),
        cmocka_unit_test(a_long_text_does_not_waste_the_block_of_the_short_ones),
        cmocka_unit_test(appended_texts_keep_their_place_even_when_known),
        cmocka_unit_test(texts_apart_leave_the_ids_of_a_growing_file_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
