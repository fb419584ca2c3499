/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/library/code_jumps.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "inject/threads/thread_stop.h"
#include "wire/inside.h"

#define THREADS 3
#define CYCLES  20

/* Its first bytes are five instructions, so that threads are often between them. */
void hot(_Atomic uint64_t counters[2]);
void detour(_Atomic uint64_t counters[2]);
__asm__(".text\n"
        ".p2align 4\n"
        "hot: nop; nop; nop; nop; nop\n"
        "     lock incq (%rdi)\n"
        "     ret\n"
        ".p2align 4\n"
        "detour: lock incq 8(%rdi)\n"
        "     ret\n");

/* A step may be into a system call that waits for ever. */
void sleepy(_Atomic uint64_t counters[2]);
__asm__(".text\n"
        ".p2align 4\n"
        "sleepy: nop; nop; nop; nop; nop\n"
        "     lock incq (%rdi)\n"
        "1:   mov $34, %eax\n" /* pause */
        "     syscall\n"
        "     jmp 1b\n");
#define SLEEPY_BYTES 40

static struct inside_jumps table;

struct shared {
    _Atomic uint64_t counters[2];
    _Atomic uint32_t stop, ready;
};

static void *call_it(void *context)
{
    struct shared *shared = context;
    atomic_fetch_add(&shared->ready, 1);
    while (!shared->stop)
        hot(shared->counters);
    return NULL;
}

static void be_busy(struct shared *shared)
{
    pthread_t threads[THREADS];
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a failing test leaves nobody behind */
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, call_it, shared);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    _exit(7);
}

static void aim(void)
{
    int32_t distance = (int32_t)((uint64_t)detour - ((uint64_t)hot + INSIDE_JUMP));
    struct inside_jump *jump = &table.jumps[0];
    *jump = (struct inside_jump){.address = (uint64_t)hot, .stolen = INSIDE_JUMP, .jump = {0xe9}};
    memcpy(jump->jump + 1, &distance, sizeof(distance));
    memcpy(jump->before, (const void *)hot, INSIDE_JUMP);
    table.count = 1;
}

static struct shared *shared;
static struct remote_memory memory;

static pid_t start(void)
{
    shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    aim();
    pid_t pid = fork();
    if (pid == 0)
        be_busy(shared);
    while (shared->ready < THREADS)
        usleep(1000);
    CHECK(remote_memory_open(&memory, pid) == 0);
    return pid;
}

static void finish(pid_t pid)
{
    int status;
    shared->stop = 1;
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 7);
    remote_memory_close(&memory);
    munmap(shared, 4096);
}

static int set_table(pid_t pid, uint64_t address, bool on, struct code_jumps_report *report,
                     struct fault *fault)
{
    return code_jumps_set_table(&(struct code_jumps_table){pid, &memory, address}, on, report,
                                fault);
}

static void set(pid_t pid, bool on)
{
    struct code_jumps_report report;
    struct fault fault = {0};
    if (set_table(pid, (uint64_t)&table, on, &report, &fault) < 0)
        fail_msg("%s", fault.text);
    CHECK(report.changed == 1 && report.tries >= 1 && report.stopped_ns > 0);
}

/* Whether the counter goes up. */
static bool counts(int which)
{
    uint64_t before = shared->counters[which];
    for (int i = 0; i < 2000 && shared->counters[which] == before; i++)
        usleep(1000);
    return shared->counters[which] != before;
}

TEST(busy_threads_go_the_other_way_and_back)
{
    pid_t pid = start();
    for (int i = 0; i < CYCLES; i++) {
        set(pid, true);
        CHECK(counts(1));
        uint64_t direct = shared->counters[0];
        usleep(100);
        CHECK(shared->counters[0] - direct <= THREADS); /* those that were past the beginning */
        set(pid, false);
        CHECK(counts(0));
    }
    finish(pid);
}

static pid_t spin(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            ;
    }
    return pid;
}

/* Its steps take longer than anybody waits for them; it may be left as it is, but not be hurt. */
TEST(who_hardly_ever_runs_survives)
{
    pid_t spinners[4];
    pid_t pid = start();
    for (int i = 0; i < 4; i++)
        spinners[i] = spin();
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    DIR *tasks = opendir(path);
    for (struct dirent *task; (task = readdir(tasks));)
        setpriority(PRIO_PROCESS, (id_t)atoi(task->d_name), 12);
    closedir(tasks);
    struct code_jumps_report report;
    struct fault fault = {0};
    int err = set_table(pid, (uint64_t)&table, true, &report, &fault);
    CHECK(err == 0 || err == -EBUSY);
    err = set_table(pid, (uint64_t)&table, false, &report, &fault);
    CHECK(err == 0 || err == -EBUSY);
    for (int i = 0; i < 4; i++) {
        kill(spinners[i], SIGKILL);
        waitpid(spinners[i], NULL, 0);
    }
    finish(pid);
}

static void *sleep_for_ever(void *context)
{
    sleepy(((struct shared *)context)->counters);
    return NULL;
}

/* A table that a hostile program has written over: it says that a thread which sleeps is in the
 * middle of what changes.  There is no good moment, and nobody hangs or is hurt. */
TEST(who_sleeps_in_the_middle_is_not_waited_for)
{
    struct code_jumps_report report;
    struct fault fault = {0};
    shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    aim();
    table.jumps[0].address = (uint64_t)sleepy;
    table.jumps[0].stolen = SLEEPY_BYTES;
    memcpy(table.jumps[0].before, (const void *)sleepy, INSIDE_JUMP);
    pid_t const pid = fork();
    if (pid == 0) {
        pthread_t sleeper;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        pthread_create(&sleeper, NULL, sleep_for_ever, shared);
        while (!shared->stop)
            usleep(1000);
        _exit(7);
    }
    while (shared->counters[0] == 0)
        usleep(1000);
    CHECK(remote_memory_open(&memory, pid) == 0);
    CHECK(set_table(pid, (uint64_t)&table, true, &report, &fault) == -EBUSY);
    CHECK(report.tries >= 1 && report.changed == 0);
    finish(pid);
}

TEST(what_is_there_already_needs_nothing)
{
    struct code_jumps_report report;
    struct fault fault = {0};
    pid_t pid = start();
    CHECK(set_table(pid, (uint64_t)&table, false, &report, &fault) == 0);
    CHECK(report.changed == 0 && report.tries == 0);
    set(pid, true);
    CHECK(set_table(pid, (uint64_t)&table, true, &report, &fault) == 0);
    CHECK(report.changed == 0 && report.tries == 0);
    set(pid, false);
    finish(pid);
}

/* Somebody else has changed the code meanwhile. */
TEST(other_code_is_left_alone)
{
    struct code_jumps_report report;
    struct fault fault = {0};
    static const uint8_t theirs[] = {0x66, 0x66, 0x66, 0x66, 0x90};
    uint8_t now[sizeof(theirs)];
    pid_t pid = start();
    kill(pid, SIGSTOP);
    waitpid(pid, NULL, WUNTRACED);
    CHECK(remote_write(&memory, (uint64_t)hot, theirs, sizeof(theirs)));
    CHECK(set_table(pid, (uint64_t)&table, true, &report, &fault) == 0);
    CHECK(report.changed == 0);
    CHECK(remote_read(&memory, (uint64_t)hot, now, sizeof(now)) &&
          memcmp(now, theirs, sizeof(now)) == 0);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    remote_memory_close(&memory);
}

TEST(nonsense_is_no_table)
{
    struct code_jumps_report report;
    struct fault fault = {0};
    pid_t pid = start();
    CHECK(set_table(pid, 16, true, &report, &fault) < 0 && fault.text[0]);
    CHECK(set_table(pid, (uint64_t)hot, true, &report, &fault) < 0);
    finish(pid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(busy_threads_go_the_other_way_and_back),
        cmocka_unit_test(who_hardly_ever_runs_survives),
        cmocka_unit_test(who_sleeps_in_the_middle_is_not_waited_for),
        cmocka_unit_test(what_is_there_already_needs_nothing),
        cmocka_unit_test(other_code_is_left_alone),
        cmocka_unit_test(nonsense_is_no_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
