/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/sessions/symbol_queue.h"

#include <stdint.h>
#include <unistd.h>

#include "check.h"
#include "symbols/namer/name_client.h"

#define FRAMES 200u

extern const char __executable_start[]; /* the linker's: where this program begins */

/* Frames in functions of this program, all at the same one. */
static struct recording *make_recording(size_t frames)
{
    char path[4096];
    struct recording *recording = recording_create();
    ssize_t const size = readlink("/proc/self/exe", path, sizeof(path) - 1);
    CHECK(recording && size > 0);
    path[size] = '\0';
    struct module const module = {.path = recording_intern(recording, path)};
    CHECK(vec_push(&recording->modules, module));
    for (size_t i = 0; i < frames; i++) {
        struct frame const frame = {.module = 0,
                                    .address = (uint64_t)((uintptr_t)make_recording + i % 4 -
                                                          (uintptr_t)__executable_start)};
        CHECK(vec_push(&recording->frames, frame));
    }
    return recording;
}

static size_t count_named(const struct recording *recording)
{
    size_t named = 0;
    vec_each (frame, &recording->frames) {
        if (frame->location_count == 0)
            continue;
        const struct location *last =
            &recording->locations.items[frame->first_location + frame->location_count - 1];
        named += strcmp(recording_text(recording, last->function), "make_recording") == 0;
    }
    return named;
}

TEST(whoever_waits_has_all_names)
{
    struct symbol_queue *queue = symbol_queue_create(NULL);
    struct recording *first = make_recording(FRAMES), *second = make_recording(FRAMES);
    CHECK(queue && symbol_queue_ask(queue, first, "", 0) == FRAMES);
    CHECK(symbol_queue_ask(queue, second, "", 0) == FRAMES);
    symbol_queue_finish(queue, first);
    CHECK(count_named(first) == FRAMES);
    symbol_queue_finish(queue, second);
    CHECK(count_named(second) == FRAMES && symbol_queue_is_done(queue, second));
    symbol_queue_destroy(queue);
    recording_destroy(first);
    recording_destroy(second);
}

TEST(questions_come_again_after_a_wait)
{
    struct symbol_queue *queue = symbol_queue_create(NULL);
    for (int i = 0; i < 50; i++) {
        struct recording *recording = make_recording(3);
        CHECK(symbol_queue_ask(queue, recording, "", 0) == 3);
        symbol_queue_finish(queue, recording);
        CHECK(count_named(recording) == 3);
        recording_destroy(recording);
    }
    symbol_queue_destroy(queue);
}

/* One that is forgotten may be destroyed, whatever is being answered; the others have all of
 * theirs. */
TEST(what_is_forgotten_is_not_waited_for)
{
    struct symbol_queue *queue = symbol_queue_create(NULL);
    for (int i = 0; i < 50; i++) {
        struct recording *forgotten = make_recording(FRAMES), *wanted = make_recording(5);
        CHECK(symbol_queue_ask(queue, forgotten, "", 0) == FRAMES);
        CHECK(symbol_queue_ask(queue, wanted, "", 0) == 5);
        symbol_queue_forget(queue, forgotten);
        recording_destroy(forgotten);
        symbol_queue_finish(queue, wanted);
        CHECK(count_named(wanted) == 5);
        recording_destroy(wanted);
    }
    symbol_queue_destroy(queue);
}

TEST(a_queue_with_open_questions_can_go)
{
    struct symbol_queue *queue = symbol_queue_create(NULL);
    struct recording *recording = make_recording(FRAMES);
    CHECK(symbol_queue_ask(queue, recording, "", 0) == FRAMES);
    symbol_queue_destroy(queue);
    recording_destroy(recording);
}

int main(void)
{
    name_client_use_program(NAMER);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whoever_waits_has_all_names),
        cmocka_unit_test(questions_come_again_after_a_wait),
        cmocka_unit_test(what_is_forgotten_is_not_waited_for),
        cmocka_unit_test(a_queue_with_open_questions_can_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
