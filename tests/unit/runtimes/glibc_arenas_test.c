/* SPDX-License-Identifier: Apache-2.0 */
#include "runtimes/glibc_arenas.h"

#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "procfs/memory/smaps.h"

static uint64_t number(const struct breakdown *breakdown, const char *name)
{
    vec_each (one, &breakdown->insides.items[0].numbers)
        if (strcmp(one->name, name) == 0)
            return one->value;
    return UINT64_MAX;
}

static void *allocate(void *unused)
{
    static void *volatile kept[1000];
    for (size_t i = 0; i < 1000; i++)
        kept[i] = malloc(100 + i);
    for (size_t i = 0; i < 1000; i += 2)
        free(kept[i]);
    return unused;
}

/* A child says what glibc itself counts, and waits. */
static _Noreturn void be_subject(int answer)
{
    pthread_t thread;
    pthread_create(&thread, NULL, allocate, NULL);
    pthread_join(thread, NULL);
    allocate(NULL);
    char *volatile large = malloc(5 << 20);
    memset(large, 1, 5 << 20);
    struct mallinfo2 const told = mallinfo2();
    if (write(answer, &told, sizeof(told)) < 0)
        _exit(1);
    for (;;)
        pause();
}

TEST(arenas_and_free_blocks_are_those_that_glibc_counts)
{
    struct breakdown breakdown = {.deep = true};
    struct smaps smaps;
    struct process_bytes process;
    struct mallinfo2 told;
    int ends[2];
    CHECK(pipe(ends) == 0);
    pid_t const child = fork();
    if (child == 0)
        be_subject(ends[1]);
    CHECK(read(ends[0], &told, sizeof(told)) == sizeof(told));
    CHECK(smaps_read((uint32_t)child, &smaps) == 0);
    breakdown.pid = (uint32_t)child;
    vec_each (region, &smaps.regions)
        CHECK(vec_push(&breakdown.regions, *region));
    CHECK(process_bytes_open(&process, breakdown.pid) == 0);
    if (glibc_arenas_look(&breakdown, &process) ==
        0) { /* else another allocator is in this build */
        CHECK(number(&breakdown, "system") == told.arena);
        CHECK(number(&breakdown, "large") == told.hblkhd &&
              number(&breakdown, "large_blocks") == told.hblks);
        CHECK(number(&breakdown, "arenas") == 2);
        CHECK(number(&breakdown, "free") + number(&breakdown, "top") == told.fordblks);
    }
    process_bytes_close(&process);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    smaps_fini(&smaps);
    breakdown_fini(&breakdown);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arenas_and_free_blocks_are_those_that_glibc_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
