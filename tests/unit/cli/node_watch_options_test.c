/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster/node_watch_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

#define SECOND 1000000000ull

/* Of a command line: 0 or -errno. */
static int make(char **words, struct node_watch_options *options, struct fault *fault)
{
    struct node_watch_wish wish = {0};
    struct option_set const sets[] = {{NULL, node_watch_when_rules, &wish},
                                      {NULL, node_watch_rules, &wish},
                                      {NULL, node_watch_which_rules, &wish}};
    struct node_list list = {0};
    int argc = 0;
    while (words[argc])
        argc++;
    int err = options_parse(argc, words, sets, 3, fault);
    if (err >= 0)
        err = node_watch_options_make(&wish, &list, options, fault);
    node_watch_wish_fini(&wish);
    return err;
}
#define MAKE(options, fault, ...) make((char *[]){"watch", __VA_ARGS__, NULL}, options, fault)

TEST(heap_and_memory_are_taken_unless_they_are_not_wanted)
{
    struct node_watch_options options = {0};
    CHECK(MAKE(&options, NULL, "-o", "run") == 0);
    CHECK(options.captures == (CAPTURE_HEAP | CAPTURE_RSS) && options.cpu_ns == 0);
    CHECK(options.timeout_ms == 15000 && options.mutex_rate == 100);
    CHECK(options.block_rate_ns == SECOND / 10);
    CHECK(MAKE(&options, NULL, "--no-heap", "--no-rss", "--metrics", "--mutex") == 0);
    CHECK(options.captures == (CAPTURE_METRICS | CAPTURE_MUTEX));
}

TEST(the_originals_names_mean_the_same)
{
    struct node_watch_options options = {0};
    CHECK(MAKE(&options, NULL, "--period", "5m", "--runtime", "2h", "--blockinfo", "--cpu-after",
               "10m", "--cpu-sample", "30s") == 0);
    CHECK(options.every_ns == 300 * SECOND && options.for_ns == 7200 * SECOND);
    CHECK(options.captures == (CAPTURE_HEAP | CAPTURE_RSS | CAPTURE_BLOCKINFO | CAPTURE_CPU));
    CHECK(options.cpu_ns == 30 * SECOND && options.cpu_after_ns == 600 * SECOND);
    CHECK(MAKE(&options, NULL, "--cpu", "--every", "1s") == 0 && options.cpu_ns == 90 * SECOND);
    CHECK(MAKE(&options, NULL, "--rounds", "7", "--every", "1s") == 0);
    CHECK(options.rounds == 7 && (options.captures & CAPTURE_BLOCKINFO));
}

TEST(what_makes_no_sense_is_refused_with_a_sentence)
{
    struct node_watch_options options = {0};
    struct fault fault = {0};
    CHECK(MAKE(&options, &fault, "--for", "5s") == -EINVAL && strstr(fault.text, "--every"));
    CHECK(MAKE(&options, &fault, "--rounds", "5") == -EINVAL && strstr(fault.text, "--rounds"));
    CHECK(MAKE(&options, &fault, "--every", "1s", "--for", "5s", "--cpu", "--cpu-after", "6s") < 0);
    CHECK(MAKE(&options, &fault, "--every", "1ms") < 0 && strstr(fault.text, "50ms"));
    CHECK(MAKE(&options, &fault, "--every", "0") < 0 && MAKE(&options, &fault, "--port", "0") < 0);
    CHECK(MAKE(&options, &fault, "--header", "a\nb: c") < 0 &&
          MAKE(&options, &fault, "--header", "x") < 0);
    CHECK(MAKE(&options, &fault, "--token-file", "/nowhere/at/all") < 0 && fault.text[0]);
}

TEST(the_command_is_kept_without_secrets)
{
    char *words[] = {"watch",
                     "http://user:s3cret@h:1/p?token=s3cret",
                     "unix:/s.sock:/x?k=s3cret",
                     "--header",
                     "X: s3cret",
                     "--header=Y: s3cret",
                     "net/a",
                     "--every=5m"};
    char *command = command_without_secrets(8, words);
    assert_string_equal(command,
                        "memoir watch http://h:1/p unix:/s.sock:/x --header ... --header=... "
                        "net/a --every=5m");
    free(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heap_and_memory_are_taken_unless_they_are_not_wanted),
        cmocka_unit_test(the_originals_names_mean_the_same),
        cmocka_unit_test(what_makes_no_sense_is_refused_with_a_sentence),
        cmocka_unit_test(the_command_is_kept_without_secrets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
