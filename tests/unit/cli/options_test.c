/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/shared/options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "cli/shared/help.h"
#include "base/nearest.h"
#include "base/vec.h"

enum color { COLOR_NONE, COLOR_RED, COLOR_BLUE };
enum { BIT_ONE = 1, BIT_FOUR = 4 };

struct taken {
    const char *name, *file;
    bool quiet, has_port, is_bold;
    enum color color, ink;
    uint32_t bits;
    uint16_t port;
    unsigned rows, rate;
    uint64_t height, size, time_ns, pause_ns;
    int64_t limit;
    double share, tps, most;
    struct option_list words;
    int loud;
};

static int handle_loud(void *into, const char *name, const char *value, struct fault *fault)
{
    (void)fault;
    assert_string_equal(name, "--loud");
    assert_null(value);
    ((struct taken *)into)->loud++;
    return 0;
}

static int handle_even(void *into, const char *name, const char *value, struct fault *fault)
{
    (void)into;
    if (strcmp(value, "odd") == 0)
        return fault_set(fault, -EINVAL, "%s is never odd", name);
    return strcmp(value, "even") == 0 ? 0 : -EINVAL;
}

static const char *const colors[] = {"", "red", "blue", "green", NULL};

static const struct option_rule rules[] = {
    {"--name", "NAME", "what to call it", OPTION_TEXT(struct taken, name)},
    {"-o", "FILE", "where to", OPTION_TEXT(struct taken, name)},
    {"--loud", NULL, "louder", OPTION_CALLBACK(handle_loud)},
    {"--even", "EVEN", "even", OPTION_CALLBACK(handle_even)},
    {"--quiet", NULL, "say nothing", OPTION_FLAG(struct taken, quiet)},
    {"--bold", NULL, "bold red", OPTION_VALUE(struct taken, ink, COLOR_RED),
     OPTION_ALSO(struct taken, is_bold)},
    {"--one", NULL, "one", OPTION_BITS(struct taken, bits, BIT_ONE)},
    {"--four", NULL, "four", OPTION_BITS(struct taken, bits, BIT_FOUR)},
    {"--port", "PORT", "port", OPTION_COUNT(struct taken, port, 1, 65535),
     OPTION_ALSO(struct taken, has_port)},
    {"--rows", "N", "rows", OPTION_COUNT(struct taken, rows, 0, OPTION_NO_LIMIT)},
    {"--height", "N", "height", OPTION_COUNT(struct taken, height, 1, OPTION_NO_LIMIT)},
    {"--size", "SIZE", "size", OPTION_BYTES(struct taken, size, 64 << 10, OPTION_NO_LIMIT)},
    {"--limit", "SIZE", "limit", OPTION_BYTES(struct taken, limit, 1, INT64_MAX)},
    {"--share", "Q", "share", OPTION_FRACTION(struct taken, share, 0, 1)},
    {"--tps", "N", "tps", OPTION_FRACTION_ABOVE(struct taken, tps, 0, 1e6)},
    {"--most", "N", "most", OPTION_FRACTION(struct taken, most, 0, INFINITY)},
    {"--time", "TIME", "time", OPTION_DURATION(struct taken, time_ns, 50000000, 86400000000000)},
    {"--pause", "=TIME", "pause", OPTION_DURATION(struct taken, pause_ns, 1, OPTION_NO_LIMIT)},
    {"--rate", "=HZ", "rate", OPTION_COUNT(struct taken, rate, 1, 1000), OPTION_LEFT_OUT(99)},
    {"--color", "COLOR", "color", OPTION_CHOICE(struct taken, color, colors)},
    {"--word", "WORD", "word", OPTION_LIST(struct taken, words, 2)},
    {"--file", "=FILE", "file", OPTION_TEXT(struct taken, file), OPTION_ALSO(struct taken, quiet)},
    {.name = NULL}};
static struct taken taken;
static const struct option_set sets[] = {{"Own options", rules, &taken}};
static struct fault fault;

static int parse(char **argv)
{
    int argc = 0;
    while (argv[argc])
        argc++;
    vec_free(&taken.words);
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
    assert_string_equal(fault.text, "there is no option --entirely-else: --help lists all options");
    CHECK(PARSE("--name") == -EINVAL);
    assert_string_equal(fault.text, "--name needs an argument: --name NAME");
    CHECK(PARSE("--loud=3") == -EINVAL);
    CHECK(strstr(fault.text, "takes no argument"));
    CHECK(PARSE("--even", "bad") == -EINVAL);
    assert_string_equal(fault.text, "--even cannot be \"bad\": it takes EVEN");
    CHECK(PARSE("--even", "odd") == -EINVAL);
    assert_string_equal(fault.text, "--even is never odd");
    CHECK(PARSE("--loud", "--help") == -ECANCELED);
}

#define REFUSED(sentence, ...)                                                                     \
    do {                                                                                           \
        CHECK(PARSE(__VA_ARGS__) == -EINVAL);                                                      \
        assert_string_equal(fault.text, sentence);                                                 \
    } while (0)

TEST(flags_set_fields_values_and_bits)
{
    CHECK(PARSE("--quiet") == 0 && taken.quiet && !taken.is_bold);
    CHECK(PARSE("--bold") == 0 && taken.ink == COLOR_RED && taken.is_bold && !taken.quiet);
    CHECK(PARSE("--one") == 0 && taken.bits == BIT_ONE);
    CHECK(PARSE("--one", "--four", "--one") == 0 && taken.bits == (BIT_ONE | BIT_FOUR));
    REFUSED("--quiet takes no argument, leave \"=yes\" out", "--quiet=yes");
}

TEST(counts_have_limits)
{
    CHECK(PARSE("--port", "1") == 0 && taken.port == 1 && taken.has_port);
    CHECK(PARSE("--port=65535") == 0 && taken.port == 65535);
    REFUSED("--port cannot be \"0\": it is a number from 1 to 65535", "--port", "0");
    CHECK(taken.port == 0 && !taken.has_port);
    REFUSED("--port cannot be \"65536\": it is a number from 1 to 65535", "--port", "65536");
    REFUSED("--port cannot be \"\": it is a number from 1 to 65535", "--port", "");
    CHECK(PARSE("--rows", "4294967295") == 0 && taken.rows == UINT32_MAX);
    CHECK(PARSE("--rows", "4294967296") == -EINVAL && taken.rows == 0);
    REFUSED("--rows cannot be \"-1\": it is a number", "--rows", "-1");
    CHECK(PARSE("--height", "18446744073709551615") == 0 && taken.height == UINT64_MAX);
    REFUSED("--height cannot be \"0\": it is a number above 0", "--height", "0");
    CHECK(PARSE("--height", "18446744073709551616") == -EINVAL);
}

TEST(sizes_and_times_have_limits_as_people_type_them)
{
    CHECK(PARSE("--size", "64K") == 0 && taken.size == 65536);
    REFUSED("--size cannot be \"1K\": it is a size of at least 64K", "--size", "1K");
    CHECK(PARSE("--limit", "2G") == 0 && taken.limit == INT64_C(2) << 30);
    REFUSED("--limit cannot be \"big\": it is a size above 0, such as 64K or 2G", "--limit", "big");
    CHECK(PARSE("--limit", "9223372036854775808") == -EINVAL && taken.limit == 0);
    CHECK(PARSE("--time", "50ms") == 0 && taken.time_ns == 50000000);
    REFUSED("--time cannot be \"2d\": it is a time from 50ms to 1d", "--time", "2d");
    CHECK(PARSE("--pause=1.5s") == 0 && taken.pause_ns == 1500000000);
    REFUSED("--pause cannot be \"x\": it is a time above 0, such as 250ms, 90s or 1h30m",
            "--pause=x");
}

TEST(fractions_have_limits)
{
    CHECK(PARSE("--share", "0.99") == 0 && taken.share == 0.99);
    CHECK(PARSE("--share=1") == 0 && taken.share == 1);
    CHECK(PARSE("--share=.5", "--share=0") == 0 && taken.share == 0);
    REFUSED("--share cannot be \"1.01\": it is a number from 0 to 1", "--share", "1.01");
    REFUSED("--share cannot be \"-0.1\": it is a number from 0 to 1", "--share", "-0.1");
    REFUSED("--share cannot be \"\": it is a number from 0 to 1", "--share", "");
    REFUSED("--share cannot be \"1x\": it is a number from 0 to 1", "--share", "1x");
    REFUSED("--share cannot be \"nan\": it is a number from 0 to 1", "--share", "nan");
    CHECK(taken.share == 0);
    CHECK(PARSE("--tps", "0.5") == 0 && taken.tps == 0.5);
    CHECK(PARSE("--tps", "1e6") == 0 && taken.tps == 1e6);
    REFUSED("--tps cannot be \"0\": it is a number above 0, at most 1000000", "--tps", "0");
    REFUSED("--tps cannot be \"1000001\": it is a number above 0, at most 1000000", "--tps",
            "1000001");
    CHECK(PARSE("--most", "1e300") == 0 && taken.most == 1e300);
    REFUSED("--most cannot be \"-1\": it is a number from 0 on", "--most", "-1");
    REFUSED("--most cannot be \"nan\": it is a number from 0 on", "--most", "nan");
}

TEST(what_is_left_out_leaves_the_field)
{
    CHECK(PARSE("--pause") == 0 && taken.pause_ns == 0);
    CHECK(PARSE("--pause=2s", "--pause") == 0 && taken.pause_ns == 2000000000);
    CHECK(PARSE("--rate") == 0 && taken.rate == 99);
    CHECK(PARSE("--rate=7") == 0 && taken.rate == 7);
    CHECK(PARSE("--rate=7", "--rate") == 0 && taken.rate == 99);
    CHECK(PARSE("--file") == 0 && !taken.file && taken.quiet);
    CHECK(PARSE("--file=x") == 0 && strcmp(taken.file, "x") == 0 && taken.quiet);
    CHECK(PARSE("--file", "word") == 1 && !taken.file);
    CHECK(PARSE("--file=x", "--file") == 0 && !taken.file);
}

TEST(choices_are_the_names_in_the_table)
{
    CHECK(PARSE("--color", "blue") == 0 && taken.color == COLOR_BLUE);
    REFUSED("--color cannot be \"pink\": it is red, blue or green", "--color", "pink");
    REFUSED("--color cannot be \"\": it is red, blue or green", "--color", "");
    CHECK(taken.color == COLOR_NONE);
}

TEST(lists_keep_order_and_have_a_bound)
{
    CHECK(PARSE("--word", "b", "--word=a") == 0 && taken.words.count == 2);
    assert_string_equal(taken.words.items[0], "b");
    assert_string_equal(taken.words.items[1], "a");
    REFUSED("--word can be given 2 times at most", "--word=1", "--word=2", "--word=3");
    vec_free(&taken.words);
}

TEST(help_lists_every_option)
{
    static const struct option_rule few[] = {
        {"--name", "NAME", "what to call it", OPTION_TEXT(struct taken, name)},
        {"-o", "FILE", "where to", OPTION_TEXT(struct taken, name)},
        {"--loud", NULL, "louder", OPTION_CALLBACK(handle_loud)},
        {"--pause", "=TIME", "wait", OPTION_DURATION(struct taken, pause_ns, 0, OPTION_NO_LIMIT)},
        {.name = NULL}};
    const struct option_set own[] = {{"Own options", few, &taken}};
    const struct command_help help = {"memoir x FILE", "Does x.", "  memoir x y\n", own, 1};
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    help_print(file, &help);
    fclose(file);
    assert_string_equal(text, "Usage: memoir x FILE\n\nDoes x.\n\nOwn options:\n"
                              "  --name NAME                 what to call it\n"
                              "  -o FILE                     where to\n"
                              "  --loud                      louder\n"
                              "  --pause[=TIME]              wait\n"
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
        cmocka_unit_test(flags_set_fields_values_and_bits),
        cmocka_unit_test(counts_have_limits),
        cmocka_unit_test(sizes_and_times_have_limits_as_people_type_them),
        cmocka_unit_test(fractions_have_limits),
        cmocka_unit_test(what_is_left_out_leaves_the_field),
        cmocka_unit_test(choices_are_the_names_in_the_table),
        cmocka_unit_test(lists_keep_order_and_have_a_bound),
        cmocka_unit_test(help_lists_every_option),
        cmocka_unit_test(distance_counts_slips_of_the_finger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
