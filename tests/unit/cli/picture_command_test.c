/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/shared/picture_command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "cli/shared/helper_program.h"

TEST(the_ending_says_the_format)
{
    struct fault fault = {0};
    enum picture_format format;
    assert_int_equal(picture_format_of("a.svg", &format, &fault), 0);
    assert_int_equal(format, PICTURE_SVG);
    assert_int_equal(picture_format_of("dir.x/a.PNG", &format, &fault), 0);
    assert_int_equal(format, PICTURE_PNG);
    static const char *const wrong[] = {"a.gif", "a", ".png", "svg", ""};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        fault.text[0] = '\0';
        assert_int_equal(picture_format_of(wrong[i], &format, &fault), -EINVAL);
        CHECK(strstr(fault.text, ".svg, .html or .png"));
    }
}

TEST(only_the_picked_options_are_there)
{
    static const struct picture_rule wanted[] = {
        {"--metric", NULL}, {"-o", "where to"}, {"--no-such", NULL}, {NULL, NULL}};
    struct option_rule rules[PICTURE_RULES_MAX];
    picture_pick_rules(wanted, rules);
    assert_string_equal(rules[0].name, "--metric");
    assert_string_equal(rules[1].name, "-o");
    assert_string_equal(rules[1].help, "where to");
    assert_null(rules[2].name);
}

struct size {
    unsigned width;
};

static int parse_width(struct size *size, char *value)
{
    static const struct option_rule rules[] = {
        {"--width", "PIXELS", "", PICTURE_PIXELS(struct size, width)}, {.name = NULL}};
    struct option_set const set = {NULL, rules, size};
    struct fault fault = {0};
    return options_parse(3, (char *[]){"cmd", "--width", value, NULL}, &set, 1, &fault);
}

TEST(pixels_are_a_number_in_bounds)
{
    struct size size = {.width = 7};
    static char *const wrong[] = {"0", "-1", "16001", "wide", "", "99999999999999999999"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_equal(parse_width(&size, wrong[i]), -EINVAL);
    assert_int_equal(size.width, 7);
    assert_int_equal(parse_width(&size, "16000"), 0);
    assert_int_equal(size.width, 16000);
}

TEST(a_missing_helper_is_told)
{
    char path[PATH_MAX];
    assert_int_equal(helper_program_path("memoir-no-such-helper", path), -ENOENT);
    CHECK(strstr(path, "memoir-no-such-helper"));
}

TEST(a_picture_is_private_and_whole)
{
    char folder[] = "/tmp/memoir-picture-XXXXXX", path[64], back[16];
    struct svg_out svg = {0};
    struct stat status;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/a.svg", folder);
    svg_raw(&svg, "<svg/>");
    umask(0);
    assert_int_equal(picture_write(&svg, path, PICTURE_SVG, NULL), 0);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    int const fd = open(path, O_RDONLY);
    assert_int_equal(read(fd, back, sizeof(back)), 6);
    close(fd);
    struct fault fault = {0};
    assert_int_equal(picture_write(&svg, "/dev/full", PICTURE_SVG, &fault), -ENOSPC);
    CHECK(strstr(fault.text, "No space left"));
    svg_out_fini(&svg);
    unlink(path);
    rmdir(folder);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ending_says_the_format),
        cmocka_unit_test(only_the_picked_options_are_there),
        cmocka_unit_test(pixels_are_a_number_in_bounds),
        cmocka_unit_test(a_missing_helper_is_told),
        cmocka_unit_test(a_picture_is_private_and_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
