/* SPDX-License-Identifier: Apache-2.0 */
/* arena_users_test.c - of which processes the recorder believes that they have its arena, and to
 * which one it brings a plan. */
#include "capture/rings/arena_users.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/programs/plan_delivery.h"
#include "wiped_arena.h"

static struct arena *arena;
static char path[ARENA_NAME_MAX]; /* its name */

static int set_up(void **state)
{
    (void)state;
    arena = wiped_arena();
    arena_path(arena, path, sizeof(path));
    return 0;
}

/* A process that says when it is ready, and then waits for its end. */
struct child {
    pid_t pid;
};

static struct child start(void (*prepare)(void))
{
    int ready[2];
    char byte = 0;
    CHECK(pipe2(ready, O_CLOEXEC) == 0);
    struct child const child = {fork()};
    if (child.pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves nobody */
        if (prepare)
            prepare();
        (void)!write(ready[1], &byte, 1);
        for (;;)
            pause();
    }
    close(ready[1]);
    CHECK(read(ready[0], &byte, 1) >= 0); /* 0: it has become another program */
    close(ready[0]);
    return child;
}

static void end(struct child child)
{
    kill(child.pid, SIGKILL);
    waitpid(child.pid, NULL, 0);
}

static void lose_arena(void)
{
    munmap(arena->memory, ARENA_BYTES);
}

/* Another arena, which looks just the same. */
static void change_arena(void)
{
    int const fd = memfd_create("memoir", 0);
    lose_arena();
    if (ftruncate(fd, (off_t)ARENA_BYTES) < 0 ||
        mmap(NULL, ARENA_BYTES, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED)
        _exit(1);
}

/* Its name in the environment, without the arena: like a set-user-id program that was started by
 * one that has it. */
static void only_name_arena(void)
{
    setenv("MEMOIR_ARENA", path, 1);
    execl("/proc/self/exe", "waits", "waits", (char *)NULL);
}

static void want_plan(void)
{
    void *library = dlopen(RECORDED_LIBRARY, RTLD_NOW);
    struct inside_plan *plan = library ? dlsym(library, "memoir_tracer_plan") : NULL;
    if (!plan)
        _exit(1);
    atomic_store(&plan->wanted, PLAN_WANTED);
}

static void want_plan_without_arena(void)
{
    want_plan();
    lose_arena();
}

TEST(who_has_the_arena_is_proved_by_the_kernel)
{
    struct child const has = start(NULL), lacks = start(lose_arena), other = start(change_arena);
    CHECK(arena_users_prove(arena->users, (uint32_t)has.pid));
    CHECK(!arena_users_prove(arena->users, (uint32_t)lacks.pid));
    CHECK(!arena_users_prove(arena->users, (uint32_t)other.pid));
    end(has);
    CHECK(!arena_users_prove(arena->users, (uint32_t)has.pid));
    end(lacks);
    end(other);
}

TEST(nobody_is_proved_without_a_number_or_without_knowledge)
{
    CHECK(!arena_users_prove(arena->users, 0));
    CHECK(!arena_users_prove(NULL, (uint32_t)getpid()));
    CHECK(!arena_users_has(NULL, 0, (uint32_t)getpid()));
}

TEST(the_name_of_the_arena_proves_nothing)
{
    struct child const child = start(only_name_arena);
    CHECK(!arena_users_prove(arena->users, (uint32_t)child.pid));
    end(child);
}

TEST(an_older_process_is_not_believed_even_for_a_second)
{
    CHECK(!arena_users_has(arena->users, 5, 1));
}

/* Where the recorder has it, only what that forked has it. */
static void move_arena(void)
{
    if (mmap(NULL, ARENA_BYTES, PROT_READ, MAP_SHARED, arena->fd, 0) == MAP_FAILED)
        _exit(1);
    lose_arena();
}

/* A program has its environment a moment after it has begun. */
static uint32_t find_soon(bool *is_proved)
{
    uint32_t found = 0;
    for (int i = 0; i < 2000 && !found; i++) {
        found = arena_users_find(arena->users, 0, is_proved);
        usleep(found ? 0 : 1000);
    }
    return found;
}

TEST(whoever_has_the_arena_is_found_and_not_what_the_recorder_forked)
{
    bool is_proved;
    struct child const forked = start(NULL), lacks = start(lose_arena);
    CHECK(arena_users_find(arena->users, 0, &is_proved) == 0 && !is_proved);
    struct child const named = start(only_name_arena);
    CHECK(find_soon(&is_proved) == (uint32_t)named.pid && !is_proved);
    struct child const has = start(move_arena);
    CHECK(arena_users_find(arena->users, 0, &is_proved) == (uint32_t)has.pid && is_proved);
    CHECK(arena_users_find(arena->users, (uint32_t)has.pid, &is_proved) == (uint32_t)named.pid);
    end(named);
    CHECK(arena_users_find(arena->users, (uint32_t)has.pid, &is_proved) == 0 && !is_proved);
    CHECK(arena_users_find(NULL, 0, &is_proved) == 0);
    end(has);
    end(forked);
    end(lacks);
}

TEST(a_plan_goes_only_to_a_process_that_has_this_arena)
{
    struct plan_delivery delivery;
    struct child const has = start(want_plan), lacks = start(want_plan_without_arena);
    CHECK(plan_delivery_begin(&delivery, arena->users, (uint32_t)has.pid) == 0);
    CHECK(!plan_delivery_end(&delivery, NULL));
    CHECK(plan_delivery_begin(&delivery, arena->users, (uint32_t)lacks.pid) == -ENOENT);
    CHECK(plan_delivery_begin(&delivery, NULL, (uint32_t)has.pid) == -ENOENT);
    CHECK(plan_delivery_begin(&delivery, arena->users, 0) == -ENOENT);
    end(has);
    end(lacks);
}

int main(int count, char **words)
{
    (void)words;
    if (count > 1) /* the program that only_name_arena becomes */
        for (;;)
            pause();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(who_has_the_arena_is_proved_by_the_kernel, set_up),
        cmocka_unit_test_setup(nobody_is_proved_without_a_number_or_without_knowledge, set_up),
        cmocka_unit_test_setup(the_name_of_the_arena_proves_nothing, set_up),
        cmocka_unit_test_setup(an_older_process_is_not_believed_even_for_a_second, set_up),
        cmocka_unit_test_setup(whoever_has_the_arena_is_found_and_not_what_the_recorder_forked,
                               set_up),
        cmocka_unit_test_setup(a_plan_goes_only_to_a_process_that_has_this_arena, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
