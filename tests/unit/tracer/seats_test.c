/* SPDX-License-Identifier: Apache-2.0 */
/* seats_test.c - who sits where, and when nobody is inside.  Seats are for ever, so each test is a
 * process of its own. */
#include "tracer/rings/seats.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "random.h"
#include "tracer/process/raw_syscall.h"

#define SEATS 8192u
#define SOON  2000000ull
#define LATE  60000000000ull

/* A number that no thread of this process has. */
#define NOBODY 0x3ffffff0u

static uint32_t own_tid(void)
{
    return (uint32_t)raw_syscall3(SYS_gettid, 0, 0, 0);
}

static struct seat *take(uint32_t pid, uint32_t tid)
{
    return seat_claim(&seat_of_nobody, pid, tid);
}

static void expect(bool holds, int line)
{
    if (holds)
        return;
    fprintf(stderr, "seats_test.c:%d does not hold\n", line);
    _exit(1);
}
#define EXPECT(condition) expect(condition, __LINE__)

static void run_alone(void (*test)(uint32_t pid))
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        test((uint32_t)getpid());
        _exit(0);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void each_thread_has_its_own(uint32_t pid)
{
    struct seat *first = take(pid, NOBODY + 1), *second = take(pid, NOBODY + 2);
    EXPECT(first && second && first != second);
    EXPECT(first != &seat_of_nobody && first->tid == NOBODY + 1 && first->pid == pid);
    first->inside = first->dying = 1;
    EXPECT(seat_claim(first, pid + 1, NOBODY + 3) == first); /* who had one keeps it */
    EXPECT(first->tid == NOBODY + 3 && first->pid == pid + 1);
    EXPECT(first->inside == 0 && first->dying == 0);
}

static void a_thread_finds_the_seat_it_had(uint32_t pid)
{
    struct seat *own = take(pid, own_tid()), *other = take(pid, NOBODY);
    EXPECT(own != other && take(pid, own_tid()) == own && take(pid, NOBODY) == other);
}

static void the_seat_of_the_dead_is_taken_over(uint32_t pid)
{
    struct seat *dead = take(pid, NOBODY), *alive = take(pid, own_tid());
    struct seat *parents = take(pid + 1, NOBODY + 1), *newcomer;
    EXPECT(dead != alive && parents != dead && parents != alive);
    newcomer = take(pid, NOBODY + 2); /* nobody said that it would die, and there is room */
    EXPECT(newcomer != dead && newcomer != alive && newcomer != parents);
    dead->dying = alive->dying = parents->dying = 1;
    dead->inside = 1;
    EXPECT(take(pid, NOBODY + 3) == dead && dead->tid == NOBODY + 3);
    EXPECT(dead->inside == 0 && dead->dying == 0);
    newcomer = take(pid, NOBODY + 4);
    EXPECT(newcomer != dead && newcomer != alive && newcomer != parents);
}

static void when_all_are_taken_the_dead_make_room(uint32_t pid)
{
    static struct seat *seats[SEATS];
    for (uint32_t i = 0; i < SEATS; i++) {
        seats[i] = take(i == 4711 ? pid : pid + 1, NOBODY - i);
        EXPECT(seats[i] && (i == 0 || seats[i] == seats[i - 1] + 1));
    }
    seats[4711]->tid = own_tid();
    EXPECT(!take(pid, NOBODY + 1)); /* others' and the living's stay */
    EXPECT(take(pid, own_tid()) == seats[4711]);
    seats[4711]->tid = NOBODY;
    EXPECT(take(pid, NOBODY + 1) == seats[4711]);
    seats[SEATS - 1]->pid = pid;
    EXPECT(take(pid, NOBODY + 2) != NULL);
}

static void nobody_is_waited_for_who_is_not_inside(uint32_t pid)
{
    for (unsigned may_barrier = 0; may_barrier < 2; may_barrier++) {
        EXPECT(seats_wait_until_empty(pid, 0, may_barrier));
        struct seat *own = take(pid, own_tid()), *dead = take(pid, NOBODY);
        struct seat *other = take(pid + 1, own_tid());
        EXPECT(seats_wait_until_empty(pid, 0, may_barrier));
        dead->inside = other->inside = 1; /* ended in there; and the parent's */
        EXPECT(seats_wait_until_empty(pid, 0, may_barrier));
        own->inside = 1;
        EXPECT(!seats_wait_until_empty(pid, SOON, may_barrier));
        own->inside = 0;
        EXPECT(seats_wait_until_empty(pid, 0, may_barrier));
        seats_come();
        EXPECT(!seats_wait_until_empty(pid, SOON, may_barrier));
        seats_come();
        seats_came();
        EXPECT(!seats_wait_until_empty(pid, SOON, may_barrier));
        seats_came();
        EXPECT(seats_wait_until_empty(pid, 0, may_barrier));
        seats_come();
        seats_forked(); /* of the parent's threads none is here */
        EXPECT(seats_wait_until_empty(pid, 0, may_barrier));
        other->tid = 0;
        other->pid = pid;
        EXPECT(seats_wait_until_empty(pid, 0, may_barrier));
        other->tid = own_tid();
        other->inside = 1; /* in the last seat */
        EXPECT(!seats_wait_until_empty(pid, SOON, may_barrier));
        other->inside = 0;
    }
}

/* ---- threads that go in and out while somebody takes away what they use ---- */

#define THREADS 2

static _Atomic bool is_there, ends;
static _Atomic unsigned uses, faults;
static _Atomic unsigned destroyed; /* so often */
static struct random draws;

static void *go_in_and_look(void *context)
{
    (void)context;
    struct seat *seat = take((uint32_t)getpid(), own_tid());
    while (!atomic_load(&ends)) {
        atomic_store(&seat->inside, 1);
        if (atomic_load(&is_there)) {
            unsigned const before = atomic_load(&destroyed);
            atomic_fetch_add(&uses, 1);
            if (uses % 64 == 0)
                sched_yield();
            faults += atomic_load(&destroyed) != before;
        }
        atomic_store(&seat->inside, 0);
    }
    return NULL;
}

static void nothing_goes_while_somebody_is_inside(uint32_t pid)
{
    pthread_t threads[THREADS];
    is_there = true;
    for (unsigned i = 0; i < THREADS; i++)
        EXPECT(pthread_create(&threads[i], NULL, go_in_and_look, NULL) == 0);
    for (unsigned round = 0; round < 10; round++) {
        unsigned const before = uses;
        while (uses < before + 10)
            sched_yield();
        is_there = false;
        EXPECT(seats_wait_until_empty(pid, LATE, random_below(&draws, 2)));
        destroyed++;
        is_there = true;
    }
    ends = true;
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    EXPECT(faults == 0 && uses >= 100);
}

#define ALONE(name)                                                                                \
    TEST(test_##name)                                                                              \
    {                                                                                              \
        run_alone(name);                                                                           \
    }
ALONE(each_thread_has_its_own)
ALONE(a_thread_finds_the_seat_it_had)
ALONE(the_seat_of_the_dead_is_taken_over)
ALONE(when_all_are_taken_the_dead_make_room)
ALONE(nobody_is_waited_for_who_is_not_inside)
ALONE(nothing_goes_while_somebody_is_inside)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_thread_has_its_own),
        cmocka_unit_test(test_a_thread_finds_the_seat_it_had),
        cmocka_unit_test(test_the_seat_of_the_dead_is_taken_over),
        cmocka_unit_test(test_when_all_are_taken_the_dead_make_room),
        cmocka_unit_test(test_nobody_is_waited_for_who_is_not_inside),
        cmocka_unit_test(test_nothing_goes_while_somebody_is_inside),
    };
    draws = random_from(5);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
