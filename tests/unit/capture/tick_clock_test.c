/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/rings/tick_clock.h"

#include <pthread.h>
#include <time.h>

#include "check.h"
#include "machine/processor.h"

TEST(stamps_become_ns_since_the_start)
{
    /* a clock of 2 GHz that was anchored 1000 s after its start */
    struct tick_clock clock = {.first_tsc = 5000000,
                               .first_ns = 77,
                               .anchor_tsc = 5000000 + 2000000000000ull,
                               .anchor_ns = 77 + 1000000000000ull,
                               .ns_per_tick = 0.5};
    CHECK(tick_clock_ns(&clock, clock.anchor_tsc) == 1000000000000ull);
    CHECK(tick_clock_ns(&clock, clock.anchor_tsc + 2000) == 1000000001000ull);
    CHECK(tick_clock_ns(&clock, clock.anchor_tsc - 2000) == 999999999000ull);
    CHECK(tick_clock_ns(&clock, clock.first_tsc) == 0);
    CHECK(tick_clock_ns(&clock, clock.first_tsc - 1000000) == 0); /* before the beginning */
    CHECK(tick_clock_ns(&clock, 0) == 0);
    CHECK(tick_clock_ns(&clock, clock.anchor_tsc - (1ull << 62)) == 0);
    clock.ns_per_tick = 30; /* nonsense stays a number */
    CHECK(tick_clock_ns(&clock, clock.anchor_tsc - (1ull << 62)) == 0);
    CHECK(tick_clock_ns(&clock, clock.anchor_tsc + (1ull << 62)) > 1ull << 61);
}

TEST(an_anchor_learns_the_rate_and_time_goes_on)
{
    struct tick_clock clock;
    struct timespec pause = {0, 20000000};
    tick_clock_start(&clock);
    uint64_t start = processor_ticks();
    nanosleep(&pause, NULL);
    uint64_t stamp = tick_clock_anchor(&clock);
    CHECK(stamp == clock.anchor_tsc && stamp > start);
    CHECK(clock.ns_per_tick > 0.05 && clock.ns_per_tick < 20);
    CHECK(tick_clock_ns(&clock, stamp) == clock.anchor_ns - clock.first_ns);
    CHECK(tick_clock_ns(&clock, stamp) >= 20000000);
    CHECK(tick_clock_ns(&clock, start) < tick_clock_ns(&clock, stamp));
    uint64_t before = tick_clock_ns(&clock, stamp);
    for (int i = 0; i < 1000; i++) { /* whatever the anchors, a stamp just taken is not early */
        uint64_t now = tick_clock_ns(&clock, tick_clock_anchor(&clock));
        CHECK(now >= before);
        before = now;
    }
}

/* Four threads take a lock in turn, and a stamp while they have it. */
#define TAKERS 4u
#define TURNS  5000000u

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static uint64_t last_stamp;
static unsigned early;

static void *take_stamps(void *unused)
{
    for (unsigned i = 0; i < TURNS; i++) {
        pthread_mutex_lock(&turn);
        uint64_t const stamp = processor_ticks_in_order();
        early += stamp < last_stamp;
        last_stamp = stamp;
        pthread_mutex_unlock(&turn);
    }
    return unused;
}

/* One in a million of the plain stamps is early. */
TEST(stamps_of_threads_that_take_turns_are_in_turn)
{
    pthread_t takers[TAKERS];
    for (unsigned i = 0; i < TAKERS; i++)
        CHECK(pthread_create(&takers[i], NULL, take_stamps, NULL) == 0);
    for (unsigned i = 0; i < TAKERS; i++)
        pthread_join(takers[i], NULL);
    CHECK(early == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stamps_become_ns_since_the_start),
        cmocka_unit_test(an_anchor_learns_the_rate_and_time_goes_on),
        cmocka_unit_test(stamps_of_threads_that_take_turns_are_in_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
