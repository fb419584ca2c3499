/* SPDX-License-Identifier: Apache-2.0 */
/* attaches_itself LIBRARY CASE [ARGUMENT]: a program that loads the tracer and attaches it to
 * itself.  Prints "ok" when the case went as it should, or "not ok: why". */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach_scribe.h"
#include "wire/arena.h"
#include "subject.h"

#define THREADS 8
#define OURS    1000u /* allocations of one thread in its turn */

static struct tracer tracer;
static struct scribe scribe;
static const char *library_path, *argument;
static pthread_barrier_t gate;
static _Atomic bool stop;

static void nap(long ns)
{
    struct timespec left = {.tv_nsec = ns};
    while (nanosleep(&left, &left) != 0)
        continue;
}

/* Not to be left out by a compiler that knows malloc. */
static void allocate_and_free(size_t size)
{
    static void *volatile block;
    block = malloc(size);
    free(block);
}

static void attach(void)
{
    long err = tracer.attach(scribe.fd, 0);
    if (err < 0)
        die("attach", err);
}

static void die_of_counts(const char *what, const struct counts *counts)
{
    say("%lu allocs of %lu bytes, %lu frees, %lu moves, %lu lost, %u threads\n", counts->allocs,
        counts->bytes, counts->frees, counts->moves, counts->lost, counts->threads);
    die(what, 0);
}

static void detach(void)
{
    long err = tracer.detach(ATTACH_MAY_BARRIER);
    for (int tries = 0; err == -EAGAIN && tries < 100; tries++)
        err = tracer.detach(ATTACH_MAY_BARRIER);
    if (err < 0)
        die("detach", err);
}

/* Allocates in all ways, some of them inside libc. */
static void churn_once(unsigned i)
{
    void *aligned = NULL, *kept[8];
    char *text = strdup("some text that lives for a moment"), *line = NULL;
    for (unsigned k = 0; k < 8; k++)
        kept[k] = k % 2 ? calloc(k, i % 100 + 1) : malloc(i % 1000 + k);
    kept[3] = realloc(kept[3], i % 3000 + 1);
    if (posix_memalign(&aligned, 64, i % 500 + 1) != 0 || asprintf(&line, "%u %s", i, text) < 0)
        die("no memory", errno);
    for (unsigned k = 0; k < 8; k++)
        free(kept[k]);
    free(aligned);
    free(text);
    free(line);
}

static void *churn(void *unused)
{
    for (unsigned i = 0; !atomic_load(&stop); i++)
        churn_once(i);
    return unused;
}

static void *live_briefly(void *unused)
{
    churn_once(7);
    return unused;
}

/* Threads that live for a moment, so that some are new in every epoch. */
static void *spawn(void *unused)
{
    while (!atomic_load(&stop)) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, live_briefly, NULL) == 0)
            pthread_join(thread, NULL);
    }
    return unused;
}

/* What the kernel says of this process that must not grow. */
struct size {
    unsigned long virtual_pages, maps, descriptors, threads;
};

static unsigned long count_lines(const char *path, const char *without)
{
    static char text[1 << 20];
    unsigned long lines = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t size = 0;
    for (ssize_t got; (got = read(fd, text + size, sizeof(text) - size - 1)) > 0;)
        size += (size_t)got;
    close(fd);
    text[size] = '\0';
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        lines += !without || !strstr(line, without);
    return lines;
}

static unsigned long first_number(const char *path)
{
    char text[256] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = read(fd, text, sizeof(text) - 1);
    close(fd);
    return got > 0 ? strtoul(text, NULL, 10) : 0;
}

static unsigned long count_descriptors(void)
{
    unsigned long count = 0;
    for (int fd = 0; fd < 1024; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

static struct size measure(void)
{
    return (struct size){first_number("/proc/self/statm"), count_lines("/proc/self/maps", NULL),
                         count_descriptors(), 0};
}

static void cycle(unsigned number)
{
    struct counts counts;
    uint64_t allocs = 0;
    scribe_open(&scribe, false);
    attach();
    for (int i = 0; i < 5 || (allocs == 0 && i < 2000); i++) {
        nap(1000000);
        scribe_count(&scribe, &counts);
        allocs += counts.allocs;
        if (counts.odd)
            die("a record that is none", (long)counts.odd);
    }
    detach();
    scribe_count(&scribe, &counts);
    if (allocs + counts.allocs == 0)
        die("nothing seen in cycle", number);
    nap(2000000);
    scribe_count(&scribe, &counts);
    if (counts.allocs + counts.frees + counts.moves)
        die("written after the end, in cycle", number);
    scribe_close(&scribe);
}

/* Many times, under load.  The threads are the same throughout, but for those that live for a
 * moment. */
static void case_cycles(void)
{
    unsigned cycles = argument ? (unsigned)atoi(argument) : 200;
    pthread_t threads[THREADS];
    void *before = (void *)malloc;
    struct size first = {0}, last;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, i == 0 ? spawn : churn, NULL);
    nap(50000000);
    for (unsigned i = 1; i <= cycles; i++) {
        cycle(i);
        if (i == 1)
            first = measure();
    }
    last = measure();
    atomic_store(&stop, true);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    if ((void *)malloc != before)
        die("malloc is not what it was", 0);
    say("after cycle 1: %lu pages, %lu maps, %lu descriptors\n", first.virtual_pages, first.maps,
        first.descriptors);
    say("after cycle %u: %lu pages, %lu maps, %lu descriptors\n", cycles, last.virtual_pages,
        last.maps, last.descriptors);
}

static void *run_turn(void *unused)
{
    pthread_barrier_wait(&gate);
    pthread_barrier_wait(&gate);
    void *blocks[OURS];
    for (unsigned i = 0; i < OURS; i++)
        blocks[i] = malloc(i + 1);
    for (unsigned i = 0; i < OURS; i++)
        free(blocks[i]);
    pthread_barrier_wait(&gate);
    return unused;
}

/* Threads that were there before do a known number of things while attached. */
static void case_exact(void)
{
    pthread_t threads[THREADS];
    struct counts counts;
    uint64_t calls = THREADS * OURS, bytes = (uint64_t)THREADS * OURS * (OURS + 1) / 2;
    pthread_barrier_init(&gate, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run_turn, NULL);
    void *volatile before = malloc(100);
    pthread_barrier_wait(&gate);
    scribe_open(&scribe, false);
    attach();
    pthread_barrier_wait(&gate);
    pthread_barrier_wait(&gate);
    free(before);
    detach();
    allocate_and_free(5000);
    scribe_count(&scribe, &counts);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    if (counts.allocs != calls || counts.bytes != bytes || counts.frees != calls + 1 || counts.lost)
        die_of_counts("a known number of things", &counts);
    if (counts.threads != THREADS + 1)
        die("threads", counts.threads);
}

/* Calls of libc for itself go through its own table. */
static void case_libc(void)
{
    struct counts counts;
    char *line = NULL, *text;
    size_t room = 0;
    FILE *file = tmpfile();
    fputs("a line\n", file);
    rewind(file);
    scribe_open(&scribe, false);
    attach();
    text = strdup("text");
    if (getline(&line, &room, file) < 0)
        die("no line", errno);
    free(text);
    free(line);
    detach();
    fclose(file);
    scribe_count(&scribe, &counts);
    if (counts.allocs != 2 || counts.frees != 2)
        die_of_counts("libc's own", &counts);
}

/* A library that comes later: what its constructor does is seen, and what it does by itself. */
static void case_late_library(void)
{
    struct counts counts;
    void (*use)(void) = NULL;
    scribe_open(&scribe, false);
    attach();
    scribe_count(&scribe, &counts);
    void *library = dlopen(argument, RTLD_LAZY);
    if (!library)
        die(dlerror(), 0);
    scribe_count(&scribe, &counts);
    if (counts.bytes % 1000000 < 7000 || counts.bytes < 7007000)
        say("the constructor's 7 blocks are missing from %lu bytes\n", counts.bytes);
    *(void **)&use = dlsym(library, "library_use");
    scribe_count(&scribe, &counts);
    use();
    scribe_count(&scribe, &counts);
    if (counts.allocs != 10 || counts.bytes != 10000)
        die("allocations of a late library", (long)counts.allocs);
    dlclose(library);
    detach();
    library = dlopen(argument, RTLD_LAZY); /* in a place that was hooked */
    *(void **)&use = dlsym(library, "library_use");
    use();
    dlclose(library);
    scribe_count(&scribe, &counts);
}

/* A library that has an allocator for itself: its blocks and ours do not meet. */
static void case_own_allocator(void)
{
    struct counts counts;
    void (*use)(void) = NULL;
    for (int i = 0; i < 4; i++) {
        void *library = NULL;
        scribe_open(&scribe, false);
        if (i % 2)
            attach();
        library = dlopen(argument, RTLD_LAZY | RTLD_LOCAL | RTLD_DEEPBIND);
        if (!library)
            die(dlerror(), 0);
        *(void **)&use = dlsym(library, "library_use");
        if (i >= 2)
            use();
        if (i % 2 == 0)
            attach();
        scribe_count(&scribe, &counts);
        use();
        scribe_count(&scribe, &counts);
        if (counts.allocs + counts.frees)
            die_of_counts("another's blocks", &counts);
        detach();
        use();
        dlclose(library);
        scribe_close(&scribe);
    }
}

static void case_errors(void)
{
    struct scribe other;
    int pipe_ends[2], file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (pipe(pipe_ends) != 0)
        die("no pipe", errno);
    if (tracer.detach(ATTACH_MAY_BARRIER) != 0)
        die("detach before attach", 0);
    if (tracer.attach(-1, 0) != -EBADF || tracer.attach(pipe_ends[0], 0) != -EINVAL ||
        tracer.attach(file, 0) != -EINVAL || tracer.attach(file, 4) != -EINVAL)
        die("attached to what is no arena", 0);
    scribe_open(&scribe, false);
    scribe_open(&other, false);
    ((uint32_t *)other.arena)[2]++; /* its version */
    if (tracer.attach(other.fd, 0) != -EPROTO)
        die("attached to another version", 0);
    ((uint32_t *)other.arena)[2]--;
    attach();
    if (tracer.attach(other.fd, 0) != -EBUSY || tracer.attach(scribe.fd, 0) != -EBUSY)
        die("attached twice", 0);
    detach();
    detach();
    scribe = other;
    attach();
    detach();
}

/* A recorder that dies: the program runs on, and the next one finds it as if nothing had been. */
static void *briefly_recorder(void *unused)
{
    scribe_open(&scribe, false);
    attach();
    return unused; /* its thread holds the lock */
}

static void case_dead_recorder(void)
{
    pthread_t recorder, thread;
    struct counts counts;
    pthread_create(&thread, NULL, churn, NULL);
    for (int i = 0; i < 20; i++) {
        pthread_create(&recorder, NULL, briefly_recorder, NULL);
        pthread_join(recorder, NULL);
        nap(i % 4 * 20000000);
        scribe_close(&scribe);
        scribe_open(&scribe, false);
        attach();
        counts.allocs = 0;
        for (int tries = 0; counts.allocs == 0 && tries < 2000; tries++) {
            nap(1000000);
            scribe_count(&scribe, &counts);
        }
        detach();
        if (counts.allocs == 0)
            die_of_counts("nothing seen after a recorder's death", &counts);
        scribe_close(&scribe);
    }
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
}

static void in_child(bool followed)
{
    struct counts counts;
    struct scribe own;
    for (unsigned i = 0; i < 100; i++)
        churn_once(i);
    if (!followed) {
        scribe_open(&own, false);
        if (tracer.attach(own.fd, 0) != 0)
            _exit(2);
        allocate_and_free(10);
        allocate_and_free(20);
        if (tracer.detach(ATTACH_MAY_BARRIER) != 0)
            _exit(3);
        scribe_count(&own, &counts);
        _exit(counts.allocs == 2 && counts.frees == 2 ? 0 : 4);
    }
    _exit(0);
}

/* A child is its own process: silent, or followed; and can be attached to in turn. */
static void case_fork(void)
{
    struct counts counts;
    pthread_t thread;
    pthread_create(&thread, NULL, churn, NULL);
    for (int i = 0; i < 10; i++) {
        int status;
        bool follow = i % 2;
        scribe_open(&scribe, follow);
        attach();
        pid_t child = fork();
        if (child == 0)
            in_child(follow);
        if (waitpid(child, &status, 0) != child || status != 0)
            die("child", status);
        detach();
        scribe_count(&scribe, &counts);
        if (counts.processes != (follow ? 2u : 1u))
            die("processes", counts.processes);
        scribe_close(&scribe);
    }
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
}

/* What follows by exec has an environment as it would have had. */
static void case_exec(void)
{
    int status;
    scribe_open(&scribe, false);
    attach();
    pid_t child = fork();
    if (child == 0) {
        execlp("env", "env", NULL);
        _exit(9);
    }
    if (waitpid(child, &status, 0) != child || status != 0)
        die("child", status);
    execlp("env", "env", NULL);
    die("exec", errno);
}

/* Children that become another program take the tracer with them, however they are made. */
static void case_follow(void)
{
    struct counts counts;
    int status;
    pid_t child;
    char *arguments[] = {(char *)argument, NULL};
    scribe_open(&scribe, true);
    scribe_leads_to(&scribe, library_path);
    attach();
    child = fork();
    if (child == 0) {
        execv(argument, arguments);
        _exit(9);
    }
    if (waitpid(child, &status, 0) != child || status != 0)
        die("forked child", status);
    if (posix_spawn(&child, argument, NULL, NULL, arguments, environ) != 0 ||
        waitpid(child, &status, 0) != child || status != 0)
        die("spawned child", status);
    detach();
    if (posix_spawn(&child, argument, NULL, NULL, arguments, environ) != 0 ||
        waitpid(child, &status, 0) != child || status != 0)
        die("last child", status);
    scribe_count(&scribe, &counts);
    if (counts.processes != 3)
        die("processes", counts.processes);
}

static _Atomic int inside_pvalloc, let_out;

/* The program's own, which takes its time. */
__attribute__((visibility("default"))) void *pvalloc(size_t size);
void *pvalloc(size_t size)
{
    if (size == 4242) {
        atomic_store(&inside_pvalloc, 1);
        while (!atomic_load(&let_out))
            nap(1000000);
    }
    return memalign(4096, size);
}

static void *get_stuck(void *function)
{
    void *(*call)(size_t) = NULL;
    *(void **)&call = function;
    free(call(4242));
    return NULL;
}

/* A thread inside an allocator comes back from there long after the end, or after the next
 * beginning. */
static void case_blocked(void)
{
    struct counts counts;
    void *library = dlopen(argument, RTLD_LAZY);
    void *function = library ? dlsym(library, "library_pvalloc") : NULL;
    if (!function)
        die("no library", 0);
    for (int i = 0; i < 4; i++) {
        pthread_t thread;
        atomic_store(&inside_pvalloc, 0);
        atomic_store(&let_out, 0);
        scribe_open(&scribe, false);
        attach();
        pthread_create(&thread, NULL, get_stuck, function);
        while (!atomic_load(&inside_pvalloc))
            nap(1000000);
        detach();
        scribe_close(&scribe);
        if (i % 2) {
            scribe_open(&scribe, false);
            attach();
        }
        atomic_store(&let_out, 1);
        pthread_join(thread, NULL);
        if (i % 2) {
            detach();
            scribe_count(&scribe, &counts);
            if (counts.bytes != 4242 || counts.frees < 1)
                die("bytes of the block that came back", (long)counts.bytes);
            scribe_close(&scribe);
        }
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {{"cycles", case_cycles},   {"exact", case_exact},
                 {"libc", case_libc},       {"late-library", case_late_library},
                 {"errors", case_errors},   {"dead-recorder", case_dead_recorder},
                 {"fork", case_fork},       {"exec", case_exec},
                 {"blocked", case_blocked}, {"own-allocator", case_own_allocator},
                 {"follow", case_follow}};
    library_path = argc > 1 ? argv[1] : "";
    argument = argc > 3 ? argv[3] : NULL;
    tracer_load(library_path, &tracer);
    for (size_t i = 0; argc > 2 && i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (strcmp(argv[2], cases[i].name) == 0) {
            cases[i].run();
            say("ok\n");
            return 0;
        }
    }
    die("no such case", 0);
}
