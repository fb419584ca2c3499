#!/usr/bin/env bash
# What memoir says to have added for each event is less than what everything took.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

# Stacks that are walked anew for each block, and frees that cost next to nothing beside that.
cat >walks.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static unsigned seed = 1;
static unsigned draw(void)
{
    seed = seed * 1103515245u + 12345u;
    return seed >> 16;
}

static void *kept[4096];
static long events;
static volatile unsigned sum;

__attribute__((noinline)) static void leaf(void)
{
    unsigned k = draw() % 4096;
    events += kept[k] ? 2 : 1;
    free(kept[k]);
    kept[k] = malloc(16 + draw() % 200);
    for (int i = 0; i < 200; i++) /* of its own */
        sum += draw();
}

static void narrow(int depth);
static void wide(int depth);
static void go_on(int depth)
{
    if (depth == 0)
        leaf();
    else if (draw() & 1)
        narrow(depth - 1);
    else
        wide(depth - 1);
}

__attribute__((noinline)) static void narrow(int depth)
{
    volatile char room[32];
    room[0] = 1;
    go_on(depth);
    room[1] = 1;
}

__attribute__((noinline)) static void wide(int depth)
{
    volatile char room[96];
    room[0] = 1;
    go_on(depth);
    room[1] = 1;
}

int main(void)
{
    struct timespec used;
    for (int i = 0; i < 200000; i++)
        narrow(30);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    printf("%lld\n", (used.tv_sec * 1000000000ll + used.tv_nsec) / events);
    return 0;
}
END
gcc -O1 -fno-optimize-sibling-calls -o walks walks.c || exit 1
record walks.memoir -- ./walks
equal status 0 "$status"
added=$(fact walks.memoir .cost.ns_per_event)
at_least told 1 "$added"
at_most less-than-everything "$(cat walks.memoir.out)" "$added"
