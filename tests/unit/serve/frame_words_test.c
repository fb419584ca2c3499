/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/content/frame_words.h"

#include <string.h>

#include "check.h"
#include "page_recording.h"

struct expected {
    const char *path, *symbol, *function;
    const char *name, *category, *language;
};

static void check_frame(struct page_recording *made, const struct expected *expected)
{
    char room[256];
    struct page_frames frames = {.recording = made->recording};
    uint32_t const module = expected->path ? page_module(made, expected->path) : MODULE_NONE;
    uint32_t const index = page_frame_add(made, module, 1, expected->symbol, expected->function);
    int64_t const found = page_frames_find(&frames, index);
    CHECK(found == 0);
    const struct page_frame *frame = &frames.items.items[0];
    const char *name = frame_function(made->recording, frame, room, sizeof(room));
    const char *language = frame_language(made->recording, frame);
    assert_string_equal(name ? name : "null", expected->name);
    assert_string_equal(frame_category(made->recording, frame), expected->category);
    assert_string_equal(language ? language : "null", expected->language);
    page_frames_fini(&frames);
}

TEST(names_categories_and_languages)
{
#define NODE "/opt/bin/node"
    static const struct expected frames[] = {
        {NODE, "_ZN1a1b17h0123456789abcdefE", "a::b", "a::b::h0123456789abcdef", "nodeRust",
         "rust"},
        {NODE, "_ZN1a1b17h0123456789abcdefE", "a::b::h0123456789abcdef", "a::b::h0123456789abcdef",
         "nodeRust", "rust"},
        {NODE, "_ZN1a1b17h0123456789abcdefE.llvm.99", "a::b", "a::b::h0123456789abcdef", "nodeRust",
         "rust"},
        {NODE, "_ZN1a1b17h0123456789abcdEgE", "a::b", "a::b", "nodeCpp", "cpp"}, /* no hash */
        {NODE, "_RNvCs1_1a1b", "a::b", "a::b", "nodeRust", "rust"},
        {NODE, "_RNvCs1_1a1b", "", "_RNvCs1_1a1b", "nodeRust", "rust"},
        {NODE, "_Z1fv", "f()", "f()", "nodeCpp", "cpp"},
        {NODE, "f", "f", "f", "nodeCpp", "c"},
        {NODE, NULL, "", "null", "nodeCpp", "null"},
        {NODE " (deleted)", "f", "f", "f", "nodeCpp", "c"},
        {"/lib/node.so", "_ZN1a1b17h0123456789abcdefE", "a::b", "a::b::h0123456789abcdef",
         "systemLib", "rust"},
        {"/lib/libcaml.so", "camlStdlib__List_12", "camlStdlib__List_12", "camlStdlib__List_12",
         "systemLib", "ocaml"},
        {"/go/etcd", "main.main", "main.main", "main.main", "systemLib", "go"},
        {"/go/etcd", "x_cgo_init", "x_cgo_init", "x_cgo_init", "systemLib", "c"},
        {NULL, "[populated]", "[populated]", "[populated]", "systemLib", "null"},
        {NULL, NULL, "", "null", "systemLib", "jit"},
    };
    struct page_recording made = page_recording_create();
    made.recording->program = recording_intern(made.recording, NODE);
    CHECK(vec_push(
        &made.recording->traits,
        (struct trait){.kind = TRAIT_GO, .where = recording_intern(made.recording, "/go/etcd")}));
    for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++)
        check_frame(&made, &frames[i]);
    page_recording_destroy(&made);
}

TEST(the_file_is_told_without_folders_and_without_deleted)
{
    static const struct {
        const char *path, *wanted;
    } files[] = {{"/usr/lib/libc.so.6", "libc.so.6"},
                 {"/opt/a b (deleted)", "a b"},
                 {" (deleted)", " (deleted)"},
                 {"[vdso]", "[vdso]"}};
    struct page_recording made = page_recording_create();
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        struct page_frame const frame = {.path = recording_intern(made.recording, files[i].path)};
        CHECK(slice_equals(frame_executable(made.recording, &frame), slice_of(files[i].wanted)));
    }
    CHECK(
        slice_equals(frame_executable(made.recording, &(struct page_frame){0}), slice_of(NO_FILE)));
    page_recording_destroy(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_categories_and_languages),
        cmocka_unit_test(the_file_is_told_without_folders_and_without_deleted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
