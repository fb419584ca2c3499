/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/content/tree_text.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "page_recording.h"

#define KIB 1024

static struct page_recording odd_names(void)
{
    struct page_recording made = page_recording_create();
    uint32_t const node = page_module(&made, "/bin/a \"node\"");
    uint32_t const outer = page_frame_add(&made, node, 0x1fffffff0, "main", "ma\\in\xff");
    uint32_t const inner = page_frame_add(&made, node, 0x20, NULL, "");
    page_book(&made, page_stack(&made, (uint32_t[]){inner, outer}, 2), PAGE_ANON, 8 * KIB);
    page_book(&made, page_stack(&made, (uint32_t[]){outer}, 1), PAGE_CACHE, 4 * KIB);
    return made;
}

static struct tree_text *text_of(struct page_recording *made, struct tree_wish wish)
{
    int err;
    struct tree_text *text = tree_text_make(made->recording, made->running, &wish, &err);
    CHECK(text && !err);
    return text;
}

/* All of it, `step` bytes at a time; the caller frees. */
static char *read_stream(struct tree_text *text, size_t step)
{
    struct answer_stream stream = tree_text_stream(text);
    char *whole = calloc(1, 65536);
    size_t size = 0;
    for (size_t got = 1; got; size += got) {
        CHECK(size + step < 65536);
        got = stream.fill(stream.state, whole + size, step);
        CHECK(got <= step);
    }
    CHECK(stream.fill(stream.state, whole + size, step) == 0);
    stream.close(stream.state);
    return whole;
}

TEST(the_text_is_the_same_however_little_is_taken_at_a_time)
{
    static const char wanted[] =
        "{\"value\":12,\"cacheValue\":4,\"frames\":[{\"name\":{\"offset\":\"fffffff0\","
        "\"executable\":\"a \\\"node\\\"\",\"functionName\":\"ma\\\\in\xef\xbf\xbd\","
        "\"functionCategory\":\"nodeCpp\"},\"value\":12,\"cacheValue\":4,\"frames\":[{\"name\":{"
        "\"offset\":\"00000020\",\"executable\":\"a \\\"node\\\"\",\"functionName\":null,"
        "\"functionCategory\":\"nodeCpp\"},\"value\":8,\"cacheValue\":0,\"frames\":[]},"
        "{\"name\":\"unknown\",\"value\":4,\"cacheValue\":4}]}]}\n";
    struct page_recording made = odd_names();
    struct tree_text *text = text_of(&made, (struct tree_wish){.outermost_first = true});
    static const size_t steps[] = {1, 2, 7, 100, 60000};
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        char *found = read_stream(text, steps[i]);
        assert_string_equal(found, wanted);
        free(found);
    }
    tree_text_release(text);
    page_recording_destroy(&made);
}

TEST(a_tree_outlives_its_recording_and_whoever_made_it)
{
    struct page_recording made = odd_names();
    struct tree_text *text = text_of(&made, (struct tree_wish){.form = TREE_OURS});
    struct answer_stream stream = tree_text_stream(text);
    char begin[8] = "";
    CHECK(stream.held_bytes > 0);
    page_recording_destroy(&made);
    tree_text_release(text);
    CHECK(stream.fill(stream.state, begin, 7) == 7 && strcmp(begin, "{\"pid\":") == 0);
    stream.close(stream.state); /* a client that went away */
}

TEST(a_tree_is_good_until_something_changes)
{
    struct page_recording made = odd_names();
    struct tree_wish wish = {.threshold = 5};
    struct tree_text *text = text_of(&made, wish);
    CHECK(tree_text_is_of(text, made.recording, made.running, &wish));
    wish.threshold = 6;
    CHECK(!tree_text_is_of(text, made.recording, made.running, &wish));
    wish = (struct tree_wish){.threshold = 5, .outermost_first = true};
    CHECK(!tree_text_is_of(text, made.recording, made.running, &wish));
    wish = (struct tree_wish){.threshold = 5};
    page_frame_add(&made, MODULE_NONE, 0, "later", "later"); /* a name was found */
    CHECK(!tree_text_is_of(text, made.recording, made.running, &wish));
    tree_text_release(text);
    text = text_of(&made, wish);
    page_book(&made, 1, PAGE_ANON, 4 * KIB);
    CHECK(!tree_text_is_of(text, made.recording, made.running, &wish));
    tree_text_release(text);
    page_recording_destroy(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_text_is_the_same_however_little_is_taken_at_a_time),
        cmocka_unit_test(a_tree_outlives_its_recording_and_whoever_made_it),
        cmocka_unit_test(a_tree_is_good_until_something_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
