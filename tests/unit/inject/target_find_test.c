/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/choice/target_find.h"

#include <errno.h>
#include <linux/netlink.h>
#include <poll.h>
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
#include "procfs/process/process_status.h"
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

/* Its exec is over when it sleeps: what listens from then on is not told of it. */
static pid_t start(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        execl(program, program, "60", NULL);
        _exit(127);
    }
    struct process_status status;
    while (!process_is_named((uint32_t)pid, name) ||
           process_status_read((uint32_t)pid, 0, &status) < 0 || status.state != 'S')
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

static volatile pid_t answered; /* 0: not yet */

static void *wait_for_it(void *result)
{
    struct fault fault = {0};
    pid_t *found = result;
    if (wait_exec(name, &stop, found, &fault) < 0)
        *found = -1;
    answered = *found;
    return NULL;
}

#define STARTED_MOST 200u

/* When it began to wait, nobody tells: so programs are started until it has one. */
TEST(the_next_exec_is_waited_for)
{
    pthread_t waiter;
    pid_t started[STARTED_MOST], found = 0, before = start(); /* is there already: not meant */
    unsigned count = 0;
    bool is_one = false;
    stop = 0;
    answered = 0;
    CHECK(pthread_create(&waiter, NULL, wait_for_it, &found) == 0);
    while (!answered && count < STARTED_MOST) {
        usleep(300000);
        started[count++] = start();
    }
    stop = 1;
    pthread_join(waiter, NULL);
    for (unsigned i = 0; i < count; i++) {
        is_one = is_one || found == started[i];
        target_end(started[i]);
    }
    target_end(before);
    CHECK(is_one);
}

static bool listens(pid_t pid)
{
    char line[256];
    unsigned portid, groups;
    int protocol;
    bool is_there = false;
    struct process_status status;
    FILE *sockets = fopen("/proc/net/netlink", "re");
    CHECK(sockets != NULL);
    while (fgets(line, sizeof(line), sockets))
        is_there = is_there || (sscanf(line, "%*s %d %u %x", &protocol, &portid, &groups) == 3 &&
                                protocol == NETLINK_CONNECTOR && portid == (unsigned)pid && groups);
    fclose(sockets);
    return is_there && process_status_read((uint32_t)pid, 0, &status) == 0 && status.state == 'S';
}

#define EVENTS_MANY 6000u /* more than the queue of a socket holds */
#define LOOKS_MOST  100u

/* Who waits is held up, while more happens than the kernel keeps for it. */
TEST(an_exec_is_found_whose_event_was_lost)
{
    int line[2];
    struct fault fault = {0};
    pid_t found = 0;
    CHECK(pipe(line) == 0);
    stop = 0;
    pid_t const waiter = fork();
    if (waiter == 0) {
        if (wait_exec(name, &stop, &found, &fault) < 0)
            found = -1;
        _exit(write(line[1], &found, sizeof(found)) != sizeof(found));
    }
    unsigned looks = 0;
    for (unsigned seen = 0; seen < 5 && looks < LOOKS_MOST; looks++) {
        usleep(100000);
        seen = listens(waiter) ? seen + 1 : 0;
    }
    if (looks < LOOKS_MOST) { /* else it looks at /proc, and no event counts */
        kill(waiter, SIGSTOP);
        for (unsigned i = 0; i < EVENTS_MANY; i++) {
            pid_t const child = fork();
            if (child == 0)
                _exit(0);
            CHECK(waitpid(child, NULL, 0) == child);
        }
    }
    pid_t const started = start();
    kill(waiter, SIGCONT);
    struct pollfd ready = {line[0], POLLIN, 0};
    bool const is_told =
        poll(&ready, 1, 30000) == 1 && read(line[0], &found, sizeof(found)) == sizeof(found);
    target_end(waiter);
    target_end(started);
    close(line[0]);
    close(line[1]);
    CHECK(is_told && found == started);
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
                                       cmocka_unit_test(an_exec_is_found_whose_event_was_lost),
                                       cmocka_unit_test(waiting_can_be_given_up)};
    return cmocka_run_group_tests(tests, make_program, remove_program);
}
