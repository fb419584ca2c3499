/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/sessions/process_keeper.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "procfs/process/process_facts.h"
#include "tracer/process/arena_raise.h"
#include "program_side.h"
#include "wiped_arena.h"

static struct arena *arena;

static struct arena_process *add_process(uint32_t index, uint32_t pid, uint32_t family)
{
    struct arena_process *process = arena_process_at(program_side(arena), index);
    process->pid = pid;
    process->serial = index;
    process->family = family;
    atomic_store(&process->state, PROCESS_RUNNING);
    arena_raise(&program_side(arena)->process_high, index);
    return process;
}

static struct arena_module *add_module(uint32_t index, uint32_t family)
{
    struct arena_module *module = arena_module_at(program_side(arena), index);
    module->family = family;
    atomic_store(&module->state, MODULE_READY);
    arena_raise(&program_side(arena)->module_high, index);
    return module;
}

/* A pid that nobody has any more. */
static uint32_t ended_pid(void)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    waitpid(pid, NULL, 0);
    return (uint32_t)pid;
}

/* A child, which has the arena as we do. */
static pid_t start_pausing(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves nobody */
        for (;;)
            pause();
    }
    return pid;
}

/* Another program, once it is that. */
static pid_t start_sleep(const char *arena_name)
{
    char value[64];
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves nobody */
        setenv("MEMOIR_ARENA", arena_name, 1);
        execlp("sleep", "sleep", "600", NULL);
        _exit(1);
    }
    while (process_runs((uint32_t)pid) &&
           !process_variable((uint32_t)pid, "MEMOIR_ARENA", value, sizeof(value)))
        usleep(1000);
    return pid;
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

TEST(a_process_is_over_when_it_has_ended_or_become_another_program)
{
    pid_t const child = start_pausing();
    add_process(0, (uint32_t)getpid(), 0);
    add_process(1, ended_pid(), 1);
    add_process(2, (uint32_t)child, 2);
    CHECK(!process_is_over(arena, 0));
    CHECK(process_is_over(arena, 1));
    CHECK(!process_is_over(arena, 2));
    CHECK(!process_is_over(arena, 3)); /* nobody */
    CHECK(process_any_runs(arena, (uint32_t)getpid()));
    add_process(3, (uint32_t)getpid(), 3);
    CHECK(process_is_superseded(arena, 0));
    CHECK(process_is_over(arena, 0));
    CHECK(!process_is_over(arena, 3));
    end(child);
}

#define FIRST_PROCESS 1u /* runs, and has never heard of us */

/* Gives it the second that one has which may be about to become another program. */
static bool is_waited_for(void)
{
    (void)process_any_runs(arena, (uint32_t)getpid());
    usleep(1100000);
    return process_any_runs(arena, (uint32_t)getpid());
}

TEST(the_number_of_a_stranger_in_the_list_is_not_believed)
{
    pid_t const child = start_pausing();
    uint32_t const ended = ended_pid();
    add_process(0, FIRST_PROCESS, 0);
    for (uint32_t i = 1; i < 1000; i++)
        add_process(i, i % 2 ? FIRST_PROCESS : ended, i);
    CHECK(!is_waited_for());
    add_process(1000, (uint32_t)child, 1000);
    CHECK(is_waited_for());
    CHECK(process_is_stranger(arena, 0));
    CHECK(!process_is_stranger(arena, 2)); /* has ended: nothing speaks against it */
    CHECK(!process_is_stranger(arena, 1000));
    end(child);
    CHECK(!process_any_runs(arena, (uint32_t)getpid()));
}

/* It has left the arena, as by exec, but its environment says where it comes from. */
TEST(who_was_started_with_the_name_of_the_arena_is_waited_for)
{
    char path[64];
    arena_path(arena, path, sizeof(path));
    pid_t const ours = start_sleep(path), other = start_sleep("/proc/1/fd/3");
    add_process(0, (uint32_t)other, 0);
    CHECK(!is_waited_for());
    CHECK(!process_is_stranger(arena, 0)); /* it may have been one of us */
    add_process(1, (uint32_t)ours, 1);
    CHECK(is_waited_for());
    end(ours);
    end(other);
}

TEST(the_place_of_a_process_is_free_again_and_empty)
{
    struct arena_process *process = add_process(5, ended_pid(), 5);
    atomic_store(&process->calls, 100);
    process->path[0] = 'x';
    process_release(arena, 5);
    CHECK(atomic_load(&process->state) == PROCESS_FREE);
    CHECK(atomic_load(&process->calls) == 0 && process->path[0] == '\0');
}

TEST(modules_are_free_when_nobody_of_the_family_is_left)
{
    add_process(0, (uint32_t)getpid(), 7);
    add_process(1, ended_pid(), 7); /* forked from it */
    struct arena_module *shared = add_module(1, 7), *other = add_module(2, 8);
    process_release(arena, 1);
    CHECK(atomic_load(&shared->state) == MODULE_READY);
    process_release(arena, 0);
    CHECK(atomic_load(&shared->state) == MODULE_FREE);
    CHECK(atomic_load(&other->state) == MODULE_READY);
}

static void *wait_for_ever(void *unused)
{
    (void)unused;
    for (;;)
        pause();
    return NULL;
}

/* Ends the first thread of a process; one that waits is left. */
static pid_t start_headless(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, wait_for_ever, NULL) != 0)
            _exit(1);
        pthread_exit(NULL);
    }
    return pid;
}

static bool first_thread_ended(pid_t pid)
{
    char path[64], text[256] = "";
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    bool ended = file && fgets(text, sizeof(text), file) && strstr(text, ") Z ");
    if (file)
        fclose(file);
    return ended;
}

TEST(a_process_runs_while_one_of_its_threads_does)
{
    pid_t pid = start_headless();
    while (!first_thread_ended(pid))
        usleep(1000);
    CHECK(process_runs((uint32_t)pid));
    kill(pid, SIGKILL);
    siginfo_t info;
    CHECK(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == 0);
    CHECK(!process_runs((uint32_t)pid)); /* a zombie */
    waitpid(pid, NULL, 0);
    CHECK(!process_runs((uint32_t)pid));
}

static int set_up(void **state)
{
    (void)state;
    arena = wiped_arena();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_process_is_over_when_it_has_ended_or_become_another_program,
                               set_up),
        cmocka_unit_test_setup(the_number_of_a_stranger_in_the_list_is_not_believed, set_up),
        cmocka_unit_test_setup(who_was_started_with_the_name_of_the_arena_is_waited_for, set_up),
        cmocka_unit_test_setup(the_place_of_a_process_is_free_again_and_empty, set_up),
        cmocka_unit_test_setup(modules_are_free_when_nobody_of_the_family_is_left, set_up),
        cmocka_unit_test(a_process_runs_while_one_of_its_threads_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
