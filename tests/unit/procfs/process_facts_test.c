/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/process/process_facts.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "procfs/memory/memory_status.h"
#include "procfs/process/process_status.h"

#define NOBODY 0x7fffffffu /* above every pid */

TEST(anonymous_memory_is_resident_memory_without_files)
{
    size_t size = (size_t)64 << 20;
    struct process_memory before = process_memory((uint32_t)getpid());
    char *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(map != MAP_FAILED);
    memset(map, 1, size);
    struct process_memory after = process_memory((uint32_t)getpid());
    munmap(map, size);
    CHECK(before.anon_bytes > 0 && before.anon_bytes < before.rss_bytes);
    /* The kernel counts in batches of pages per CPU. */
    CHECK(after.anon_bytes - before.anon_bytes > (int64_t)size - (4 << 20));
    CHECK(after.rss_bytes - before.rss_bytes > (int64_t)size - (4 << 20));
}

TEST(shared_memory_is_not_anonymous)
{
    size_t size = (size_t)64 << 20;
    struct process_memory before = process_memory((uint32_t)getpid());
    char *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(map != MAP_FAILED);
    memset(map, 1, size);
    struct process_memory after = process_memory((uint32_t)getpid());
    munmap(map, size);
    CHECK(after.rss_bytes - before.rss_bytes > (int64_t)size / 2);
    CHECK(after.anon_bytes - before.anon_bytes < (int64_t)size / 2);
}

TEST(a_variable_is_read_as_the_process_began_with_it)
{
    char value[64] = "";
    pid_t child = fork();
    if (child == 0) {
        execle("/bin/sleep", "sleep", "100", (char *)NULL,
               (char *[]){"XPYTHONMALLOC=no", "PYTHONMALLOC=malloc", "EMPTY=", NULL});
        _exit(127);
    }
    bool found = false;
    for (int tries = 0; tries < 5000 && !found; tries++) {
        found = process_variable((uint32_t)child, "PYTHONMALLOC", value, sizeof(value));
        found = found && strcmp(value, "malloc") == 0;
        if (!found)
            usleep(1000); /* until it has become sleep */
    }
    CHECK(found);
    CHECK(process_variable((uint32_t)child, "EMPTY", value, sizeof(value)) && value[0] == '\0');
    CHECK(!process_variable((uint32_t)child, "PYTHON", value, sizeof(value)));
    CHECK(process_variable((uint32_t)child, "PYTHONMALLOC", value, 4) && !strcmp(value, "mal"));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static void *wait_for_ever(void *ignored)
{
    for (;;)
        pause();
    return ignored;
}

static char state_of(pid_t pid)
{
    char path[64], text[512] = "";
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    size_t const size = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
    if (file)
        fclose(file);
    text[size] = '\0';
    const char *after_name = strrchr(text, ')');
    return after_name ? after_name[2] : '\0';
}

static void await_zombie(pid_t pid)
{
    for (int tries = 0; tries < 5000 && state_of(pid) != 'Z'; tries++)
        usleep(1000);
    CHECK(state_of(pid) == 'Z');
}

TEST(a_process_runs_until_its_last_thread_has_ended)
{
    pid_t ended = fork();
    if (ended == 0)
        _exit(0);
    pid_t outlived = fork();
    if (outlived == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, wait_for_ever, NULL);
        pthread_exit(NULL);
    }
    await_zombie(ended);
    await_zombie(outlived); /* its first thread, that is */
    CHECK(!process_runs((uint32_t)ended));
    CHECK(process_runs((uint32_t)outlived));
    kill(outlived, SIGKILL);
    waitpid(outlived, NULL, 0);
    waitpid(ended, NULL, 0);
}

static void note_libc(void *context, const char *path, uint64_t offset)
{
    (void)offset;
    if (strstr(path, "/libc.so.6"))
        *(int *)context += 1;
    CHECK(path[0] == '/' && !strchr(path, '\n'));
}

TEST(mapped_code_has_libc_in_it)
{
    int count = 0;
    process_code_files((uint32_t)getpid(), note_libc, &count);
    assert_int_equal(count, 1);
}

TEST(nobody_has_nothing)
{
    char value[8];
    int count = 0;
    CHECK(process_memory(NOBODY).rss_bytes == -1 && process_memory(NOBODY).anon_bytes == -1);
    CHECK(!process_variable(NOBODY, "PATH", value, sizeof(value)));
    process_code_files(NOBODY, note_libc, &count);
    assert_int_equal(count, 0);
    CHECK(!process_runs(NOBODY));
}

TEST(a_name_that_says_nothing_is_replaced)
{
    char name[16] = "cc1";
    process_name_mend("/usr/bin/as", 17, name, sizeof(name));
    assert_string_equal(name, "cc1");
    static const char *const nothing[] = {"", " ", "\t \n"};
    for (size_t i = 0; i < 3; i++) {
        snprintf(name, sizeof(name), "%s", nothing[i]);
        process_name_mend("/usr/bin/as", 17, name, sizeof(name));
        assert_string_equal(name, "as");
    }
    strcpy(name, "");
    process_name_mend("/usr/libexec/a-name-that-is-too-long", 17, name, sizeof(name));
    assert_string_equal(name, "a-name-that-is-");
    strcpy(name, "");
    process_name_mend("/", 17, name, sizeof(name));
    assert_string_equal(name, "pid 17");
}

TEST(a_process_without_a_name_has_that_of_its_program)
{
    struct process_status status;
    struct memory_status memory;
    char name[64] = "?", before[16];
    uint32_t const pid = (uint32_t)getpid();
    prctl(PR_GET_NAME, before);
    prctl(PR_SET_NAME, "");
    process_thread_name(pid, pid, name, sizeof(name));
    CHECK(process_status_read(pid, 0, &status) == 0 && memory_status_read(pid, &memory) == 0);
    prctl(PR_SET_NAME, before);
    CHECK(strstr(program_invocation_short_name, name) && name[0]);
    CHECK(strstr(program_invocation_short_name, status.name) && status.name[0]);
    CHECK(strstr(program_invocation_short_name, memory.name) && memory.name[0]);
    strcpy(name, "?");
    process_thread_name(NOBODY, NOBODY, name, sizeof(name));
    assert_string_equal(name, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anonymous_memory_is_resident_memory_without_files),
        cmocka_unit_test(shared_memory_is_not_anonymous),
        cmocka_unit_test(a_process_runs_until_its_last_thread_has_ended),
        cmocka_unit_test(a_variable_is_read_as_the_process_began_with_it),
        cmocka_unit_test(mapped_code_has_libc_in_it),
        cmocka_unit_test(nobody_has_nothing),
        cmocka_unit_test(a_name_that_says_nothing_is_replaced),
        cmocka_unit_test(a_process_without_a_name_has_that_of_its_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
