/* SPDX-License-Identifier: Apache-2.0 */
/* generator - allocates at random in many threads and prints exact books of it; see generator.h.
 *
 * The run has rounds.  In one of them all threads grow together, rest, and shrink: at the rest
 * more bytes are live than at any other time whatever the threads' order was, and the books of
 * that instant are the peak.  With --sharp (one thread) the peak is the one that chance made.
 * With --ready and --go there is a life before the rounds, and one after, in no books: somebody
 * attaches and detaches in between. */
#include "generator.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_THREADS 64
#define ROUNDS      4
#define PEAK_ROUND  2
#define GROW_BLOCKS 600

struct settings {
    unsigned threads, paths;
    uint64_t operations, seed, pace, before;
    const char *books_file;
    bool sharp, coroutines, deep, longjmp, kill;
    struct taste taste;
    struct hazards hazards;
    struct meeting meeting;
};

static struct settings settings = {
    .threads = 4,
    .paths = PROGRAM_PATHS,
    .operations = 1000000,
    .seed = 1,
    .hazards = {.churn_threads = 2000, .children = 40, .reloads = 40}};
static pthread_barrier_t barrier;
static struct worker *workers[MAX_THREADS];
static struct books *end_books, *peak_books;

static void meet(void)
{
    if (!settings.sharp)
        pthread_barrier_wait(&barrier);
}

static void rest(long ns)
{
    struct timespec left = {.tv_nsec = ns};
    while (nanosleep(&left, &left) != 0)
        continue;
}

static void sum_books(struct books *sum, const struct worker *hazard_worker)
{
    for (unsigned i = 0; i < settings.threads; i++)
        books_add(sum, &workers[i]->books);
    if (hazard_worker)
        books_add(sum, &hazard_worker->books);
    hazards_books(sum);
}

/* A part of the program's life that is in no books, before or after. */
static void live_unseen(struct worker *worker, uint64_t steps)
{
    for (uint64_t i = 0; i < steps; i++)
        worker_step(worker);
}

/* Everybody rests while somebody attaches; from then on there are books. */
static void be_attached_to(void)
{
    for (unsigned i = 0; i < settings.threads; i++)
        worker_begin_books(workers[i]);
    memset(peak_books, 0, sizeof(*peak_books));
    meeting_wait(&settings.meeting);
}

static void *work(void *arg)
{
    struct worker *worker = arg;
    hazards_thread_start(&settings.hazards);
    uint64_t steps = settings.operations / settings.threads / ROUNDS;
    if (settings.meeting.ready) {
        live_unseen(worker, settings.before ? settings.before : steps);
        meet();
        if (settings.sharp)
            be_attached_to();
        meet();
    }

    for (int round = 0; round < ROUNDS; round++) {
        for (uint64_t i = 1; i <= steps; i++) {
            worker_step(worker);
            if (settings.pace && i % settings.pace == 0)
                rest(1000000);
        }
        if (worker->noise_max < worker->books.net_max)
            worker->noise_max = worker->books.net_max;
        meet(); /* the random part is over */
        if (settings.sharp || round != PEAK_ROUND)
            continue;
        worker_grow(worker, GROW_BLOCKS);
        meet(); /* everyone has grown */
        meet(); /* the picture is taken */
        worker_shrink(worker);
        worker->books.net_max = worker->books.net;
        meet();
    }
    meet(); /* nobody writes letters any more */
    worker_retire(worker, 8);
    if (!settings.meeting.ready)
        return NULL;
    meet();
    if (settings.sharp) {
        sum_books(end_books, NULL);
        meeting_wait(&settings.meeting);
    }
    meet();
    worker->books.sharp = NULL;
    live_unseen(worker, steps);
    return NULL;
}

/* What could have been live at most outside the peak phase: the sum of what each thread had at
 * most.  The peak must be above it, or the books would only guess. */
static void check_peak(const struct books *peak, const struct worker *hazard_worker)
{
    int64_t bound = hazard_worker->books.net_max + hazards_noise() + (4 << 20), live = 0;
    for (unsigned i = 0; i < settings.threads; i++)
        bound += workers[i]->noise_max;
    for (uint32_t i = 0; i < PATHS; i++)
        live += (int64_t)(peak->paths[i].bytes - peak->paths[i].freed);
    if (live <= bound)
        die("the peak is not above the noise");
}

static void make_workers(void)
{
    struct mailbox *mail = mailboxes_create(settings.threads);
    for (unsigned i = 0; i < settings.threads; i++) {
        workers[i] = pages(sizeof(*workers[i]));
        worker_init(workers[i], settings.seed * 1000 + i, mailbox_at(mail, i));
        workers[i]->paths = settings.paths;
        workers[i]->deep = settings.deep;
        workers[i]->longjmp = settings.longjmp;
        workers[i]->signals = settings.hazards.signals;
        worker_like(workers[i], &settings.taste);
        if (settings.coroutines)
            workers[i]->coroutines = coroutines_create();
    }
}

static void conduct(struct worker *own, struct books *peak)
{
    if (settings.meeting.ready) {
        meet();
        be_attached_to();
        meet();
    }
    for (int round = 0; round < ROUNDS; round++) {
        hazards_round(&settings.hazards, own);
        meet();
        if (round != PEAK_ROUND)
            continue;
        meet();
        sum_books(peak, own);
        rest(30000000);
        meet();
        meet();
    }
    meet();
}

static void join_all(const pthread_t *threads)
{
    for (unsigned i = 0; i < settings.threads; i++)
        pthread_join(threads[i], NULL);
}

static void run_threads(void)
{
    struct worker *own = pages(sizeof(*own));
    pthread_t threads[MAX_THREADS];

    worker_init(own, settings.seed * 1000 + 999, NULL);
    pthread_barrier_init(&barrier, NULL, settings.threads + 1);
    hazards_start(&settings.hazards);
    for (unsigned i = 0; i < settings.threads; i++) {
        if (pthread_create(&threads[i], NULL, work, workers[i]) != 0)
            die("no more threads");
    }
    conduct(own, peak_books);
    if (settings.meeting.ready)
        meet();
    else
        join_all(threads);
    hazards_stop();
    worker_allocate(own); /* the newest block is known again, whatever libc allocated meanwhile */
    worker_retire(own, 8);
    check_peak(peak_books, own);
    sum_books(end_books, own);
    if (settings.meeting.ready) {
        meeting_wait(&settings.meeting);
        meet();
        join_all(threads);
    }
}

static void run_sharp(void)
{
    workers[0]->books.sharp = peak_books;
    work(workers[0]);
    if (!settings.meeting.ready)
        sum_books(end_books, NULL);
}

static bool read_number(const char *text, uint64_t *number)
{
    char *rest;
    *number = strtoull(text, &rest, 10);
    return *text && !*rest;
}

static bool set_number(const char *name, uint64_t number)
{
    if (strcmp(name, "--threads") == 0 && number >= 1 && number <= MAX_THREADS)
        settings.threads = (unsigned)number;
    else if (strcmp(name, "--paths") == 0 && number >= 1 && number <= PROGRAM_PATHS)
        settings.paths = (unsigned)number;
    else if (strcmp(name, "--ops") == 0)
        settings.operations = number;
    else if (strcmp(name, "--pace") == 0) /* a rest of 1 ms after so many operations */
        settings.pace = number;
    else if (strcmp(name, "--before") == 0) /* operations of each thread before the meeting */
        settings.before = number;
    else if (strcmp(name, "--seed") == 0)
        settings.seed = number;
    else if (strcmp(name, "--churn-threads") == 0)
        settings.hazards.churn_threads = (unsigned)number;
    else if (strcmp(name, "--children") == 0)
        settings.hazards.children = (unsigned)number;
    else
        return false;
    return true;
}

static bool set_value(const char *name, const char *text)
{
    uint64_t number = 0;
    const char **texts[] = {&settings.books_file, &settings.meeting.ready, &settings.meeting.go};
    static const char *const text_names[] = {"--books", "--ready", "--go"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(name, text_names[i]) == 0) {
            *texts[i] = text;
            return true;
        }
    }
    if (strcmp(name, "--sizes") == 0)
        return taste_read_sizes(text, &settings.taste.sizes);
    if (!read_number(text, &number))
        return false;
    return set_number(name, number);
}

static bool set_switch(const char *name)
{
    static const struct {
        const char *name;
        bool *flag;
    } switches[] = {{"--sharp", &settings.sharp},
                    {"--fork", &settings.hazards.fork},
                    {"--signals", &settings.hazards.signals},
                    {"--dlopen", &settings.hazards.dlopen},
                    {"--churn", &settings.hazards.churn},
                    {"--coroutines", &settings.coroutines},
                    {"--deep", &settings.deep},
                    {"--longjmp", &settings.longjmp},
                    {"--aligned", &settings.taste.aligned},
                    {"--chains", &settings.taste.chains},
                    {"--queue", &settings.taste.queue},
                    {"--kill", &settings.kill}};
    size_t const hazards = 8; /* the first ones are what --all means, but for --sharp */
    bool known = false;
    for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++) {
        bool all = strcmp(name, "--all") == 0 && i > 0 && i < hazards;
        if (all || strcmp(name, switches[i].name) == 0)
            known = *switches[i].flag = true;
    }
    return known;
}

static void read_arguments(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (set_switch(argv[i]))
            continue;
        if (i + 1 == argc || !set_value(argv[i], argv[i + 1])) {
            dprintf(2, "usage: generator [--threads N] [--paths N] [--ops N] [--pace N] [--seed N] "
                       "[--books FILE] "
                       "[--churn-threads N] [--children N] [--ready PIPE --go PIPE [--before N]]\n "
                       " [--sharp | "
                       "--all | --fork "
                       "--signals --dlopen "
                       "--churn --coroutines --deep --longjmp]\n  [--sizes small | wide | pages | "
                       "powers] [--aligned] [--chains] [--queue] [--kill]\n");
            _exit(2);
        }
        i++;
    }
    settings.hazards.paths = settings.paths;
    if (settings.sharp)
        settings.threads = 1;
    settings.taste.alone = settings.sharp;
}

int main(int argc, char **argv)
{
    read_arguments(argc, argv);
    paths_init();
    make_workers();

    end_books = pages(sizeof(*end_books));
    peak_books = pages(sizeof(*peak_books));
    if (settings.sharp)
        run_sharp();
    else
        run_threads();

    int fd = 1;
    if (settings.books_file)
        fd = open(settings.books_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        die("cannot write the books");
    books_print(fd, end_books, peak_books);
    if (settings.kill)
        raise(SIGKILL); /* what is in the books is in the recording, though nobody said goodbye */
    return 0;
}
