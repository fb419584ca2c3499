/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/lookup/perf_map.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "symbols/lookup/resolver.h"

static char path[64];

static void write_list(const char *text, const char *how)
{
    FILE *file = fopen(path, how);
    CHECK(file);
    fputs(text, file);
    fclose(file);
}

static int begin(void **state)
{
    (void)state;
    snprintf(path, sizeof(path), "/tmp/perf-%u.map", (unsigned)getpid());
    unlink(path);
    return 0;
}

static int end(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

static void found(struct perf_map *map, uint64_t address, const char *expected)
{
    const char *name = perf_map_find(map, address);
    if (!expected)
        CHECK(!name);
    else
        assert_string_equal(name ? name : "nothing", expected);
}

TEST(names_have_blanks_and_ends)
{
    static const char text[] = "1000 20 first one\n1020 10 second\nffffffff00000000 8 high\n";
    struct perf_map *map = perf_map_parse(text, strlen(text));
    assert_int_equal(perf_map_count(map), 3);
    found(map, 0xfff, NULL);
    found(map, 0x1000, "first one");
    found(map, 0x101f, "first one");
    found(map, 0x1020, "second");
    found(map, 0x1030, NULL);
    found(map, 0xffffffff00000007, "high");
    perf_map_close(map);
}

TEST(the_last_line_about_an_address_holds)
{
    static const char text[] = "1000 100 old\n1040 20 inner\n1000 100 new\n1080 10 later\n"
                               "2000 10 small\n1f00 200 large\n";
    struct perf_map *map = perf_map_parse(text, strlen(text));
    found(map, 0x1000, "new");
    found(map, 0x1045, "new");
    found(map, 0x1085, "later");
    found(map, 0x1095, "new");
    found(map, 0x2005, "large");
    perf_map_close(map);
}

TEST(lines_that_are_none_are_skipped)
{
    static const char text[] =
        "\n \nzz 10 a\n1000\n1000 10\n1000 10 \n1000 0 b\n-5 10 c\n"
        "ffffffffffffffff 2 d\n0x3000 0x10 prefixed\n4000 10 good\n5000 10 not ended";
    struct perf_map *map = perf_map_parse(text, strlen(text));
    found(map, 0x1000, NULL);
    found(map, 0x3000, "prefixed");
    found(map, 0x4000, "good");
    found(map, 0x5000, NULL);
    assert_int_equal(perf_map_count(map), 2);
    perf_map_close(map);
}

TEST(what_is_added_is_read_and_a_new_file_too)
{
    write_list("1000 10 one\n2000 10 half", "w");
    struct perf_map *map = perf_map_open(path, (uint32_t)getuid());
    found(map, 0x1000, "one");
    found(map, 0x2000, NULL);
    write_list(" a line\n1000 10 again\n", "a");
    found(map, 0x1000, "one");
    perf_map_refresh(map);
    found(map, 0x2000, "half a line");
    found(map, 0x1000, "again");
    write_list("3000 10 anew\n", "w");
    perf_map_refresh(map);
    found(map, 0x1000, NULL);
    found(map, 0x3000, "anew");
    unlink(path); /* what is open stays */
    found(map, 0x3000, "anew");
    perf_map_close(map);
}

TEST(links_and_lists_of_others_are_not_read)
{
    char other[80];
    CHECK(!perf_map_exists(path, (uint32_t)getuid()));
    write_list("1000 10 one\n", "w");
    CHECK(perf_map_exists(path, (uint32_t)getuid()));
    CHECK(!perf_map_exists(path, (uint32_t)getuid() + 1));
    CHECK(!perf_map_open(path, (uint32_t)getuid() + 1));
    snprintf(other, sizeof(other), "%s.real", path);
    rename(path, other);
    CHECK(symlink(other, path) == 0);
    CHECK(!perf_map_exists(path, (uint32_t)getuid()));
    unlink(other);
    unlink(path);
    CHECK(mkfifo(path, 0600) == 0);
    CHECK(!perf_map_exists(path, (uint32_t)getuid()));
}

TEST(paths_are_told)
{
    CHECK(perf_map_is_path("/tmp/perf-7.map"));
    CHECK(perf_map_is_path("/proc/42/root/tmp/perf-7.map"));
    CHECK(!perf_map_is_path("/tmp/perf-.map") && !perf_map_is_path("/tmp/perf-7.maps"));
    CHECK(!perf_map_is_path("/usr/perf-7.map") && !perf_map_is_path("perf-7.map"));
    CHECK(!perf_map_is_path("") && !perf_map_is_path("/tmp/perf-7x.map"));
}

TEST(the_resolver_names_by_the_list)
{
    struct resolver *resolver = resolver_create();
    struct resolver_module const module = {.path = path, .root = "", .build_id = ""};
    struct resolved names[RESOLVED_MAX];
    assert_int_equal(resolver_lookup(resolver, &module, 0x1004, names), 0);
    write_list("1000 10 JS:~hot\n", "w");
    assert_int_equal(resolver_lookup(resolver, &module, 0x1004, names), 1);
    assert_string_equal(names[0].function, "JS:~hot");
    assert_int_equal(resolver_lookup(resolver, &module, 0x2004, names), 0);
    write_list("2000 10 late\n", "a");
    assert_int_equal(resolver_lookup(resolver, &module, 0x2004, names), 1);
    resolver_destroy(resolver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_have_blanks_and_ends),
        cmocka_unit_test(the_last_line_about_an_address_holds),
        cmocka_unit_test(lines_that_are_none_are_skipped),
        cmocka_unit_test_setup_teardown(what_is_added_is_read_and_a_new_file_too, begin, end),
        cmocka_unit_test_setup_teardown(links_and_lists_of_others_are_not_read, begin, end),
        cmocka_unit_test(paths_are_told),
        cmocka_unit_test_setup_teardown(the_resolver_names_by_the_list, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
