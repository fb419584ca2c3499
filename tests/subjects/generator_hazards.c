/* SPDX-License-Identifier: Apache-2.0 */
/* What goes on beside the random allocations: children, signals, libraries that come and go, and
 * thousands of short threads.  All but the signals is done by the main thread, between rounds'
 * meetings, so that nothing but the workers changes the heap at the peak. */
#include "generator.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS        4
#define CHURN_AT_ONCE 8
#define CHURN_STEPS   20
#define ALT_STACK     (64 << 10)

extern char **environ;

static struct worker *churners[CHURN_AT_ONCE];
static volatile sig_atomic_t ticks;
static __thread struct order *signal_order; /* what the handler of SIGUSR2 is to do */

static void on_tick(int number)
{
    char room[512]; /* a frame of some size on whatever stack this is */
    memset(room, number, sizeof(room));
    __asm__ volatile("" ::"r"(room) : "memory");
    ticks++;
}

static void on_order(int number)
{
    (void)number;
    path_run(signal_order);
}

void run_in_signal(struct order *order)
{
    signal_order = order;
    raise(SIGUSR2); /* the handler runs now, on the alternate stack, and may allocate */
}

static void catch (int number, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags | SA_RESTART};
    sigemptyset(&action.sa_mask);
    if (sigaction(number, &action, NULL) != 0)
        die("cannot catch a signal");
}

void hazards_thread_start(const struct hazards *hazards)
{
    if (!hazards->signals)
        return;
    stack_t stack = {.ss_sp = pages(ALT_STACK), .ss_size = ALT_STACK};
    if (sigaltstack(&stack, NULL) != 0)
        die("no alternate stack");
}

void hazards_start(const struct hazards *hazards)
{
    for (size_t i = 0; hazards->churn && i < CHURN_AT_ONCE; i++) {
        churners[i] = pages(sizeof(*churners[i]));
        worker_init(churners[i], 77000 + i, NULL);
        churners[i]->paths = hazards->paths;
    }
    if (!hazards->signals)
        return;
    catch (SIGALRM, on_tick, SA_ONSTACK);
    catch (SIGPROF, on_tick, 0);
    catch (SIGUSR2, on_order, SA_ONSTACK);
    hazards_thread_start(hazards);
    struct itimerval often = {{0, 1000}, {0, 1000}};
    setitimer(ITIMER_REAL, &often, NULL);
    setitimer(ITIMER_PROF, &often, NULL);
}

void hazards_stop(void)
{
    struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &never, NULL);
    setitimer(ITIMER_PROF, &never, NULL);
}

/* A child's allocations are not the parent's: nothing of this may show in its recording. */
static void *allocate_unseen(void *arg)
{
    for (uint32_t i = 0; i < 50; i++) {
        struct order order = {.op = OP_MALLOC, .size = 1000 + i, .path = i * 7, .pause_at = -1};
        path_run(&order);
        if (i % 2)
            free(order.result);
    }
    return arg;
}

static void child_main(unsigned number)
{
    pthread_t thread;
    allocate_unseen(NULL);
    if (number % 4 == 3 && pthread_create(&thread, NULL, allocate_unseen, NULL) == 0)
        pthread_join(thread, NULL);
    if (number % 2)
        exit(7);
    _exit(7);
}

static void wait_for(pid_t pid, int expected)
{
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        die("a child was lost");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != expected)
        die("a child ended wrongly");
}

static void make_children(unsigned number)
{
    char *const arguments[] = {"true", NULL};
    pid_t pid = fork();
    if (pid == 0)
        child_main(number);
    wait_for(pid, 7);

    pid = vfork();
    if (pid == 0) {
        execv("/bin/true", arguments);
        _exit(9);
    }
    wait_for(pid, 0);

    if (posix_spawn(&pid, "/bin/true", NULL, NULL, arguments, environ) != 0)
        die("posix_spawn failed");
    wait_for(pid, 0);
}

static void library_path(const char *name, char text[static 4200])
{
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (length < 0)
        die("where am I?");
    self[length] = 0;
    *strrchr(self, '/') = 0;
    snprintf(text, 4200, "%s/libsubject-%s.so", self, name);
}

/* The second library comes to lie where the first was: the same address is another function. */
static void use_library(const char *name, uint32_t first_path, struct worker *own)
{
    char path[4200];
    library_path(name, path);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *(*make)(unsigned, size_t) = NULL;
    if (library)
        *(void **)&make = dlsym(library, "library_make");
    if (!make)
        die("a library of the test is missing");
    for (unsigned i = 0; i < 12; i++) {
        unsigned site = i % LIBRARY_SITES;
        size_t size = 100 + i * 10;
        worker_add(own, make(site, size), size, first_path + site);
        if (i % 3 == 0)
            worker_drop_newest(own); /* at once, while nothing else was allocated */
    }
    dlclose(library);
}

static void *churn(void *arg)
{
    struct worker *worker = arg;
    worker->books.last = NULL;
    for (int i = 0; i < CHURN_STEPS; i++)
        worker_step(worker);
    worker_retire(worker, 0);
    return NULL;
}

static void churn_threads(unsigned count)
{
    pthread_t threads[CHURN_AT_ONCE];
    for (unsigned done = 0; done < count; done += CHURN_AT_ONCE) {
        for (unsigned i = 0; i < CHURN_AT_ONCE; i++) {
            if (pthread_create(&threads[i], NULL, churn, churners[i]) != 0)
                die("no more threads");
        }
        for (unsigned i = 0; i < CHURN_AT_ONCE; i++)
            pthread_join(threads[i], NULL);
    }
}

void hazards_round(const struct hazards *hazards, struct worker *own)
{
    for (unsigned i = 0; hazards->dlopen && i < hazards->reloads / ROUNDS; i++) {
        use_library("alpha", PROGRAM_PATHS, own);
        use_library("beta", PROGRAM_PATHS + LIBRARY_SITES, own);
    }
    for (unsigned i = 0; hazards->fork && i < hazards->children / ROUNDS; i++)
        make_children(i);
    if (hazards->churn)
        churn_threads(hazards->churn_threads / ROUNDS);
}

void hazards_books(struct books *sum)
{
    for (size_t i = 0; churners[i] && i < CHURN_AT_ONCE; i++)
        books_add(sum, &churners[i]->books);
}

int64_t hazards_noise(void)
{
    int64_t noise = 0;
    for (size_t i = 0; i < CHURN_AT_ONCE && churners[i]; i++)
        noise += churners[i]->books.net_max;
    return noise;
}
