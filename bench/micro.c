/* SPDX-License-Identifier: Apache-2.0 */
/* micro --frames N --threads N --pairs N [--random] [--forest N] [--live N] [--result FILE]
 *
 * malloc+free pairs at a stack depth of N frames below the thread's entry, fixed or (--random)
 * chosen anew for each pair from 4 to N.  --forest N: at the end of one of N call paths, chosen
 * anew for each pair, that go through eight functions and part near the root.  --live N: each block
 * is freed N pairs after it was made instead of at once.  Writes the ns per pair: wall time from
 * the moment all threads go to the last one's end, divided by the pairs of one thread. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOINLINE     __attribute__((noinline, noclone))
#define MAX_LIVE     65536
#define OTHER_FRAMES 6 /* one_pair, the last down_x, run, thread_main, start_thread, clone */
#define MAX_FRAMES   256
#define MAX_PATHS    100000

struct job {
    unsigned frames;
    uint64_t pairs, random;
    int is_random;
    unsigned paths; /* of a forest; 0: none */
    size_t live;
    void **blocks;
};

static struct job job = {.frames = 12, .pairs = 1000000, .random = 88172645463325252u, .live = 0};
static unsigned threads = 1;
static pthread_barrier_t barrier;
static const char *result;

static inline uint64_t next_random(struct job *j)
{
    j->random ^= j->random << 13;
    j->random ^= j->random >> 7;
    j->random ^= j->random << 17;
    return j->random;
}

static NOINLINE void one_pair(struct job *j)
{
    void *volatile block = malloc(16 + next_random(j) % 8 * 64);
    if (j->live == 0) {
        free(block);
    } else {
        size_t at = j->pairs % j->live;
        free(j->blocks[at]);
        j->blocks[at] = block;
    }
}

static void down_a(struct job *j, unsigned frames, uint64_t pairs);

/* Two functions with frames of different size, in turn. */
static NOINLINE void down_b(struct job *j, unsigned frames, uint64_t pairs)
{
    char room[88];
    __asm__ volatile("" ::"r"(room) : "memory");
    if (frames > 0)
        down_a(j, frames - 1, pairs);
    else
        for (; pairs > 0; pairs--, j->pairs--)
            one_pair(j);
    __asm__ volatile("" ::"r"(room) : "memory");
}

static NOINLINE void down_a(struct job *j, unsigned frames, uint64_t pairs)
{
    if (frames > 0)
        down_b(j, frames - 1, pairs);
    else
        for (; pairs > 0; pairs--, j->pairs--)
            one_pair(j);
    __asm__ volatile("" ::: "memory");
}

/* Paths of a forest: one digit for each frame, the function that it calls. */
static uint8_t (*forest)[MAX_FRAMES];

static void step(struct job *j, const uint8_t *path, unsigned frames);

#define BRANCH(name, bytes)                                                                        \
    static NOINLINE void name(struct job *j, const uint8_t *path, unsigned frames)                 \
    {                                                                                              \
        char room[bytes];                                                                          \
        __asm__ volatile("" ::"r"(room) : "memory");                                               \
        step(j, path, frames);                                                                     \
        __asm__ volatile("" ::"r"(room) : "memory");                                               \
    }
BRANCH(branch_a, 8)
BRANCH(branch_b, 24)
BRANCH(branch_c, 40)
BRANCH(branch_d, 56)
BRANCH(branch_e, 72)
BRANCH(branch_f, 88)
BRANCH(branch_g, 104)
BRANCH(branch_h, 120)

static __attribute__((always_inline)) inline void step(struct job *j, const uint8_t *path,
                                                       unsigned frames)
{
    static void (*const branches[])(struct job *, const uint8_t *, unsigned) = {
        branch_a, branch_b, branch_c, branch_d, branch_e, branch_f, branch_g, branch_h};
    if (frames > 0)
        branches[*path](j, path + 1, frames - 1);
    else
        one_pair(j);
}

static void plant_forest(void)
{
    struct job dice = {.random = 0x9e3779b97f4a7c15u};
    forest = calloc(job.paths, sizeof(forest[0]));
    if (!forest)
        exit(1);
    for (unsigned i = 0; i < job.paths; i++)
        for (unsigned f = 0; f < job.frames; f++)
            forest[i][f] = (uint8_t)(next_random(&dice) >> 40) % 8;
}

static void run_forest(struct job *j, uint64_t pairs)
{
    for (uint64_t i = 0; i < pairs; i++, j->pairs--)
        step(j, forest[(next_random(j) >> 20) % j->paths], j->frames - OTHER_FRAMES);
}

static void run(struct job *j, uint64_t pairs)
{
    if (j->paths > 0) {
        run_forest(j, pairs);
        return;
    }
    if (!j->is_random) {
        down_a(j, j->frames - OTHER_FRAMES, pairs);
        return;
    }
    for (uint64_t i = 0; i < pairs; i++)
        down_a(j, (unsigned)(next_random(j) >> 33) % (j->frames - 7) + 8 - OTHER_FRAMES, 1);
}

static void *thread_main(void *arg)
{
    struct job *j = arg;
    uint64_t pairs = j->pairs;
    j->blocks = calloc(j->live ? j->live : 1, sizeof(void *));
    j->pairs = pairs + pairs / 10;
    run(j, pairs / 10); /* warm: rings, rules and caches are there */
    pthread_barrier_wait(&barrier);
    run(j, pairs);
    pthread_barrier_wait(&barrier);
    return NULL;
}

static double now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double run_threads(void)
{
    static struct job jobs[64];
    pthread_t ids[64];
    pthread_barrier_init(&barrier, NULL, threads + 1);
    for (unsigned i = 0; i < threads; i++) {
        jobs[i] = job;
        jobs[i].random += i * 0x9e3779b97f4a7c15u;
        if (pthread_create(&ids[i], NULL, thread_main, &jobs[i]) != 0)
            exit(1);
    }
    pthread_barrier_wait(&barrier);
    double start = now_ns();
    pthread_barrier_wait(&barrier);
    double end = now_ns();
    for (unsigned i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
    return (end - start) / (double)job.pairs;
}

static int read_option(const char *name, const char *value)
{
    if (strcmp(name, "--result") == 0)
        result = value;
    else if (strcmp(name, "--frames") == 0)
        job.frames = (unsigned)atoi(value);
    else if (strcmp(name, "--threads") == 0)
        threads = (unsigned)atoi(value);
    else if (strcmp(name, "--pairs") == 0)
        job.pairs = strtoull(value, NULL, 10);
    else if (strcmp(name, "--live") == 0)
        job.live = strtoull(value, NULL, 10);
    else if (strcmp(name, "--forest") == 0)
        job.paths = (unsigned)atoi(value);
    else
        return 0;
    return 1;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--random") == 0)
            job.is_random = 1;
        else if (i + 1 >= argc || !read_option(argv[i], argv[i + 1]))
            return fprintf(stderr, "micro: wrong option %s\n", argv[i]), 2;
        else
            i++;
    }
    if (job.frames < 8 || job.frames > MAX_FRAMES || threads < 1 || threads > 64 ||
        job.live > MAX_LIVE || job.paths > MAX_PATHS)
        return fprintf(stderr, "micro: out of range\n"), 2;
    if (job.paths > 0)
        plant_forest();
    double ns = run_threads();
    FILE *out = result ? fopen(result, "w") : stdout;
    if (!out)
        return 1;
    fprintf(out, "%.2f\n", ns);
    return 0;
}
