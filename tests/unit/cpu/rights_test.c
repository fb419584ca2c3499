/* SPDX-License-Identifier: Apache-2.0 */
/* What is seen with which rights, and what is said where something is not.  Needs root, to have
 * others' rights. */
#include "cpu/cpu_station.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

#include "check.h"

#define LEVEL_PATH "/proc/sys/kernel/perf_event_paranoid"
#define NOBODY     65534u
#define THREADS    40u

static bool read_level(int *level)
{
    FILE *file = fopen(LEVEL_PATH, "r");
    bool const is_read = file && fscanf(file, "%d", level) == 1;
    if (file)
        fclose(file);
    return is_read;
}

static bool write_level(int level)
{
    FILE *file = fopen(LEVEL_PATH, "w");
    bool const is_written = file && fprintf(file, "%d\n", level) > 0;
    return file && fclose(file) == 0 && is_written;
}

static void *idle(void *argument)
{
    pause();
    return argument;
}

/* Works in the program, works in the kernel, and waits. */
static _Noreturn void burn(unsigned threads)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (unsigned i = 0; i < threads; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, idle, NULL);
    }
    for (;;) {
        for (volatile unsigned i = 0; i < 3000000; i++)
            ;
        for (unsigned i = 0; i < 3000; i++) {
            char byte;
            int const fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
            if (read(fd, &byte, 1) != 1)
                _exit(1);
            close(fd);
        }
        usleep(3000);
    }
}

struct seen {
    struct cpu_state state;
    struct fault fault;
    bool is_open, is_watched;
};

struct attempt {
    int level;
    bool is_nobody, of_root, whole_machine;
    unsigned threads, files; /* 0: as many as there may be */
};

static void watch_for_a_while(const struct attempt *attempt, pid_t pid, struct seen *seen)
{
    struct cpu_station_options const options = {.source = CPU_SOURCE_PERF,
                                                .hz = 499,
                                                .off_cpu = true,
                                                .together = attempt->whole_machine,
                                                .whole_machine = attempt->whole_machine};
    struct recording *recording = recording_create();
    struct bucket bucket = {.begin_ns = 0};
    struct cpu_station *station = cpu_station_open(&options, &seen->fault);
    seen->is_open = station != NULL;
    seen->is_watched =
        station && (attempt->whole_machine ||
                    cpu_station_watch(station, (uint32_t)pid, false, &seen->fault) == 0);
    for (unsigned i = 0; seen->is_watched && i < 50 && seen->state.timing.in_kernel < 3; i++) {
        usleep(100000);
        (void)cpu_station_collect(station, attempt->whole_machine ? 0 : (uint32_t)pid, recording,
                                  &bucket, 0, &seen->state);
        if (!seen->state.sees_kernel && seen->state.timing.samples >= 20)
            break;
    }
    cpu_station_close(station);
}

static void become_nobody(void)
{
    if (setgid(NOBODY) < 0 || setuid(NOBODY) < 0)
        _exit(1);
    prctl(PR_SET_DUMPABLE, 1); /* or nobody may look at us */
}

static _Noreturn void attempt_in_child(const struct attempt *attempt, pid_t root_process,
                                       int answers)
{
    struct seen seen = {.is_open = false};
    if (attempt->is_nobody)
        become_nobody();
    pid_t const own = fork();
    if (own == 0)
        burn(attempt->threads);
    usleep(50000);
    if (attempt->files) {
        struct rlimit const few = {attempt->files, attempt->files};
        setrlimit(RLIMIT_NOFILE, &few);
    }
    watch_for_a_while(attempt, attempt->of_root ? root_process : own, &seen);
    _exit(write(answers, &seen, sizeof(seen)) == sizeof(seen) ? 0 : 1);
}

/* false: cannot be tried here. */
static bool attempt_it(const struct attempt *attempt, struct seen *seen)
{
    int answers[2], before, status;
    if (geteuid() != 0 || !read_level(&before) || !write_level(attempt->level)) {
        print_message("skipped: only root can change %s\n", LEVEL_PATH);
        return false;
    }
    CHECK(pipe(answers) == 0);
    pid_t const root_process = attempt->of_root ? fork() : -1;
    if (root_process == 0)
        burn(0);
    pid_t const child = fork();
    if (child == 0)
        attempt_in_child(attempt, root_process, answers[1]);
    waitpid(child, &status, 0);
    if (root_process > 0) { /* nobody's end is no reason for it to end */
        kill(root_process, SIGKILL);
        waitpid(root_process, NULL, 0);
    }
    CHECK(write_level(before));
    CHECK(status == 0 && read(answers[0], seen, sizeof(*seen)) == sizeof(*seen));
    close(answers[0]);
    close(answers[1]);
    return true;
}

static bool doubts(const struct seen *seen, const char *words)
{
    for (size_t i = 0; i < sizeof(seen->state.doubts) / sizeof(seen->state.doubts[0]); i++)
        if (strstr(seen->state.doubts[i], words))
            return true;
    return false;
}

TEST(up_to_level_1_the_kernel_is_seen)
{
    for (int level = -1; level <= 1; level++) {
        struct seen seen;
        if (!attempt_it(&(struct attempt){.level = level, .is_nobody = true}, &seen))
            return;
        CHECK(seen.is_watched && seen.state.sees_kernel && seen.state.timing.in_kernel > 0);
        CHECK(seen.state.timing.waits > 0 &&
              seen.state.timing.waits_without_stack * 2 < seen.state.timing.waits);
        CHECK(!doubts(&seen, "inside the kernel"));
    }
}

TEST(at_level_2_the_program_is_seen_and_the_rest_is_told)
{
    struct seen seen;
    if (!attempt_it(&(struct attempt){.level = 2, .is_nobody = true}, &seen))
        return;
    CHECK(seen.is_watched && !seen.state.sees_kernel && seen.state.timing.samples > 0);
    CHECK(seen.state.timing.in_kernel == 0 && seen.state.timing.wait_ns > 0);
    CHECK(seen.state.timing.waits_without_stack == seen.state.timing.waits);
    CHECK(
        doubts(&seen, "Time inside the kernel is not recorded, and waits are sums without stacks"));
    CHECK(doubts(&seen, "sudo sysctl -w kernel.perf_event_paranoid=1"));
    CHECK(doubts(&seen, "sudo setcap cap_perfmon,cap_ipc_lock,cap_syslog,cap_sys_ptrace+ep /"));
}

TEST(the_whole_machine_needs_level_0)
{
    struct seen seen;
    if (!attempt_it(&(struct attempt){.level = 0, .is_nobody = true, .whole_machine = true}, &seen))
        return;
    CHECK(seen.is_watched && seen.state.timing.samples > 0);
    CHECK(
        attempt_it(&(struct attempt){.level = 1, .is_nobody = true, .whole_machine = true}, &seen));
    CHECK(!seen.is_open && strstr(seen.fault.text, "whole machine") &&
          strstr(seen.fault.text, "sudo sysctl -w kernel.perf_event_paranoid=-1") &&
          strstr(seen.fault.text, "sudo setcap cap_perfmon"));
}

TEST(processes_of_others_are_refused_with_a_reason)
{
    struct seen seen;
    if (!attempt_it(&(struct attempt){.level = 1, .is_nobody = true, .of_root = true}, &seen))
        return;
    CHECK(seen.is_open && !seen.is_watched && strstr(seen.fault.text, "another user") &&
          strstr(seen.fault.text, "sudo setcap"));
}

TEST(root_sees_everything_at_every_level)
{
    struct seen seen;
    if (!attempt_it(&(struct attempt){.level = 2}, &seen))
        return;
    CHECK(seen.is_watched && seen.state.sees_kernel && seen.state.timing.in_kernel > 0);
    /* Programs that others load into the kernel meanwhile have no name. */
    CHECK(seen.state.timing.kernel_unnamed * 4 < seen.state.timing.in_kernel);
    CHECK(!doubts(&seen, "sudo"));
}

TEST(many_threads_and_few_files_are_seen_by_processor)
{
    struct seen seen;
    if (!attempt_it(&(struct attempt){.level = 2, .threads = THREADS, .files = 32}, &seen))
        return;
    CHECK(seen.is_watched && seen.state.timing.samples > 0 && seen.state.timing.waits > 0);
    CHECK(attempt_it(
        &(struct attempt){.level = 2, .is_nobody = true, .threads = THREADS, .files = 32}, &seen));
    CHECK(!seen.is_watched && strstr(seen.fault.text, "ulimit -n") &&
          strstr(seen.fault.text, "41 threads"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(up_to_level_1_the_kernel_is_seen),
        cmocka_unit_test(at_level_2_the_program_is_seen_and_the_rest_is_told),
        cmocka_unit_test(the_whole_machine_needs_level_0),
        cmocka_unit_test(processes_of_others_are_refused_with_a_reason),
        cmocka_unit_test(root_sees_everything_at_every_level),
        cmocka_unit_test(many_threads_and_few_files_are_seen_by_processor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
