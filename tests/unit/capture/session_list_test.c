/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/sessions/session_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "check.h"

/* A feeder that takes note of what it is asked. */
struct feeder {
    unsigned begun, ended, closed;
    const struct session *still, *newest;
};

static void begin_write(void *self, struct session *session)
{
    struct feeder *feeder = self;
    CHECK(feeder->begun == feeder->ended);
    feeder->begun++;
    feeder->newest = session;
}

static void end_write(void *self)
{
    ((struct feeder *)self)->ended++;
}

static bool is_still(void *self, const struct session *session)
{
    return ((struct feeder *)self)->still == session;
}

static void close_session(void *self, struct session *session)
{
    struct fault fault;
    ((struct feeder *)self)->closed++;
    CHECK(session_recording(session)->exit_status == 3);
    CHECK(session_close(session, &fault) == 0);
}

static const struct session_feed feed = {.begin_write = begin_write,
                                         .end_write = end_write,
                                         .is_still = is_still,
                                         .close = close_session};

static char folder[64], paths[2][80];
static struct feeder feeder;
static struct recording_wish const wish = {.max_bytes = 1 << 24};
static struct session_list list;
static struct session *first, *second;

static struct session *open_one(unsigned number)
{
    struct fault fault = {.text = ""};
    snprintf(paths[number], sizeof(paths[0]), "%s/%u.memoir", folder, number);
    struct session_options const own = {.output = paths[number], .folder = "", .program = "all"};
    struct session *session = session_list_open(&list, &own, monotonic_ns(), &fault);
    CHECK(session && fault.text[0] == '\0');
    return session;
}

static int begin(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/memoir-session-list-XXXXXX");
    CHECK(mkdtemp(folder));
    feeder = (struct feeder){.begun = 0};
    list = (struct session_list){
        .wish = &wish, .source = "memoir cpu", .feed = &feed, .feeder = &feeder};
    first = open_one(0);
    second = open_one(1);
    return 0;
}

static int finish(void **state)
{
    (void)state;
    while (list.open.count > 0)
        session_list_abandon(&list, list.open.items[0]);
    session_list_fini(&list);
    for (unsigned i = 0; i < 2; i++)
        unlink(paths[i]);
    return rmdir(folder);
}

static void end(struct session *session)
{
    struct session_end const how = {.now_ns = monotonic_ns(), .exit_status = 3, .end = END_OVER};
    session_list_end(&list, session, &how);
}

TEST(what_is_the_same_for_all_comes_from_the_list)
{
    const struct recording *recording = session_recording(first);
    assert_string_equal(recording_text(recording, recording->source), "memoir cpu");
    CHECK(list.open.count == 2 && list.unnamed.count == 0);
}

TEST(each_has_its_turn_to_write_but_those_that_take_nothing_more)
{
    session_list_tick(&list, monotonic_ns());
    CHECK(feeder.begun == 2 && feeder.ended == 2);
    feeder.still = first;
    session_list_tick(&list, monotonic_ns());
    CHECK(feeder.begun == 3 && feeder.ended == 3 && feeder.newest == second);
}

TEST(buckets_close_when_they_are_due)
{
    uint64_t const now = monotonic_ns();
    CHECK(session_recording(first)->buckets.count == 0);
    session_list_tick(&list, now + NS_PER_SECOND);
    CHECK(session_recording(first)->buckets.count == 1);
    CHECK(session_recording(second)->buckets.count == 1);
    session_list_tick(&list, now + NS_PER_SECOND);
    CHECK(session_recording(first)->buckets.count == 1);
}

TEST(a_note_goes_to_every_open_recording)
{
    end(second);
    session_list_note(&list, "something happened");
    CHECK(session_recording(first)->notes.count == 1);
    CHECK(session_recording(second)->notes.count == 0);
    session_list_close(&list, true);
}

TEST(what_has_ended_is_closed_once)
{
    end(first);
    CHECK(list.open.count == 1 && list.open.items[0] == second);
    CHECK(list.unnamed.count == 1 && feeder.closed == 0);
    session_list_close(&list, false); /* nobody looks for names */
    CHECK(list.unnamed.count == 0 && feeder.closed == 1);
    session_list_close(&list, true);
    CHECK(feeder.closed == 1);
    CHECK(access(paths[0], F_OK) == 0);
}

TEST(what_is_abandoned_leaves_no_file)
{
    CHECK(access(paths[0], F_OK) == 0);
    session_list_abandon(&list, first);
    CHECK(list.open.count == 1 && list.open.items[0] == second);
    CHECK(access(paths[0], F_OK) < 0 && feeder.closed == 0);
}

TEST(a_wish_without_a_time_is_never_met)
{
    struct recording_wish const short_one = {.for_ns = NS_PER_SECOND};
    CHECK(!recording_wish_is_met(&wish, UINT64_MAX));
    CHECK(!recording_wish_is_met(&short_one, NS_PER_SECOND - 1));
    CHECK(recording_wish_is_met(&short_one, NS_PER_SECOND));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_the_same_for_all_comes_from_the_list, begin,
                                        finish),
        cmocka_unit_test_setup_teardown(each_has_its_turn_to_write_but_those_that_take_nothing_more,
                                        begin, finish),
        cmocka_unit_test_setup_teardown(buckets_close_when_they_are_due, begin, finish),
        cmocka_unit_test_setup_teardown(a_note_goes_to_every_open_recording, begin, finish),
        cmocka_unit_test_setup_teardown(what_has_ended_is_closed_once, begin, finish),
        cmocka_unit_test_setup_teardown(what_is_abandoned_leaves_no_file, begin, finish),
        cmocka_unit_test(a_wish_without_a_time_is_never_met),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
