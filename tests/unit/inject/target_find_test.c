/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/choice/target_find.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "inject/choice/wait_exec.h"
#include "procfs/process/process_named.h"
#include "target.h"

static char folder[] = "/tmp/memoir-find-XXXXXX";
static char program[64]; /* a copy of sleep under a name that nobody else has */
static char name[32];

static int make_program(void **state)
{
    char command[256];
    (void)state;
    CHECK(mkdtemp(folder) != NULL);
    snprintf(name, sizeof(name), "find-%s", folder + strlen("/tmp/memoir-find-"));
    snprintf(program, sizeof(program), "%s/%s", folder, name);
    snprintf(command, sizeof(command), "cp \"$(command -v sleep)\" %s", program);
    return system(command);
}

static int remove_program(void **state)
{
    (void)state;
    unlink(program);
    return rmdir(folder);
}

static pid_t start(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        execl(program, program, "60", NULL);
        _exit(127);
    }
    while (!process_is_named((uint32_t)pid, name))
        usleep(1000);
    return pid;
}

TEST(one_process_is_found_and_two_are_listed)
{
    struct fault fault = {0};
    pid_t found = 0, first = start();
    CHECK(target_find(NULL, name, &found, &fault) == 0 && found == first);
    pid_t second = start();
    CHECK(target_find(NULL, name, &found, &fault) == -ENOTUNIQ);
    char number[16];
    snprintf(number, sizeof(number), "%d", (int)second);
    CHECK(strstr(fault.text, number) && strstr(fault.text, name));
    target_end(first);
    target_end(second);
    CHECK(target_find(NULL, name, &found, &fault) == -ENOENT && strstr(fault.text, name));
    CHECK(target_find("no-such-container", NULL, &found, &fault) == -ENOENT &&
          strstr(fault.text, "container"));
}

static volatile sig_atomic_t stop;

static void *wait_for_it(void *result)
{
    struct fault fault = {0};
    pid_t *found = result;
    if (wait_exec(name, &stop, found, &fault) < 0)
        *found = -1;
    return NULL;
}

TEST(the_next_exec_is_waited_for)
{
    pthread_t waiter;
    pid_t found = 0, before = start(); /* is there already: not meant */
    stop = 0;
    pthread_create(&waiter, NULL, wait_for_it, &found);
    usleep(300000);
    pid_t started = start();
    pthread_join(waiter, NULL);
    CHECK(found == started);
    target_end(started);
    target_end(before);
}

TEST(waiting_can_be_given_up)
{
    pthread_t waiter;
    pid_t found = 0;
    stop = 0;
    pthread_create(&waiter, NULL, wait_for_it, &found);
    usleep(100000);
    stop = 1;
    pthread_join(waiter, NULL);
    CHECK(found == -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_process_is_found_and_two_are_listed),
                                       cmocka_unit_test(the_next_exec_is_waited_for),
                                       cmocka_unit_test(waiting_can_be_given_up)};
    return cmocka_run_group_tests(tests, make_program, remove_program);
}
