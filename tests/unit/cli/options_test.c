/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/shared/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "cli/shared/help.h"
#include "base/nearest.h"

struct taken {
    const char *name;
    int loud;
};

static int take_name(void *into, const char *argument, struct fault *fault)
{
    (void)fault;
    ((struct taken *)into)->name = argument;
    return strcmp(argument, "bad") == 0 ? -EINVAL : 0;
}

static int take_loud(void *into, const char *argument, struct fault *fault)
{
    (void)argument, (void)fault;
    ((struct taken *)into)->loud++;
    return 0;
}

static const struct option_rule rules[] = {{"--name", "NAME", "what to call it", take_name},
                                           {"-o", "FILE", "where to", take_name},
                                           {"--loud", NULL, "louder", take_loud},
                                           {NULL, NULL, NULL, NULL}};
static struct taken taken;
static const struct option_set sets[] = {{"Own options", rules, &taken}};
static struct fault fault;

static int parse(char **argv)
{
    int argc = 0;
    while (argv[argc])
        argc++;
    taken = (struct taken){0};
    fault = (struct fault){0};
    return options_parse(argc, argv, sets, 1, &fault);
}
#define PARSE(...) parse((char *[]){"cmd", __VA_ARGS__ __VA_OPT__(, ) NULL})

TEST(every_form_is_taken)
{
    CHECK(PARSE("--name", "x") == 0 && strcmp(taken.name, "x") == 0);
    CHECK(PARSE("--name=x=y") == 0 && strcmp(taken.name, "x=y") == 0);
    CHECK(PARSE("-o", "out") == 0 && strcmp(taken.name, "out") == 0);
    CHECK(PARSE("-oout") == 0 && strcmp(taken.name, "out") == 0);
    CHECK(PARSE("--loud", "--loud") == 0 && taken.loud == 2);
    CHECK(PARSE("--name", "-10s") == 0 && strcmp(taken.name, "-10s") == 0);
    CHECK(PARSE() == 0);
}

TEST(words_keep_their_order)
{
    char *argv[] = {"cmd", "a", "--loud", "-", "--", "--name", NULL};
    CHECK(parse(argv) == 3 && taken.loud == 1);
    assert_string_equal(argv[1], "a");
    assert_string_equal(argv[2], "-");
    assert_string_equal(argv[3], "--name");
}

TEST(wrong_usage_is_one_sentence)
{
    CHECK(PARSE("--nmae", "x") == -EINVAL);
    assert_string_equal(fault.text, "there is no option --nmae, did you mean --name?");
    CHECK(PARSE("--nmae=x") == -EINVAL);
    assert_string_equal(fault.text, "there is no option --nmae, did you mean --name?");
    CHECK(PARSE("--entirely-else") == -EINVAL);
    assert_string_equal(fault.text,
                        "there is no option --entirely-else: --help lists those there are");
    CHECK(PARSE("--name") == -EINVAL);
    assert_string_equal(fault.text, "--name needs an argument: --name NAME");
    CHECK(PARSE("--loud=3") == -EINVAL);
    CHECK(strstr(fault.text, "takes no argument"));
    CHECK(PARSE("--name", "bad") == -EINVAL);
    assert_string_equal(fault.text, "--name cannot be \"bad\": it takes NAME");
    CHECK(PARSE("--loud", "--help") == -ECANCELED);
}

TEST(help_lists_every_option)
{
    const struct command_help help = {"memoir x FILE", "Does x.", "  memoir x y\n", sets, 1};
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    help_print(file, &help);
    fclose(file);
    assert_string_equal(text, "Usage: memoir x FILE\n\nDoes x.\n\nOwn options:\n"
                              "  --name NAME                 what to call it\n"
                              "  -o FILE                     where to\n"
                              "  --loud                      louder\n"
                              "\nExamples:\n  memoir x y\n");
    free(text);
}

TEST(distance_counts_slips_of_the_finger)
{
    CHECK(nearest_distance("report", "report") == 0);
    CHECK(nearest_distance("reprot", "report") == 1);
    CHECK(nearest_distance("rport", "report") == 1);
    CHECK(nearest_distance("reportt", "report") == 1);
    CHECK(nearest_distance("", "abc") == 3);
    CHECK(nearest_distance("kitten", "sitting") == 3);
    CHECK(nearest_is_near("reprot", 1) && !nearest_is_near("ab", 2));
    CHECK(nearest_is_near("rn", 1) && nearest_is_near("--nmae", 1) &&
          nearest_is_near("--outptu", 2));
    CHECK(!nearest_is_near("-5", 1) && !nearest_is_near("--bogus", 3) &&
          !nearest_is_near("heat", 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_is_taken),
        cmocka_unit_test(words_keep_their_order),
        cmocka_unit_test(wrong_usage_is_one_sentence),
        cmocka_unit_test(help_lists_every_option),
        cmocka_unit_test(distance_counts_slips_of_the_finger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
