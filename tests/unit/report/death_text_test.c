/* SPDX-License-Identifier: Apache-2.0 */
#include "report/text/death_text.h"

#include <stdlib.h>

#include "check.h"
#include "sample_recording.h"

static void add_death(struct sample *sample, const int64_t *bytes)
{
    struct pin pin = {.kind = PIN_DEATH,
                      .label = recording_intern(sample->recording, "killed by SIGABRT")};
    pin.cells = calloc(2 * SITE_COUNT, sizeof(struct cell));
    for (unsigned i = 0; i < SITE_COUNT; i++) {
        if (bytes[i] == 0)
            continue;
        pin.cells[pin.cell_count++] = (struct cell){sample->stacks[i], COL_HEAP_CALLS, 1};
        pin.cells[pin.cell_count++] = (struct cell){sample->stacks[i], COL_HEAP_BYTES, bytes[i]};
    }
    assert_true(vec_push(&sample->recording->pins, pin));
}

static void check_text(const int64_t *bytes, const char *expected)
{
    struct sample sample = sample_create();
    struct text_line line = {0};
    add_death(&sample, bytes);
    assert_int_equal(death_render(sample.recording, &line), 0);
    assert_string_equal(line.text, expected);
    sample_destroy(&sample);
}

/* A function without a name is its module and offset, and not whoever called it. */
TEST(nameless_code_is_not_its_caller)
{
    check_text((const int64_t[SITE_COUNT]){[SITE_PLUGIN] = 4096, [SITE_TREE] = 1024},
               "at death: killed by SIGABRT; 5.00 KiB live in 2 blocks: 4.00 KiB by "
               "libplugin.so+0x1234, 1.00 KiB by walk");
}

TEST(equal_owners_are_all_there)
{
    check_text((const int64_t[SITE_COUNT]){[SITE_CACHE] = 1024, [SITE_TREE] = 1024},
               "at death: killed by SIGABRT; 2.00 KiB live in 2 blocks: 1.00 KiB by cache_insert, "
               "1.00 KiB by walk");
}

TEST(one_block_is_one)
{
    struct sample sample = sample_create();
    struct text_line line = {0};
    add_death(&sample, (const int64_t[SITE_COUNT]){[SITE_TREE] = 1024});
    assert_int_equal(death_render(sample.recording, &line), 0);
    assert_non_null(strstr(line.text, "1.00 KiB live in 1 block:"));
    sample_destroy(&sample);
}

TEST(nothing_is_said_of_who_lived)
{
    struct sample sample = sample_create();
    struct text_line line = {0};
    assert_int_equal(death_render(sample.recording, &line), 0);
    assert_string_equal(line.text, "");
    sample_destroy(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nameless_code_is_not_its_caller),
        cmocka_unit_test(equal_owners_are_all_there),
        cmocka_unit_test(one_block_is_one),
        cmocka_unit_test(nothing_is_said_of_who_lived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
