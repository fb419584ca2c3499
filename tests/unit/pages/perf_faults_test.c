/* SPDX-License-Identifier: Apache-2.0 */
#include "pages/perf_faults.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#define PAGE    ((size_t)4096)
#define PAGES   100u
#define THREADS 3u

struct seen {
    uint32_t pid, child;
    uint64_t start;
    unsigned faults, copies, forks, exits, ranges, moves, stacks;
    unsigned touched[(THREADS + 2) * PAGES];
    uint64_t last_ns;
    uint32_t last_copy;
};

static void see(void *context, const struct agent_record *record, size_t size)
{
    struct seen *seen = context;
    CHECK(record->time_ns >= seen->last_ns && size >= sizeof(*record));
    seen->last_ns = record->time_ns;
    if (record->kind == AGENT_COPY) {
        const struct agent_copy *copy = (const struct agent_copy *)record;
        CHECK(size == sizeof(*copy) + copy->size && copy->registers[16] && copy->registers[7]);
        seen->copies++;
        seen->stacks += copy->size > 0;
        seen->last_copy = record->stack;
    }
    uint64_t const page = (record->address - seen->start) / PAGE;
    if (record->kind == AGENT_FAULT && page < (THREADS + 2) * PAGES) {
        CHECK(record->stack == seen->last_copy && record->stack & AGENT_STACK_COPY);
        CHECK(record->pid == (page < (THREADS + 1) * PAGES ? seen->pid : seen->child));
        seen->touched[page]++;
        seen->faults++;
    }
    if (record->kind == AGENT_FORK) {
        seen->child = (uint32_t)record->address;
        seen->forks++;
    }
    seen->exits += record->kind == AGENT_EXIT && record->pid == seen->child;
    seen->ranges += record->kind == AGENT_RANGE;
    seen->moves += record->kind == AGENT_MOVE;
}

static void *touch(void *start)
{
    for (size_t i = 0; i < PAGES; i++)
        *(volatile char *)((char *)start + i * PAGE) = 1;
    return NULL;
}

/* One thread from before, two that come later, and a process. */
static void work(char *memory, int orders)
{
    pthread_t threads[THREADS];
    char byte;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (read(orders, &byte, 1) != 1)
        _exit(1);
    touch(memory);
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, touch, memory + (i + 1) * PAGES * PAGE);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pid_t const child = fork();
    if (child == 0) {
        touch(memory + (THREADS + 1) * PAGES * PAGE);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    char *moved = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mremap(moved, PAGE, 1000 * PAGE, MREMAP_MAYMOVE);
    _exit(0);
}

static void watch(uint32_t stack_bytes)
{
    char *memory = mmap(NULL, (THREADS + 2) * PAGES * PAGE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int orders[2];
    struct fault fault;
    CHECK(memory != MAP_FAILED && pipe(orders) == 0);
    pid_t const pid = fork();
    if (pid == 0)
        work(memory, orders[0]);
    struct perf_faults *faults = perf_faults_open(
        &(struct perf_faults_options){
            .pid = (uint32_t)pid, .stack_bytes = stack_bytes, .ring_bytes = 8 << 20},
        &fault);
    CHECK(write(orders[1], "", 1) == 1 && waitpid(pid, NULL, 0) == pid);
    if (faults) {
        struct seen seen = {.pid = (uint32_t)pid, .start = (uint64_t)memory};
        CHECK(perf_faults_drain(faults, see, &seen) == 0);
        struct perf_faults_counts const counts = perf_faults_count(faults);
        CHECK(counts.lost == 0 && counts.period == 1 && counts.faults >= seen.faults);
        CHECK(seen.faults == (THREADS + 2) * PAGES && seen.forks == 1 && seen.exits == 1);
        for (size_t i = 0; i < (THREADS + 2) * PAGES; i++)
            CHECK(seen.touched[i] == 1);
        CHECK(!counts.sees_maps || (seen.moves == 1 && seen.ranges >= 1));
        CHECK(seen.stacks == (stack_bytes ? seen.copies : 0));
    } else {
        print_message("skipped: %s\n", fault.text);
    }
    perf_faults_close(faults);
    close(orders[0]);
    close(orders[1]);
    munmap(memory, (THREADS + 2) * PAGES * PAGE);
}

TEST(every_fault_of_every_thread_is_seen_once)
{
    watch(0);
}

TEST(stacks_are_copied)
{
    watch(2048);
}

static void count_record(void *context, const struct agent_record *record, size_t size)
{
    (void)size;
    *(uint64_t *)context += record->kind == AGENT_FAULT;
}

/* Ourselves: a ring that is too small loses events, and says how many at once, though no later
 * event tells of it. */
TEST(what_is_lost_is_counted)
{
    struct fault fault;
    uint64_t got = 0;
    struct perf_faults *faults = perf_faults_open(
        &(struct perf_faults_options){
            .pid = (uint32_t)getpid(), .ring_bytes = 4 * PAGE, .rate_max = 100},
        &fault);
    if (!faults) {
        print_message("skipped: %s\n", fault.text);
        return;
    }
    char *memory =
        mmap(NULL, 4000 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, 4000 * PAGE, MADV_NOHUGEPAGE);
    memset(memory, 1, 4000 * PAGE);
    munmap(memory, 4000 * PAGE);
    usleep(150000); /* the rate is looked at now and then */
    CHECK(perf_faults_drain(faults, count_record, &got) == 0);
    struct perf_faults_counts const counts = perf_faults_count(faults);
    CHECK(got == counts.faults && counts.lost > 1000 && counts.period > 1);
    perf_faults_close(faults);
}

TEST(a_process_that_is_not_there_is_told)
{
    struct fault fault = {.code = 0};
    CHECK(!perf_faults_open(&(struct perf_faults_options){.pid = 0x7ffffffe}, &fault));
    CHECK(fault.code < 0 && strstr(fault.text, "no process"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_fault_of_every_thread_is_seen_once),
                                       cmocka_unit_test(stacks_are_copied),
                                       cmocka_unit_test(what_is_lost_is_counted),
                                       cmocka_unit_test(a_process_that_is_not_there_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
