/* SPDX-License-Identifier: Apache-2.0 */
#include "report/top/top_page.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "check.h"
#include "sample_recording.h"

#define SEC UINT64_C(1000000000)

static struct sample sample;
static struct running *running;
static struct top_view view;

static int begin(void **state)
{
    (void)state;
    sample = sample_create();
    running = running_create();
    CHECK(running_advance(running, sample.recording, 20 * SEC, NULL) == 0);
    running_mark(running);
    CHECK(running_advance(running, sample.recording, UINT64_MAX, NULL) == 0);
    view = (struct top_view){.recording = sample.recording,
                             .running = running,
                             .question = {.metric = metric_find("heap.live"), .by = BY_FUNCTION}};
    return top_view_prepare(&view);
}

static int end(void **state)
{
    (void)state;
    top_view_fini(&view);
    running_destroy(running);
    sample_destroy(&sample);
    return 0;
}

static const char *line(const struct top_page *page, size_t i)
{
    CHECK(i < page->lines.count);
    return page->lines.items[i].text;
}

TEST(the_head_tells_sizes_rates_and_the_question)
{
    struct top_page page = {0};
    CHECK(top_page_render(&view, 0, 0, 10, &page) == 0);
    CHECK(strstr(line(&page, 0), "ledger-node (pid 4242)"));
    CHECK(strstr(line(&page, 1), "heap 2.50 MiB in 5 blocks"));
    CHECK(strstr(line(&page, 1), "peak 11.0 MiB at 18.0 s"));
    CHECK(strstr(line(&page, 2), "100 allocations/s of 6.25 KiB/s"));
    CHECK(strstr(line(&page, 3), "heap.live 2.50 MiB by function, sorted by value"));
    CHECK(strstr(line(&page, 3), "growth since 10.0 s before"));
    top_page_fini(&page);
}

TEST(a_sampled_heap_has_an_error)
{
    struct top_page page = {0};
    sample.recording->quality.sample_rate = 512 << 10;
    CHECK(top_page_render(&view, 0, 0, 10, &page) == 0);
    CHECK(strstr(line(&page, 1), "heap 2.50 MiB ± "));
    top_page_fini(&page);
}

TEST(rows_have_value_share_growth_and_rate)
{
    struct top_page page = {0};
    CHECK(top_page_render(&view, 0, 0, 10, &page) == 0);
    const char *cache = line(&page, TOP_HEAD_LINES);
    CHECK(strstr(cache, "2.00 MiB") && strstr(cache, "79.9 %") && strstr(cache, "-8.00 MiB") &&
          strstr(cache, "-819 KiB/s") && strstr(cache, " 2  cache_insert (cache.c:"));
    top_page_fini(&page);
    page = (struct top_page){0};
    CHECK(top_page_render(&view, 0, 1, 1, &page) == 0); /* one row, the second */
    CHECK(page.lines.count == TOP_HEAD_LINES + 1 && strstr(line(&page, TOP_HEAD_LINES), "walk"));
    top_page_fini(&page);
}

TEST(lines_are_no_wider_than_the_screen_and_clean)
{
    sample.recording->program = recording_intern(sample.recording, "evil\033[2Jname");
    for (unsigned width = 1; width < 130; width++) {
        struct top_page page = {0};
        CHECK(top_page_render(&view, width, 0, 10, &page) == 0);
        for (size_t i = 0; i < page.lines.count; i++) {
            CHECK(utf8_columns(line(&page, i), strlen(line(&page, i))) <= width);
            CHECK(!strchr(line(&page, i), '\033'));
        }
        top_page_fini(&page);
    }
}

TEST(a_stack_shows_its_callers)
{
    struct top_page page = {0};
    top_view_fini(&view);
    view.question.by = BY_STACK;
    CHECK(top_view_prepare(&view) == 0);
    CHECK(top_page_render(&view, 0, 0, 10, &page) == 0);
    CHECK(strstr(line(&page, TOP_HEAD_LINES), "cache_insert < store_block < handle < main"));
    CHECK(!strstr(line(&page, TOP_HEAD_LINES), "_start"));
    top_page_fini(&page);
}

TEST(a_process_without_a_recording_has_what_the_kernel_says)
{
    struct top_page page = {0};
    struct top_process const process = {.pid = 7,
                                        .name = "x",
                                        .rss_bytes = 1 << 20,
                                        .swap_bytes = -1,
                                        .threads = 1,
                                        .advice = "do this"};
    CHECK(top_process_render(&process, 0, &page) == 0);
    CHECK(strstr(line(&page, 0), "x (pid 7), 1 thread, not recorded"));
    CHECK(strstr(line(&page, 1), "rss 1.00 MiB") && strstr(line(&page, 1), "swap ?"));
    assert_string_equal(line(&page, page.lines.count - 1), "do this");
    top_page_fini(&page);
}

TEST(json_has_the_same_numbers)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    CHECK(top_json_write(&view, 1, out) == 0);
    fclose(out);
    CHECK(strstr(text, "\"heap_bytes\": 2625540,") && strstr(text, "\"heap_blocks\": 5,"));
    CHECK(strstr(text, "\"value\": 2097152, \"growth\": -8388608, \"count\": 2"));
    CHECK(!strstr(text, "walk"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_head_tells_sizes_rates_and_the_question, begin, end),
        cmocka_unit_test_setup_teardown(a_sampled_heap_has_an_error, begin, end),
        cmocka_unit_test_setup_teardown(rows_have_value_share_growth_and_rate, begin, end),
        cmocka_unit_test_setup_teardown(lines_are_no_wider_than_the_screen_and_clean, begin, end),
        cmocka_unit_test_setup_teardown(a_stack_shows_its_callers, begin, end),
        cmocka_unit_test_setup_teardown(a_process_without_a_recording_has_what_the_kernel_says,
                                        begin, end),
        cmocka_unit_test_setup_teardown(json_has_the_same_numbers, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
