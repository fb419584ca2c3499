/* SPDX-License-Identifier: Apache-2.0 */
/* burns_shares SECONDS [THREADS]: each thread spends 70 % of its time in seventy(), 20 % in
 * twenty(), 10 % in ten().  At the end it tells how many ns of processor time each took: what it
 * measured itself. */
#include "cpu_subject.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#define TURNS 500

static atomic_ullong used[3];
static uint64_t seconds;

static NOINLINE void seventy(void)
{
    spin(TURNS);
    KEEP_FRAME();
}

static NOINLINE void twenty(void)
{
    spin(TURNS);
    KEEP_FRAME();
}

static NOINLINE void ten(void)
{
    spin(TURNS);
    KEEP_FRAME();
}

/* Which comes next is by chance: a rhythm would hide from a clock. */
static NOINLINE void *burn(void *argument)
{
    static void (*const parts[3])(void) = {seventy, twenty, ten};
    uint64_t const until = now_ns(CLOCK_MONOTONIC) + seconds * 1000000000u;
    unsigned chance = (unsigned)(uintptr_t)&chance >> 4;
    while (now_ns(CLOCK_MONOTONIC) < until) {
        unsigned const percent = (unsigned)rand_r(&chance) / 7 % 100;
        unsigned const part = percent < 70 ? 0 : percent < 90 ? 1 : 2;
        uint64_t const began = now_ns(CLOCK_THREAD_CPUTIME_ID);
        parts[part]();
        atomic_fetch_add(&used[part], now_ns(CLOCK_THREAD_CPUTIME_ID) - began);
    }
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t threads[256];
    unsigned const count = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
    seconds = argc > 1 ? (uint64_t)atoi(argv[1]) : 1;
    say_and_wait("ready");
    for (unsigned i = 1; i < count; i++) {
        char name[16];
        snprintf(name, sizeof(name), "burner-%u", i % 1000);
        if (pthread_create(&threads[i], NULL, burn, NULL) == 0)
            pthread_setname_np(threads[i], name);
    }
    burn(NULL);
    for (unsigned i = 1; i < count; i++)
        pthread_join(threads[i], NULL);
    say("seventy %llu\ntwenty %llu\nten %llu\n", used[0], used[1], used[2]);
    say_and_wait("done");
    return 0;
}
