/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that stop all the time: not every stop has a stack, also of threads that were started
 * while they were watched. */
#include "cpu/perf_samples.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

#include "check.h"

#define WORK_NS 2500000000u

struct ends {
    int from, to;
};

/* Hands one byte round; whoever waits for it stops. */
static void *hand_round(void *context)
{
    struct ends const *ends = context;
    uint64_t const until_ns = monotonic_ns() + WORK_NS;
    char byte = 0;
    while (monotonic_ns() < until_ns && read(ends->from, &byte, 1) == 1 &&
           write(ends->to, &byte, 1) == 1)
        ;
    close(ends->to); /* the other one ends, too */
    return NULL;
}

static void work(int order, int answer)
{
    int there[2], back[2];
    char byte;
    struct rusage used;
    pthread_t threads[2];
    CHECK(read(order, &byte, 1) == 1 && pipe(there) == 0 && pipe(back) == 0);
    struct ends one = {there[0], back[1]}, other = {back[0], there[1]};
    CHECK(write(there[1], "", 1) == 1);
    pthread_create(&threads[0], NULL, hand_round, &one);
    pthread_create(&threads[1], NULL, hand_round, &other);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    getrusage(RUSAGE_SELF, &used);
    uint64_t const stops = (uint64_t)used.ru_nvcsw;
    _exit(write(answer, &stops, sizeof(stops)) == sizeof(stops) ? 0 : 1);
}

static void count(void *context, const struct agent_record *record)
{
    *(uint64_t *)context += record->kind == AGENT_COPY;
}

static void no_mapping(void *context, uint32_t pid, const struct code_mapping *mapping)
{
    (void)context;
    (void)pid;
    (void)mapping;
}

static void no_use(void *context, const struct perf_used *used)
{
    (void)context;
    (void)used;
}

TEST(stacks_of_waits_are_thinned)
{
    int order[2], answer[2];
    struct fault fault;
    uint64_t copies = 0, stops = 0;
    CHECK(pipe(order) == 0 && pipe(answer) == 0);
    pid_t const pid = fork();
    if (pid == 0)
        work(order[0], answer[1]);
    struct perf_samples *samples = perf_samples_open(
        &(struct perf_samples_options){.clock = {.off_cpu = true},
                                       .sink = {&copies, count, no_mapping, no_use}},
        &fault);
    if (!samples || perf_samples_add(samples, (uint32_t)pid, &fault) < 0 ||
        !perf_samples_count(samples).sees_stops) {
        print_message("skipped: %s\n", samples ? "waits have no stacks here" : fault.text);
        kill(pid, SIGKILL);
    } else {
        uint64_t period = 1;
        CHECK(write(order[1], "", 1) == 1);
        while (waitpid(pid, NULL, WNOHANG) == 0) {
            perf_samples_wait(samples, 20);
            CHECK(perf_samples_drain(samples, monotonic_ns() - PERF_SAMPLES_LATE_NS) == 0);
            uint64_t const now = perf_samples_count(samples).stops_period;
            period = now > period ? now : period;
        }
        CHECK(read(answer[0], &stops, sizeof(stops)) == sizeof(stops));
        uint64_t const lost = perf_samples_count(samples).waits_lost;
        if (getenv("SHOW"))
            print_message("%llu stops, %llu with a stack, %llu lost, one of %llu\n",
                          (unsigned long long)stops, (unsigned long long)copies,
                          (unsigned long long)lost, (unsigned long long)period);
        if (stops < 60000) /* too slow here to be thinned for sure */
            print_message("skipped: only %llu stops\n", (unsigned long long)stops);
        else
            CHECK(period > 1 && copies + lost < stops); /* how many depends on the machine */
    }
    perf_samples_close(samples);
    for (unsigned i = 0; i < 2; i++) {
        close(order[i]);
        close(answer[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stacks_of_waits_are_thinned)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
