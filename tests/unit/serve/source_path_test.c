/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/content/source_path.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

static struct source_path path;

/* The parts with slashes between them, or "refused". */
static const char *parts_of(const char *named)
{
    static char text[PATH_MAX];
    text[0] = '\0';
    if (source_path_parse(named, &path) < 0)
        return "refused";
    for (size_t i = 0; i < path.count; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? "/" : "",
                 source_path_part(&path, i));
    return text;
}

TEST(a_path_comes_apart)
{
    assert_string_equal(parts_of("/usr/src/a.c"), "usr/src/a.c");
    CHECK(path.is_absolute && !path.leads_out && path.count == 3);
    assert_string_equal(parts_of("src/a.c"), "src/a.c");
    CHECK(!path.is_absolute);
    assert_string_equal(parts_of("a.c"), "a.c");
    assert_string_equal(parts_of("//usr///a.c"), "usr/a.c");
    assert_string_equal(parts_of("/usr/./a.c"), "usr/a.c");
    CHECK(!path.leads_out);
}

TEST(nothing_leads_out)
{
    assert_string_equal(parts_of("/build/../etc/a.c"), "etc/a.c");
    CHECK(!path.leads_out);
    assert_string_equal(parts_of("../../../etc/a.c"), "etc/a.c");
    CHECK(path.leads_out && !path.is_absolute);
    assert_string_equal(parts_of("/a/b/../../../../c/d.c"), "c/d.c");
    CHECK(path.leads_out);
    assert_string_equal(parts_of("/a/..b/c..d/...e"), "a/..b/c..d/...e");
    CHECK(!path.leads_out);
}

TEST(what_is_no_file_is_refused)
{
    static const char *const bad[] = {"",        "/",      "//",       ".",      "..",
                                      "/a/",     "/a/.",   "/a/..",    "a/b/..", "a\nb.c",
                                      "a\x7f.c", "/../..", "/a\tb/c.c"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_string_equal(parts_of(bad[i]), "refused");
}

TEST(long_paths_and_many_parts_are_refused)
{
    char text[PATH_MAX + 10];
    memset(text, 'a', sizeof(text));
    text[PATH_MAX] = '\0';
    assert_string_equal(parts_of(text), "refused");
    text[PATH_MAX - 1] = '\0';
    CHECK(source_path_parse(text, &path) == 0 && path.count == 1);
    text[0] = '\0';
    for (int i = 0; i < SOURCE_PARTS_MOST; i++)
        strcat(text, "/x");
    CHECK(source_path_parse(text, &path) == 0 && path.count == SOURCE_PARTS_MOST);
    strcat(text, "/x");
    assert_string_equal(parts_of(text), "refused");
}

static bool is_code(const char *named)
{
    CHECK(source_path_parse(named, &path) == 0);
    return source_path_is_code(&path);
}

TEST(code_is_told_by_its_ending)
{
    CHECK(is_code("/src/a.c") && is_code("/src/a.RS") && is_code("a.tar.go") && is_code("x.swift"));
    CHECK(!is_code("/etc/shadow") && !is_code("/etc/passwd") && !is_code("/x.pem") &&
          !is_code("/x.env") && !is_code("/x.key") && !is_code("/x.json") && !is_code("/x.conf"));
    CHECK(!is_code("/src/.c") && !is_code("/src/c") && !is_code("/src/a.") && !is_code("/src.c/a"));
}

TEST(hidden_parts_are_seen)
{
    CHECK(source_path_parse("/home/me/.ssh/key.c", &path) == 0);
    CHECK(source_path_is_hidden(&path, 0) && source_path_is_hidden(&path, 2));
    CHECK(!source_path_is_hidden(&path, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_comes_apart),
        cmocka_unit_test(nothing_leads_out),
        cmocka_unit_test(what_is_no_file_is_refused),
        cmocka_unit_test(long_paths_and_many_parts_are_refused),
        cmocka_unit_test(code_is_told_by_its_ending),
        cmocka_unit_test(hidden_parts_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
