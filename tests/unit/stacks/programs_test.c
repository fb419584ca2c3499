/* SPDX-License-Identifier: Apache-2.0 */
/* programs_test.c - how many stacks of real programs are walked to their end, at random
 * instants; with copies of at most 64 KiB, as the kernel makes them. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "scratch.h"
#include "stacks/stack_intern.h"
#include "stopped.h"

#define STOPS  300u
#define COPIED (64u << 10)

struct tally {
    unsigned walks, complete, repeatable, by_pointer, frames;
    unsigned stops[STACK_STOP_KINDS];
};

static void show(struct process_code *code, const struct stack_walk *walk)
{
    if (!getenv("SHOW") || walk->end == STACK_END_COMPLETE)
        return;
    fprintf(stderr, "%s\n", stack_stop_name(walk->stop));
    for (unsigned i = 0; i < walk->frame_count && i < 40; i++) {
        const struct code_region *region = process_code_find(code, walk->frames[i]);
        fprintf(stderr, "  %lx %s %lx\n", walk->frames[i], region ? region->path : "?",
                region ? walk->frames[i] - region->bias : 0);
    }
}

static void walk_one(const struct stopped *stopped, struct process_code *code,
                     struct stack_intern *intern, struct tally *tally)
{
    static struct stack_walk walk;
    struct interned_stack interned;
    struct stack_copy const copy = stopped_copy(stopped);
    stack_walk(code, &copy, &walk);
    CHECK(stack_intern_put(intern, code, &walk, &interned) == 0);
    CHECK(interned.stack != STACK_EMPTY);
    tally->walks++;
    tally->frames += walk.frame_count;
    tally->complete += walk.end == STACK_END_COMPLETE;
    tally->repeatable += !walk.not_repeatable;
    tally->by_pointer += walk.by_pointer > 0;
    tally->stops[walk.stop]++;
    show(code, &walk);
}

static void print(const char *name, const struct tally *tally, struct code_store_size size)
{
    printf("%-12s %4u stacks of %u frames, %5.1f %% complete, %5.1f %% repeatable, %u by frame "
           "pointer, %zu KiB of tables;",
           name, tally->walks, tally->walks ? tally->frames / tally->walks : 0,
           100.0 * tally->complete / tally->walks, 100.0 * tally->repeatable / tally->walks,
           tally->by_pointer, size.bytes >> 10);
    for (unsigned i = 0; i < STACK_STOP_KINDS; i++)
        if (tally->stops[i])
            printf(" %s %u", stack_stop_name(i), tally->stops[i]);
    putchar('\n');
}

static struct tally walk_program(const char *name, const char *const *argv, unsigned warm_up_ms)
{
    struct stopped stopped;
    struct process_code *code;
    struct tally tally = {0};
    struct code_store *store = code_store_create((size_t)256 << 20);
    struct recording *recording = recording_create();
    struct stack_intern *intern = stack_intern_create(recording);
    stopped_start(&stopped, argv, warm_up_ms);
    CHECK(process_code_open(store, (uint32_t)stopped.pid, &code) == 0);
    for (unsigned i = 0; i < STOPS && stopped.thread_count > 0; i++) {
        usleep((unsigned)rand() % 1000);
        stopped_look_for_threads(&stopped);
        if (stopped_hold(&stopped, stopped_choose(&stopped), COPIED))
            walk_one(&stopped, code, intern, &tally);
        stopped_let_go(&stopped);
    }
    print(name, &tally, code_store_measure(store));
    process_code_close(code);
    stopped_end(&stopped);
    stack_intern_destroy(intern);
    recording_destroy(recording);
    code_store_destroy(store);
    return tally;
}

static void expect_complete(const char *name, const char *const *argv, unsigned warm_up_ms)
{
    struct tally const tally = walk_program(name, argv, warm_up_ms);
    CHECK(tally.walks > STOPS / 2);
    CHECK(tally.complete * 100 >= tally.walks * 99);
}

#define ARGV(...) ((const char *const[]){__VA_ARGS__, NULL})

TEST(python)
{
    if (access("/usr/bin/python3", X_OK) != 0)
        skip();
    expect_complete("python3", ARGV("/usr/bin/python3", PROGRAMS "/busy.py"), 300);
}

static pid_t start_load(const char *const *argv)
{
    pid_t const pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a failing test leaves nobody behind */
        int const nothing = open("/dev/null", O_RDWR);
        usleep(200000); /* until there is somebody to load */
        dup2(nothing, 1);
        dup2(nothing, 2);
        execvp(argv[0], (char *const *)argv);
        _exit(127);
    }
    return pid;
}

static void end_load(pid_t pid)
{
    kill(pid, 9);
    waitpid(pid, NULL, 0);
}

TEST(redis)
{
    if (!scratch_has("redis-server") || !scratch_has("redis-benchmark"))
        skip();
    scratch_open();
    const char *socket = scratch_path("socket");
    pid_t const load = start_load(ARGV("redis-benchmark", "-q", "-s", socket, "-r", "10000", "-n",
                                       "10000000", "-t", "set,lpush,zadd"));
    expect_complete("redis",
                    ARGV("redis-server", "--port", "0", "--save", "", "--unixsocket", socket), 600);
    end_load(load);
    scratch_close();
}

TEST(sqlite)
{
    if (!scratch_has("sqlite3"))
        skip();
    expect_complete(
        "sqlite3",
        ARGV("sqlite3", ":memory:",
             "with recursive n(i) as (select 1 union all select i+1 from n limit 1000000000)"
             "select count(distinct i % 1000 || 'x') from n order by 1"),
        200);
}

TEST(go)
{
    if (!scratch_has("go"))
        skip();
    scratch_open();
    setenv("GOCACHE", scratch_path("cache"), 1);
    setenv("GOFLAGS", "-mod=mod", 1);
    scratch_run("go", "build", "-o", "busy", PROGRAMS "/busy.go");
    expect_complete("go", ARGV(scratch_path("busy")), 300);
    scratch_run("go", "build", "-buildmode=pie", "-ldflags=-s -w", "-o", "busy-pie",
                PROGRAMS "/busy.go");
    expect_complete("go pie", ARGV(scratch_path("busy-pie")), 300);
    scratch_close();
}

TEST(etcd)
{
    if (!scratch_has("etcd"))
        skip();
    scratch_open();
    expect_complete("etcd",
                    ARGV("etcd", "--data-dir", scratch_path("etcd"), "--listen-client-urls",
                         "http://127.0.0.1:0", "--advertise-client-urls", "http://127.0.0.1:0",
                         "--listen-peer-urls", "http://127.0.0.1:0"),
                    700);
    scratch_close();
}

TEST(rust)
{
    if (!scratch_has("rustc"))
        skip();
    scratch_open();
    scratch_run("rustc", "-O", "-o", "busy", PROGRAMS "/busy.rs");
    expect_complete("rust", ARGV(scratch_path("busy")), 200);
    scratch_close();
}

TEST(node)
{
    if (!scratch_has("node"))
        skip();
    expect_complete("node", ARGV("node", PROGRAMS "/busy.js"), 500);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(python), cmocka_unit_test(redis), cmocka_unit_test(sqlite),
        cmocka_unit_test(go),     cmocka_unit_test(etcd),  cmocka_unit_test(rust),
        cmocka_unit_test(node),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
