/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/rings/turn.h"

#include <pthread.h>
#include <time.h>

#include "check.h"
#include "tracer/rings/thread.h"

struct tracer_process tracer_process; /* without a header: nobody waits for a recorder */

static void rest_ms(long ms)
{
    struct timespec left = {0, ms * 1000000};
    while (nanosleep(&left, &left) != 0)
        continue;
}

struct slow_owner {
    struct turn *turn;
    _Atomic int has_it;
    long work_ms; /* 0: for ever */
};

static void *own_for_a_while(void *context)
{
    struct slow_owner *owner = context;
    CHECK(turn_claim(owner->turn, false));
    atomic_store(&owner->has_it, 1);
    rest_ms(owner->work_ms);
    if (owner->work_ms > 0)
        turn_give(owner->turn);
    return NULL;
}

static pthread_t start(struct slow_owner *owner)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, own_for_a_while, owner), 0);
    while (!atomic_load(&owner->has_it))
        rest_ms(1);
    return thread;
}

TEST(an_owner_that_was_put_aside_is_waited_for)
{
    struct turn turn = {0};
    struct slow_owner owner = {&turn, 0, 5};
    pthread_t thread = start(&owner);
    CHECK(turn_claim(&turn, false));
    turn_give(&turn);
    pthread_join(thread, NULL);
    CHECK(turn_claim(&turn, false));
}

TEST(an_owner_that_is_gone_is_waited_for_once)
{
    struct turn turn = {0};
    struct slow_owner owner = {&turn, 0, 0};
    pthread_join(start(&owner), NULL);
    CHECK(!turn_claim(&turn, true));
    for (int i = 0; i < 100000; i++) /* waits would take half an hour */
        CHECK(!turn_claim(&turn, true));
    turn_give(&turn); /* as a forked child does */
    CHECK(turn_claim(&turn, false));
}

TEST(who_jumped_away_may_begin_anew_where_that_does_no_harm)
{
    struct turn turn = {0};
    CHECK(turn_claim(&turn, true));
    CHECK(turn_claim(&turn, true));
    CHECK(!turn_claim(&turn, false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_owner_that_was_put_aside_is_waited_for),
        cmocka_unit_test(an_owner_that_is_gone_is_waited_for_once),
        cmocka_unit_test(who_jumped_away_may_begin_anew_where_that_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
