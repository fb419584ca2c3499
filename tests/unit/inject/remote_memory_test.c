/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/library/remote_memory.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static char words[] = "before exec";

/* A child that waits for a byte and then becomes another program. */
static pid_t start(int *go)
{
    int ends[2];
    CHECK(pipe(ends) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        char byte;
        close(ends[1]);
        if (read(ends[0], &byte, 1) == 1)
            execl("/bin/sleep", "sleep", "100", (char *)NULL);
        _exit(1);
    }
    close(ends[0]);
    *go = ends[1];
    return pid;
}

static bool becomes_gone(const struct remote_memory *memory)
{
    for (int i = 0; i < 2000 && !remote_memory_is_gone(memory); i++)
        usleep(1000);
    return remote_memory_is_gone(memory);
}

TEST(memory_is_gone_after_an_exec_and_after_the_end)
{
    struct remote_memory memory, after;
    int go;
    char text[sizeof(words)];
    pid_t pid = start(&go);
    CHECK(remote_memory_open(&memory, pid) == 0);
    CHECK(!remote_memory_is_gone(&memory));
    CHECK(remote_read(&memory, (uint64_t)(uintptr_t)words, text, sizeof(text)) &&
          strcmp(text, words) == 0);
    CHECK(write(go, "x", 1) == 1);
    CHECK(becomes_gone(&memory));
    CHECK(!remote_read(&memory, (uint64_t)(uintptr_t)words, text, sizeof(text)));

    CHECK(remote_memory_open(&after, pid) == 0 && !remote_memory_is_gone(&after));
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    CHECK(becomes_gone(&after));
    remote_memory_close(&memory);
    remote_memory_close(&after);
    close(go);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_gone_after_an_exec_and_after_the_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
