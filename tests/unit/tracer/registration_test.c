/* SPDX-License-Identifier: Apache-2.0 */
/* registration_test.c - a process enters itself in the arena. */
#include "tracer/rings/registration.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "program_side.h"
#include "rings.h"
#include "tracer/process/raw_syscall.h"

static struct arena_header *header(void)
{
    return program_side(rings.arena);
}

static struct arena_process *entry(uint32_t index)
{
    return arena_process_at(program_side(rings.arena), index);
}

static void say_where_the_arena_is(const char *path)
{
    struct stat status;
    CHECK(fstat(rings.arena->fd, &status) == 0);
    registration_start_up(path, &status);
}

static char arena_at[64];

static int begin(void **state)
{
    rings_begin(state);
    snprintf(arena_at, sizeof(arena_at), "/proc/self/fd/%d", rings.arena->fd);
    say_where_the_arena_is(arena_at);
    atomic_store(&header()->serials, 40);
    tracer_process.serial = 7;
    tracer_process.fork_id = 5;
    return 0;
}

static bool is_me(const struct arena_process *process)
{
    return process->local_pid == (uint32_t)getpid() && process->parent_pid == (uint32_t)getppid();
}

TEST(a_program_enters_itself)
{
    char path[sizeof(entry(1)->path)] = "";
    CHECK(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
    uint64_t const before = __builtin_ia32_rdtsc();
    entry(1)->confined_tsc = 9;
    CHECK(register_process(false));
    const struct arena_process *process = entry(1);
    CHECK(tracer_process.process == 1 && header()->process_high == 2);
    CHECK(process->state == PROCESS_RUNNING && is_me(process));
    CHECK(process->pid == (uint32_t)getpid() && tracer_process.pid == process->pid);
    CHECK(process->forked == 0 && process->parent == PROCESS_NONE && process->fork_id == 0);
    CHECK(process->serial == 40 && tracer_process.serial == 40 && header()->serials == 41);
    CHECK(process->family == 40 && tracer_process.family == 40 && process->parent_serial == 7);
    CHECK(process->start_tsc >= before && process->start_tsc <= __builtin_ia32_rdtsc());
    CHECK(process->confined_tsc == 0 && tracer_process.fork_id == 0);
    assert_string_equal(process->path, path);
}

/* In a child: 0 when all was as it should be. */
static int register_child(uint32_t parent_pid)
{
    struct arena_process *process = entry(2);
    const struct arena_process *parent = entry(1);
    tracer_process.fork_id = 12;
    if (!register_process(true) || tracer_process.process != 2)
        return 1;
    if (process->forked != 1 || process->parent != 1 || process->parent_serial != parent->serial)
        return 2;
    if (process->fork_id != 12 || tracer_process.fork_id != 0 || process->family != parent->family)
        return 3;
    if (process->serial != parent->serial + 1 || tracer_process.serial != process->serial)
        return 4;
    if (!is_me(process) || strcmp(process->path, parent->path) != 0)
        return 5;
    return process->pid == (parent_pid ? process->local_pid : 0) ? 0 : 6;
}

TEST(a_child_says_whose_it_is)
{
    /* with the recorder's /proc; without it, beside a parent whose number is known; and not */
    for (unsigned i = 0; i < 3; i++) {
        int status;
        begin(NULL);
        if (i > 0)
            say_where_the_arena_is("/proc/self/fd/nothing");
        CHECK(register_process(false));
        if (i == 2)
            tracer_process.pid = 0;
        pid_t child = fork();
        if (child == 0)
            _exit(register_child(i == 2 ? 0 : 1));
        CHECK(child > 0 && waitpid(child, &status, 0) == child);
        assert_int_equal(status, 0);
    }
}

TEST(without_the_recorders_numbers_little_is_known)
{
    say_where_the_arena_is("/proc/self/exe"); /* another file */
    header()->target_pid = (uint32_t)getpid() + 1;
    CHECK(register_process(false) && is_me(entry(1)));
    CHECK(entry(1)->pid == (uint32_t)getpid()); /* it was started, in our namespace */
    say_where_the_arena_is("");                 /* attached */
    CHECK(register_process(false) && entry(2)->pid == 0 && tracer_process.pid == 0);
    header()->target_pid = (uint32_t)getpid();
    CHECK(register_process(false) && entry(3)->pid == (uint32_t)getpid());
    header()->target_pid = 0;
    CHECK(register_process(false) && entry(4)->pid == (uint32_t)getpid());
}

TEST(a_long_path_is_none)
{
    char path[200];
    say_where_the_arena_is("");
    memset(path, '/', sizeof(path));
    path[150] = '\0';
    say_where_the_arena_is(path);
    header()->target_pid = (uint32_t)getpid() + 1;
    CHECK(register_process(false) && entry(1)->pid == 0);
    CHECK(registration_pid() == (uint32_t)getpid());
}

static void *leave_late(void *context)
{
    (void)context;
    for (int i = 0; i < 100; i++)
        sched_yield();
    atomic_store(&entry(ARENA_PROCESSES - 1)->state, PROCESS_FREE);
    return NULL;
}

TEST(a_full_list_is_waited_for_a_little)
{
    pthread_t thread;
    for (uint32_t i = 0; i < ARENA_PROCESSES; i++)
        atomic_store(&entry(i)->state, i % 2 ? PROCESS_RUNNING : PROCESS_TAKING);
    CHECK(!register_process(false));
    CHECK(header()->unlisted_processes == 1 && tracer_process.process == 0);
    atomic_store(&header()->off, 1);
    CHECK(!register_process(true) && header()->unlisted_processes == 2);
    atomic_store(&header()->off, 0);
    CHECK(tracer_process.serial == 7 && header()->serials == 40);
    CHECK(pthread_create(&thread, NULL, leave_late, NULL) == 0);
    bool is_in = false;
    for (int i = 0; i < 1000 && !is_in; i++)
        is_in = register_process(false);
    CHECK(is_in && tracer_process.process == ARENA_PROCESSES - 1);
    CHECK(header()->process_high == ARENA_PROCESSES);
    pthread_join(thread, NULL);
}

TEST(a_thread_has_the_number_that_the_recorder_sees)
{
    uint32_t const tid = (uint32_t)raw_syscall3(SYS_gettid, 0, 0, 0), other = 99;
    CHECK(registration_tid(other) == other); /* one namespace */
    tracer_process.pid = tracer_process.local_pid + 1;
    CHECK(registration_tid(other) == tid);
    rings.is_confined = true;
    CHECK(registration_tid(other) == other);
    rings.is_confined = false;
    tracer_process.pid = 0;
    CHECK(registration_tid(other) == other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_program_enters_itself, begin),
        cmocka_unit_test_setup(a_child_says_whose_it_is, begin),
        cmocka_unit_test_setup(without_the_recorders_numbers_little_is_known, begin),
        cmocka_unit_test_setup(a_long_path_is_none, begin),
        cmocka_unit_test_setup(a_full_list_is_waited_for_a_little, begin),
        cmocka_unit_test_setup(a_thread_has_the_number_that_the_recorder_sees, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
