/* SPDX-License-Identifier: Apache-2.0 */
/* A timer's handler forks, 300 times (or as often as told), wherever it strikes while the
 * program makes and frees blocks of 48 bytes in in_loop; one of 1000 is kept.  Every other fork
 * is by _Fork.  The children come back from the handler, go on there, make 20 blocks in in_child
 * and exit.  Prints how many blocks were made in in_loop, and how many children failed. */
#include "subject.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>

pid_t _Fork(void);

static volatile sig_atomic_t forks, is_child;
static int forks_wanted = 300;

static void on_timer(int number)
{
    (void)number;
    if (is_child || forks >= forks_wanted)
        return;
    pid_t pid = forks % 2 ? fork() : _Fork();
    if (pid == 0)
        is_child = 1;
    else if (pid > 0)
        forks++;
}

static NOINLINE void *in_loop(void)
{
    void *at = malloc(48);
    KEEP_FRAME();
    return at;
}

static NOINLINE void in_child(void)
{
    for (int i = 0; i < 20; i++) {
        void *volatile at = malloc(100);
        free(at);
    }
    KEEP_FRAME();
}

static void set_timer(long us)
{
    struct itimerval interval = {{0, us}, {0, us}};
    setitimer(ITIMER_REAL, &interval, NULL);
}

int main(int argc, char **argv)
{
    long made = 0;
    int failures = 0, status;
    if (argc > 1)
        forks_wanted = atoi(argv[1]);
    signal(SIGALRM, on_timer);
    set_timer(300);
    while (forks < forks_wanted) {
        void *volatile at = in_loop();
        if (is_child) {
            in_child();
            _exit(0);
        }
        if (++made % 1000)
            free(at);
    }
    set_timer(0);
    for (int i = 0; i < forks_wanted;) {
        pid_t pid = wait(&status);
        if (pid < 0 && errno == EINTR)
            continue;
        failures += pid < 0 || status != 0;
        i++;
    }
    say("%ld %d\n", made, failures);
    return 0;
}
